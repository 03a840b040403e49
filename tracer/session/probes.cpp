#include "session/probes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/error.hpp"

namespace callpath::session {
namespace {

constexpr std::uint8_t breakpoint = 0xcc;
constexpr std::uint64_t page = 4096, region_size = 16 * page;
constexpr std::uint64_t reach = (1ull << 31) - (1ull << 26);  ///< Of a 32-bit displacement, with room for the data around the text.

std::uint64_t distance(Address a, Address b) { return a > b ? a.value - b.value : b.value - a.value; }

const Module::Segment* text_around(const Module& module, Address address) {
  for (const auto& segment : module.segments)
    if (segment.executable && segment.begin <= address && address < segment.end) return &segment;
  return nullptr;
}

std::string identity(const Module& module) { return module.path + " " + module.build_id; }

/// The free places between mappings where a region fits, nearest to `wanted` first.
std::vector<Address> free_places(const std::vector<Mapping>& mappings, Address wanted) {
  constexpr std::uint64_t lowest = 1 << 16;
  std::vector<Address> places;
  std::uint64_t free_from = lowest;
  for (const auto& mapping : mappings) {
    if (mapping.begin.value >= free_from + 3 * region_size) {
      places.push_back({free_from + region_size});
      places.push_back({mapping.begin.value - 2 * region_size});
    }
    free_from = std::max(free_from, mapping.end.value);
  }
  std::sort(places.begin(), places.end(), [&](Address a, Address b) { return distance(a, wanted) < distance(b, wanted); });
  return places;
}

}  // namespace

void Probes::check_target(Address address) const {
  const Module* module = find_module(modules_.modules(), address);
  std::string why;
  if (!module || !text_around(*module, address))
    why = "that is not code of a loaded file";
  else if (module->contains({shared_->agent_begin}))
    why = "that is callpath's own code inside the program";
  else if (module->path == "[vdso]")
    why = "the kernel's vdso cannot be written";
  else if (distance(address, {shared_->restorer}) < 16)
    why = "signal handlers, the probe's own too, return through it";
  if (!why.empty()) throw CannotProbe(fmt::format("no probe can be set at {:#x}: {}", address.value, why));
}

std::vector<pid_t> Probes::blocking_of_the_program() const {
  auto blocking = threads_blocking(pid_, SIGTRAP);
  auto in_handler = [&](pid_t tid) {
    return std::find(std::begin(shared_->inside), std::end(shared_->inside), tid) != std::end(shared_->inside);
  };
  blocking.erase(std::remove_if(blocking.begin(), blocking.end(), in_handler), blocking.end());
  return blocking;
}

void Probes::check_program() {
  std::uint32_t stop = shared_->stops.load();
  if (checked_at_stop_ == stop) return;  // Once a stop is enough.
  if (pid_t tracer = tracer_of(pid_))
    throw Error(fmt::format("the program is under a debugger (process {}): it would get the probes' traps", tracer),
                "Run it without the debugger, or use callpath's gdb commands: source gdb/load.py");
  // A thread may be on its way into or out of the agent's handler, or of libc's own short sections with all signals blocked: look again.
  constexpr int tries = 20;
  auto blocking = blocking_of_the_program();
  for (int i = 0; i < tries && !blocking.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    blocking = blocking_of_the_program();
  }
  if (!blocking.empty())
    throw Error(fmt::format("SIGTRAP is blocked in thread {}: a probe hit there would end the program", fmt::join(blocking, ", ")),
                "Unblock SIGTRAP before the probe's library is loaded (pthread_sigmask, signal.pthread_sigmask).");
  checked_at_stop_ = stop;
}

std::vector<std::uint8_t> Probes::original_bytes(Address address) const {
  const Module* module = find_module(modules_.modules(), address);
  const auto* text = text_around(*module, address);
  std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(instruction_limit, text->end.value - address.value));
  if (!memory_.read(address, bytes.data(), bytes.size()))
    throw Error(fmt::format("the program's text at {:#x} in {} cannot be read", address.value, module->path));
  cover(address, bytes.data(), bytes.size());
  return bytes;
}

void Probes::cover(Address from, std::uint8_t* bytes, std::size_t size) const {
  for (auto probe = in_text_.lower_bound(from.value); probe != in_text_.end() && probe->first < from.value + size; ++probe)
    bytes[probe->first - from.value] = entries_[probe->second].original;
}

bool UnprobedMemory::read(Address from, void* to, std::size_t size) const {
  if (!memory_.read(from, to, size)) return false;
  probes_.cover(from, static_cast<std::uint8_t*>(to), size);
  return true;
}

Address Probes::map_near(Address address) {
  for (Address place : free_places(read_mappings(pid_), address)) {
    place.value &= ~(page - 1);
    if (distance(place, address) > reach) break;
    if (channel_.map(place, region_size)) return place;
  }
  throw Error(fmt::format("no probe can be set at {:#x}: no free memory within 2 GB for a copy of its instruction", address.value));
}

Address Probes::slot_near(Address address) {
  auto usable = [&](const Region& region) { return region.next < region.end && distance(region.begin, address) < reach; };
  auto region = std::find_if(regions_.begin(), regions_.end(), usable);
  if (region == regions_.end()) {
    Address begin = map_near(address);
    regions_.push_back({begin, begin, begin + region_size});
    region = regions_.end() - 1;
  }
  Address slot = region->next;
  region->next = slot + slot_size;
  return slot;
}

void Probes::publish(Number number, const Displaced& displaced, Address slot, bool walks) {
  agent::Probe& probe = shared_->probes[number];
  probe.address = entries_[number].address.value;
  probe.stops.store(0);
  probe.walks = walks;
  probe.resume_kind = displaced.kind;
  probe.condition = displaced.condition;
  probe.pop = displaced.pop;
  probe.resume = slot.value;
  probe.target = displaced.target;
  probe.next = displaced.next;
  probe.operand = displaced.operand;
  std::uint32_t place = agent::probe_slot(probe.address);
  while (std::uint16_t taken = shared_->index[place].load()) {
    if (shared_->probes[taken - 1].address == probe.address) break;  // A dropped one at the same address gives way.
    place = (place + 1) % agent::probe_slots;
  }
  shared_->index[place].store(static_cast<std::uint16_t>(number + 1), std::memory_order_release);
  shared_->probe_count.store(number + 1);
}

Probes::Number Probes::add(Address address, bool walks) { return prepare(address, walks, agent::Role::stop, {}); }
Probes::Number Probes::add_entry(Address address) { return prepare(address, true, agent::Role::entry, {}); }
Probes::Number Probes::add_exit(Address address, AddressRange own) { return prepare(address, false, agent::Role::exit, own); }

Probes::Number Probes::prepare(Address address, bool walks, agent::Role role, AddressRange own) {
  if (const auto known = by_address_.find(address.value); known != by_address_.end()) {
    agent::Probe& probe = shared_->probes[known->second];
    if (walks) probe.walks = 1;
    if (role == agent::Role::stop) probe.role = role;
    return known->second;
  }
  check_target(address);
  if (entries_.size() == agent::max_probes)
    throw Error(fmt::format("more than {} places match the probes", agent::max_probes), "Use a narrower pattern.");
  auto bytes = original_bytes(address);
  // Calls and jumps are emulated: they need no room for a copy.
  Address slot = role == agent::Role::exit ? address : slot_near(address);
  Displaced displaced = displace(bytes.data(), bytes.size(), address, slot);
  if (role == agent::Role::exit && displaced.kind != agent::Resume::call && displaced.kind != agent::Resume::jump)
    throw CannotProbe(fmt::format("no call or jump stands at {:#x}", address.value));
  if (!displaced.code.empty()) memory_.write_text(slot, displaced.code.data(), displaced.code.size());
  entries_.push_back({address, identity(*find_module(modules_.modules(), address)), bytes[0]});
  auto number = static_cast<Number>(entries_.size() - 1);
  by_address_[address.value] = number;
  agent::Probe& probe = shared_->probes[number];
  probe.role = role;
  probe.own_begin = own.begin.value, probe.own_end = own.end.value;
  publish(number, displaced, slot, walks);
  return number;
}

void Probes::arm(Number number) {
  Entry& entry = entries_[number];
  if (entry.armed || entry.dropped) return;
  check_program();
  shared_->probes[number].passes.store(0);
  shared_->probes[number].stops.store(1, std::memory_order_release);
  memory_.write_text(entry.address, &breakpoint, 1);
  entry.armed = true;
  in_text_[entry.address.value] = number;
}

void Probes::disarm(Number number) {
  Entry& entry = entries_[number];
  if (!entry.armed) return;
  shared_->probes[number].stops.store(0, std::memory_order_release);
  memory_.write_text(entry.address, &entry.original, 1);
  entry.armed = false;
  in_text_.erase(entry.address.value);
}

void Probes::disarm_all() {
  for (Number i = 0; i < entries_.size(); ++i) disarm(i);
}

void Probes::drop_unloaded() {
  for (Number i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const Module* module = find_module(modules_.modules(), entry.address);
    if (entry.dropped || (module && identity(*module) == entry.module)) continue;
    shared_->probes[i].stops.store(0, std::memory_order_release);
    entry.armed = false;
    entry.dropped = true;
    in_text_.erase(entry.address.value);
    by_address_.erase(entry.address.value);
  }
}

}  // namespace callpath::session
