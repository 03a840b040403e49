#include "api/own_process.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "annotate/annotate.hpp"
#include "core/cpu_name.hpp"
#include "session/assemble.hpp"
#include "session/process.hpp"

namespace callpath::api {
namespace {

constexpr int saved_numbers[] = {3, 6, 12, 13, 14, 15};  // rbx rbp r12..r15 in DWARF's order

void set(Registers& registers, int number, std::uint64_t value) {
  registers.value[static_cast<std::size_t>(number)] = value;
  registers.known |= 1u << number;
}

}  // namespace

bool OwnMemory::read(Address from, void* to, std::size_t size) const {
  iovec local{to, size}, remote{reinterpret_cast<void*>(from.value), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

namespace {
std::mutex& mutex_of_process() {
  static std::mutex mutex;
  // A child forked while another thread held it would wait for ever.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { new (&mutex) std::mutex; });
  (void)registered;
  return mutex;
}
}  // namespace

std::unique_lock<std::mutex> OwnProcess::use() { return std::unique_lock(mutex_of_process()); }

OwnProcess& OwnProcess::get() {
  // Never destroyed: what its end would use may be gone by then, and other threads may still be in it.
  static OwnProcess* own = nullptr;
  static pid_t of = 0;
  if (!own || of != getpid()) own = new OwnProcess(), of = getpid();
  return *own;
}

OwnProcess::OwnProcess() : table_(getpid(), memory_), start_directory_(std::filesystem::current_path().string()) {}

std::optional<capture::PythonPlaces> OwnProcess::python() {
  refresh();
  const auto interpreter = find_interpreter(table_.modules(), memory_);
  return interpreter ? python_places(*interpreter) : std::nullopt;
}

void OwnProcess::add(Recording& recording, const RawStack& stack, const std::string& label, const std::string& beyond) {
  refresh();
  const auto tid = static_cast<pid_t>(stack.tid);
  const session::Observed observed{stack,
                                   table_.modules(),
                                   memory_,
                                   symbols_,
                                   tables_,
                                   [] { return session::heap_of(getpid()); },
                                   session::thread_name(getpid(), tid),
                                   start_directory_};
  Recording one;  // Annotating is for all events of a recording: the earlier ones have been.
  one.target = recording.target;
  one.modules = std::move(recording.modules);
  Event& event = session::add_event(one, observed, {"manual", label, ""});
  if (!beyond.empty()) leave_out_inward(event, beyond);
  annotate(one);
  recording.target = std::move(one.target);
  recording.modules = std::move(one.modules);
  recording.events.push_back(std::move(one.events.front()));
}

RawStack raw_stack(const capture::Frame* frames, std::size_t count, capture::End end) {
  RawStack stack;
  stack.tid = syscall(SYS_gettid);
  stack.complete = end == capture::End::reached_start;
  if (!stack.complete) stack.incomplete_reason = capture::text(end);
  for (std::size_t i = 0; i < count; ++i) {
    RawFrame raw;
    raw.pc = {frames[i].pc};
    raw.exact_pc = frames[i].exact_pc != 0;
    raw.sp = {frames[i].sp};
    raw.cfa = {frames[i].cfa};
    for (int r = 0; r < capture::Frame::saved_count; ++r) set(raw.registers, saved_numbers[r], frames[i].saved[r]);
    set(raw.registers, Registers::rsp, frames[i].sp);
    set(raw.registers, Registers::rip, frames[i].pc);
    stack.frames.push_back(raw);
  }
  return stack;
}

void describe_target(Recording& recording) {
  recording.producer = {"callpath", CALLPATH_VERSION, "process"};
  recording.target.argv = session::arguments_of(getpid());
  recording.target.executable = session::proc_link(getpid(), "exe");
  recording.target.cpu = cpu_name();
}

void leave_out_inward(Event& event, const std::string& file) {
  const auto is_ours = [&](const Frame& f) { return f.kind == Kind::python && f.source && f.source->file == file; };
  const auto outermost = std::find_if(event.frames.rbegin(), event.frames.rend(), is_ours);
  if (outermost == event.frames.rend()) return;
  const int count = static_cast<int>(event.frames.rend() - outermost);
  event.frames.erase(event.frames.begin(), event.frames.begin() + count);
  std::vector<Fact> kept;
  for (auto& fact : event.facts)
    if (fact.frame >= count) fact.frame -= count, kept.push_back(std::move(fact));
  event.facts = std::move(kept);
}

}  // namespace callpath::api
