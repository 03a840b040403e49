// Merged stacks of the process itself by the parts that a recording is made of: the walk, the reading of Python frames from memory, the
// merge. tests/data/nests loads it into the interpreter under test.
#include "../../data/nests/nest_capture.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <mutex>
#include <unordered_map>

#include "api/python_places.hpp"
#include "capture/capture.hpp"
#include "capture/merged.hpp"
#include "merge/merge.hpp"
#include "python/frames.hpp"

using namespace callpath;

namespace {

/// Through the kernel: a wrong address is an answer, no fault.
class OwnMemory : public Memory {
 public:
  bool read(Address from, void* to, std::size_t size) const override {
    iovec local{to, size}, remote{reinterpret_cast<void*>(from.value), size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  }
};

std::vector<Module> loaded_modules() {
  std::vector<Module> modules;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        Module module;
        module.path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        module.bias = info->dlpi_addr;
        static_cast<std::vector<Module>*>(data)->push_back(module);
        return 0;
      },
      &modules);
  return modules;
}

const OwnMemory memory;

const Interpreter& interpreter() {
  static const auto modules = loaded_modules();
  static const auto found = find_interpreter(modules, memory);
  return *found;
}

RawStack native_stack(std::size_t most) {
  std::vector<capture::Frame> frames(most);
  const auto walk = capture::walk_here(frames.data(), frames.size());
  RawStack stack;
  stack.tid = syscall(SYS_gettid);
  stack.complete = walk.end == capture::End::reached_start;
  stack.incomplete_reason = capture::text(walk.end);
  for (std::size_t i = 0; i < walk.count; ++i) {
    RawFrame raw;
    raw.pc = {frames[i].pc};
    raw.sp = {frames[i].sp};
    raw.cfa = {frames[i].cfa};
    stack.frames.push_back(raw);
  }
  return stack;
}

/// What the entries' texts point into.
thread_local PythonStack python;
thread_local std::string note;
std::mutex refreshing;

nest_entry entry_of(const MergedEntry& merged, const RawStack& native) {
  const RawFrame& raw = native.frames[merged.native];
  const bool is_python = merged.what == MergedEntry::What::python;
  nest_entry entry{is_python, raw.pc.value, raw.sp.value, raw.cfa.value, "", ""};
  if (!is_python) return entry;
  const CodeInfo& code = python.runs[merged.run].frames[merged.frame].code;
  entry.name = code.qualname.c_str();
  entry.file = code.file.c_str();
  return entry;
}

/// The state that runs in this thread: that of its interpreter, or, without the GIL, that of the main one.
const void* thread_state() {
  using Get = const void* (*)();
  static const auto find = [](const char* name) { return reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, name)); };
  static const Get by_thread = find("PyGILState_GetThisThreadState");
  static const Get current = find("PyThreadState_GetUnchecked") ? find("PyThreadState_GetUnchecked") : find("_PyThreadState_UncheckedGet");
  const void* mine = by_thread();
  if (!mine) return nullptr;
  const void* running = current ? current() : nullptr;  // 3.11 tells of whoever holds the GIL
  const std::size_t id = find_version(interpreter().hex_version)->layout->thread_native_id;
  const auto tid = running ? memory.get<std::uint64_t>(Address{reinterpret_cast<std::uint64_t>(running)} + id) : std::nullopt;
  return tid == static_cast<std::uint64_t>(syscall(SYS_gettid)) ? running : mine;
}

/// The same by the capture that needs no reading of memory from outside: each Python frame must be there, in the same native frame.
bool fast_capture_agrees(const RawStack& native, const Merged& merged) {
  static thread_local std::vector<capture::Point> points(1 << 16);
  static thread_local std::vector<capture::PythonPoint> pythons(1 << 16);
  static const auto places = api::python_places(interpreter());
  const auto walk = capture::trace_merged_here(*places, thread_state(), points.data(), points.size(), pythons.data(), pythons.size());
  std::unordered_map<std::uint64_t, const capture::PythonPoint*> by_frame;
  for (std::size_t i = 0; i < walk.python_count; ++i) by_frame[pythons[i].frame] = &pythons[i];
  std::size_t found = 0;
  for (const auto& one : merged.order) {
    if (one.what != MergedEntry::What::python) continue;
    const PythonFrame& frame = python.runs[one.run].frames[one.frame];
    const auto fast = by_frame.find(frame.address.value);
    if (fast == by_frame.end()) continue;  // Of the interpreter that entered this one, or of a state in another thread's hands.
    ++found;
    const auto& point = *fast->second;
    if (point.native == capture::PythonPoint::nowhere || points[point.native].sp() != native.frames[one.native].sp.value) return false;
    if (point.code != frame.code.object.value) return false;
  }
  return walk.python_whole && (walk.python_count == 0 || found > 0 || python.runs.empty());
}

/// What a reader may say of a stack that it read whole.
bool harmless(const std::string& said) {
  return said.empty() || said == "no Python thread state" || said.find(" is being entered") != std::string::npos;
}

}  // namespace

/// How many entries the merged stack has, innermost first; -1 if the stacks could not be merged whole. `complete`: as far as the thread's
/// start.
extern "C" int capture_nest(nest_entry* entries, int most, const char** why, int* complete) {
  {
    const std::lock_guard one(refreshing);
    capture::refresh_modules();
  }
  const RawStack native = native_stack(static_cast<std::size_t>(most));
  python = read_python_stack(interpreter(), memory, native.tid);
  const Merged merged = merge_by_address(native, python);
  note = python.note + "; " + merged.note + (native.complete ? "" : "; " + native.incomplete_reason);
  *why = note.c_str();
  *complete = native.complete;
  if (!merged.merged || !merged.note.empty() || !harmless(python.note)) return -1;
  if (!fast_capture_agrees(native, merged)) {
    note += "; the fast capture differs";
    *why = note.c_str();
    return -1;
  }
  int count = 0;
  for (const auto& one : merged.order)
    if (count < most) entries[count++] = entry_of(one, native);
  return count;
}
