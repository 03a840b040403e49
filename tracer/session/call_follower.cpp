#include "session/call_follower.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

namespace callpath::session {
namespace {

// After so many entries in one operation a function's probe is taken out: what it calls is known by then.
constexpr int most_entries = 8, most_entries_of_interpreter = 4;

constexpr std::array<std::string_view, 11> runtime_files = {"libc.so",   "libc-2.",   "ld-linux",   "libpthread", "libgcc_s",   "libstdc++",
                                                            "libc++.so", "libc++abi", "libasan.so", "libtsan.so", "libubsan.so"};

bool is_runtime(const Module& module) {
  const auto name = module.name();
  if (module.path == "[vdso]") return true;
  for (const auto file : runtime_files)
    if (name.rfind(file, 0) == 0) return true;
  return false;
}

}  // namespace

CodeKind CallFollower::kind(const Module& module) {
  const auto known = kinds_.find(module.path);
  if (known != kinds_.end()) return known->second;
  auto kind = is_runtime(module) || module.contains({shared_->agent_begin}) ? CodeKind::runtime : CodeKind::other;
  if (module.contains(interpreter_)) kind = CodeKind::interpreter;
  return kinds_[module.path] = kind;
}

void CallFollower::begin(pid_t thread, Address function, Address interpreter) {
  interpreter_ = interpreter;
  evaluation_ = function;
  shared_->followed_thread.store(thread);
  next_operation();
  for (const auto& [number, entry] : entries_)
    if (!too_busy_.count(number)) probes_.arm(number);
  for (const Number number : exits_)
    if (!too_busy_.count(number)) probes_.arm(number);
  wanted_.insert(function.value);
  look_into(function);
}

void CallFollower::end() {
  shared_->followed_thread.store(0);
  for (const auto& [number, entry] : entries_) take_out(number);
  for (const Number number : exits_) take_out(number);
}

// A probe that others have set at the same place stays.
void CallFollower::take_out(Number number) {
  if (shared_->probes[number].role != agent::Role::stop) probes_.disarm(number);
}

void CallFollower::next_operation() {
  counts_.clear();
  count_at_.clear();
  for (const Number number : exhausted_) probes_.arm(number);
  exhausted_.clear();
}

std::optional<Address> CallFollower::on_hit(Number number) {
  if (shared_->stop.busy) {
    too_busy_.insert(number);
    take_out(number);
    skip("not followed where it ran very often without news", entries_.count(number) ? "functions in other threads" : "indirect calls");
    return std::nullopt;
  }
  const auto found = entries_.find(number);
  if (found == entries_.end()) {
    const Linked linked = follow_linkage(memory_, {shared_->stop.target});
    if (linked.unbound)
      look_into_resolver(linked.resolver);
    else
      want_entry(linked.target);
    return std::nullopt;
  }
  const Entry entry = found->second;
  look_into(entry.function);
  if (entry.part) {
    exhausted_.insert(number);
    take_out(number);
    return std::nullopt;
  }
  auto [at, is_new] = count_at_.try_emplace(entry.function.value, counts_.size());
  if (is_new) counts_.push_back({entry.function});
  Count& count = counts_[at->second];
  const Module* module = find_module(modules_.modules(), entry.function);
  const bool of_interpreter = module && kind(*module) == CodeKind::interpreter;
  if (++count.entered == (of_interpreter ? most_entries_of_interpreter : most_entries)) {
    count.more = true;
    exhausted_.insert(number);
    take_out(number);
  }
  return entry.function;
}

void CallFollower::look_into(Address function) {
  if (looked_into_.count(function.value)) return;
  looked_into_.insert(function.value);
  const LoadedModule* loaded = modules_.find(function);
  const auto range = loaded ? function_around(memory_, loaded->range, function) : std::nullopt;
  if (!range) return;
  if (range->begin != function && !looked_into_.insert(range->begin.value).second) return;
  const FunctionCode code = read_function(memory_, *range);
  if (!code.problem.empty())
    skip("callees not followed: " + code.problem, symbols_.at(loaded->module, loaded->module.offset(function)).back().name);
  for (const auto& exit : code.exits) {
    if (!exit.target) {
      // The evaluation's own jumps go from one bytecode instruction to the next.
      if (!(exit.jumps && function == evaluation_)) want_exit(exit, *range);
      continue;
    }
    const Linked linked = follow_linkage(memory_, *exit.target);
    if (linked.unbound)
      look_into_resolver(linked.resolver);
    else
      want_entry(linked.target);
  }
}

/// The loader finds the function at its first call and jumps there.
void CallFollower::look_into_resolver(Address resolver) {
  if (!looked_into_.insert(resolver.value).second) return;
  const LoadedModule* loaded = modules_.find(resolver);
  const auto range = loaded ? function_around(memory_, loaded->range, resolver) : std::nullopt;
  if (!range) return skip("first calls through the linkage table are not followed", "the loader's resolver has no unwind table");
  for (const auto& exit : read_function(memory_, *range).exits)
    if (exit.jumps && !exit.target) want_exit(exit, *range);
}

void CallFollower::want_exit(const Exit& exit, AddressRange own) {
  try {
    const Number number = probes_.add_exit(exit.at, own);
    exits_.insert(number);
    probes_.arm(number);
  } catch (const Error&) {
    skip("indirect calls where no probe can stand", fmt::format("{:#x}", exit.at.value));
  }
}

Address CallFollower::place_for(const LoadedModule& loaded, Address function) {
  if (kind(loaded.module) == CodeKind::interpreter || symbols_.level(loaded.module) != DebugLevel::full) return function;
  const auto found = symbols_.function(loaded.module, loaded.module.offset(function));
  const Address place = loaded.module.address(found.after_prologue);
  const auto range = function_around(memory_, loaded.range, function);
  return range && range->holds(place) ? place : function;
}

void CallFollower::want_entry(Address target) {
  if (!target || !wanted_.insert(target.value).second) return;
  std::uint32_t slot = agent::probe_slot(target.value);
  while (shared_->known[slot].load()) slot = (slot + 1) % agent::probe_slots;
  if (wanted_.size() < agent::probe_slots - 1024) shared_->known[slot].store(target.value, std::memory_order_release);
  const LoadedModule* loaded = modules_.find(target);
  if (!loaded) return skip("code in no file", fmt::format("{:#x}", target.value));
  if (kind(loaded->module) == CodeKind::runtime) return skip("run at full speed", loaded->module.name());
  const auto range = function_around(memory_, loaded->range, target);
  if (!range)
    return skip("no unwind table tells their extent", fmt::format("{}+{:#x}", loaded->module.name(), loaded->module.offset(target).value));
  try {
    const bool part = range->begin != target;
    const Number number = probes_.add_entry(part ? target : place_for(*loaded, target));
    entries_.emplace(number, Entry{target, part});
    probes_.arm(number);
  } catch (const Error&) {
    skip("no probe can stand there", symbols_.at(loaded->module, loaded->module.offset(target)).back().name);
    look_into(target);
  }
}

std::vector<std::string> CallFollower::skipped() const {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> all;
  for (const auto& [reason, what] : skipped_) {
    std::vector<std::string> named(what.begin(), what.end());
    const std::size_t left_out = named.size() > most_named ? named.size() - most_named : 0;
    named.resize(named.size() - left_out);
    all.push_back(fmt::format("{}{}: {}", fmt::join(named, ", "), left_out ? fmt::format(" and {} more", left_out) : "", reason));
  }
  return all;
}

}  // namespace callpath::session
