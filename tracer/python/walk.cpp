#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "python/frames.hpp"
#include "python/objects.hpp"
#include "python/thread_states.hpp"

// A thread's Python frames: one run for each evaluation, from its current frame out to the frame that was entered by C. 3.11 ties a run to
// its evaluation by the _PyCFrame, later versions by the shim frame.
namespace callpath {
namespace {

constexpr std::size_t most_runs = 1'000'000, most_frames = 10'000'000;

class StackReader {
 public:
  StackReader(const Interpreter& interpreter, const Memory& memory)
      : interpreter_(interpreter),
        memory_(memory),
        version_(*find_version(interpreter.hex_version)),
        layout_(*version_.layout),
        objects_(memory, version_, interpreter.code_type) {}

  PythonStack read(std::int64_t tid);

 private:
  /// What a frame holds, copied in one read.
  struct RawPythonFrame {
    Address code, previous, instruction;
    bool entry = false;  ///< 3.11: C entered the evaluation with it.
    std::uint8_t owner = 0;
  };

  void read_runs(Address thread);
  void read_runs_by_cframe(Address thread);
  void read_runs_by_shim(Address thread);
  bool read_run(Address frame, PythonRun& run);
  std::optional<RawPythonFrame> read_frame(Address) const;
  void add_frame(Address, const RawPythonFrame&, PythonRun&);
  std::string owner_name(std::uint8_t) const;
  void note(const std::string& text) { stack_.note += (stack_.note.empty() ? "" : "; ") + text; }

  const Interpreter& interpreter_;
  const Memory& memory_;
  const PythonVersion& version_;
  const callpath_python_layout& layout_;
  ObjectReader objects_;
  PythonStack stack_;
  std::unordered_set<std::uint64_t> visited_;
  std::size_t frames_ = 0;
};

std::optional<StackReader::RawPythonFrame> StackReader::read_frame(Address at) const {
  std::vector<std::uint8_t> bytes(layout_.frame_size);
  if (!at || at.value % 8 || !memory_.read(at, bytes.data(), bytes.size())) return std::nullopt;
  RawPythonFrame frame;
  std::memcpy(&frame.code.value, &bytes[layout_.frame_code], 8);
  std::memcpy(&frame.previous.value, &bytes[layout_.frame_previous], 8);
  std::memcpy(&frame.instruction.value, &bytes[layout_.frame_instruction], 8);
  frame.entry = !layout_.has_shims && bytes[layout_.frame_is_entry] != 0;
  frame.owner = bytes[layout_.frame_owner];
  return frame;
}

std::string StackReader::owner_name(std::uint8_t owner) const {
  if (owner == layout_.owner_thread) return "thread";
  if (owner == layout_.owner_generator) return "generator";
  if (owner == layout_.owner_frame_object) return "frame object";
  return "unknown";
}

// A frame that is still being entered is left out, as the public API leaves it out (_PyFrame_IsIncomplete).
void StackReader::add_frame(Address at, const RawPythonFrame& raw, PythonRun& run) {
  const auto* const code = objects_.code(raw.code);
  if (!code) return note(fmt::format("the frame at {:#x} has no readable code object", at.value));
  const auto offset = static_cast<std::int64_t>(raw.instruction.value - code->first_instruction.value);
  if (raw.owner != layout_.owner_generator && offset < 2 * std::int64_t{code->first_traceable})
    return note(fmt::format("{} is being entered", code->info.qualname));
  if (offset < -2 || offset >= static_cast<std::int64_t>(code->info.bytecode.size()) + 2)
    note(fmt::format("{} stands outside its own code", code->info.qualname));
  PythonFrame frame{at, code->info, offset < 0 ? -1 : static_cast<int>(offset), raw.entry, owner_name(raw.owner)};
  if (offset >= static_cast<std::int64_t>(code->info.bytecode.size())) frame.instruction_offset = -1;
  run.frames.push_back(std::move(frame));
}

// False if the run does not end as it should, so that what lies outward of it cannot be trusted.
bool StackReader::read_run(Address at, PythonRun& run) {
  while (at) {
    if (++frames_ > most_frames) return note("more frames than can be read: the outer ones are left out"), false;
    if (!visited_.insert(at.value).second)
      return note(fmt::format("the frame at {:#x} was met twice: its links run in a circle", at.value)), false;
    const auto raw = read_frame(at);
    if (!raw) return note(fmt::format("the frame at {:#x} cannot be read", at.value)), false;
    add_frame(at, *raw, run);
    if (raw->entry) return true;
    at = raw->previous;
  }
  return true;
}

void StackReader::read_runs(Address thread) {
  if (layout_.has_shims)
    read_runs_by_shim(thread);
  else
    read_runs_by_cframe(thread);
}

// One chain of frames through the thread; each evaluation's frames end with its shim, which is a C local of the evaluation. A shim may be
// the newest frame: its evaluation is then just starting or ending and runs no Python frame.
void StackReader::read_runs_by_shim(Address thread) {
  std::optional<Address> at;
  if (layout_.thread_current_frame) {
    at = memory_.pointer(thread + layout_.thread_current_frame);
  } else {
    const auto cframe = memory_.pointer(thread + layout_.thread_cframe);
    at = cframe ? memory_.pointer(*cframe + layout_.cframe_current_frame) : std::nullopt;
  }
  if (!at) return note("the newest frame cannot be read");
  PythonRun run;
  while (*at) {
    if (++frames_ > most_frames) return note("more frames than can be read: the outer ones are left out");
    if (!visited_.insert(at->value).second)
      return note(fmt::format("the frame at {:#x} was met twice: its links run in a circle", at->value));
    const auto raw = read_frame(*at);
    if (!raw) return note(fmt::format("the frame at {:#x} cannot be read", at->value));
    if (raw->owner == layout_.owner_shim) {
      run.anchor = *at;
      if (!run.frames.empty()) run.frames.back().entry = true;
      stack_.runs.push_back(std::move(run));
      run = {};
    } else {
      add_frame(*at, *raw, run);
    }
    at = raw->previous;
  }
  if (!run.frames.empty()) note("the outermost frames belong to no evaluation");
}

void StackReader::read_runs_by_cframe(Address thread) {
  auto cframe = memory_.pointer(thread + layout_.thread_cframe);
  for (std::size_t i = 0; cframe && *cframe && i < most_runs; ++i) {
    const auto current = memory_.pointer(*cframe + layout_.cframe_current_frame);
    const auto previous = memory_.pointer(*cframe + layout_.cframe_previous);
    if (!current || !previous) return note(fmt::format("the C frame record at {:#x} cannot be read", cframe->value));
    // The outermost record belongs to the thread state itself and runs nothing.
    if (!*previous && !*current) return;
    PythonRun run{*cframe, {}};
    const bool sound = read_run(*current, run);
    if (!run.frames.empty() || sound) stack_.runs.push_back(std::move(run));
    if (!sound) return;
    cframe = previous;
  }
}

PythonStack StackReader::read(std::int64_t tid) {
  stack_.version = version_text(interpreter_.hex_version);
  stack_.build = interpreter_.debug ? "debug" : "release";
  const auto states = find_thread_states(interpreter_, layout_, memory_, tid);
  const auto& threads = states.threads;
  stack_.found = !threads.empty();
  for (const Address thread : threads) {
    const std::size_t before = stack_.runs.size();
    read_runs(thread);
    if (!is_state_of(layout_, memory_, thread, tid)) stack_.runs.resize(before);  // A new thread that has begun meanwhile.
  }
  if (threads.empty()) stack_.note = states.torn ? "the list of Python's threads could not be read whole" : "no Python thread state";
  // Anchors lie on one C stack, which grows downwards: order by address is order of calls, across interpreters too.
  std::stable_sort(stack_.runs.begin(), stack_.runs.end(), [](const PythonRun& a, const PythonRun& b) { return a.anchor < b.anchor; });
  return std::move(stack_);
}

}  // namespace

PythonStack read_python_stack(const Interpreter& interpreter, const Memory& memory, std::int64_t tid) {
  if (interpreter.supported) return StackReader(interpreter, memory).read(tid);
  PythonStack stack;
  stack.version = version_text(interpreter.hex_version);
  stack.build = interpreter.debug ? "debug" : "release";
  stack.note = interpreter.why_not;
  return stack;
}

std::optional<std::string> read_python_text(const Interpreter& interpreter, const Memory& memory, Address object) {
  if (!interpreter.supported) return std::nullopt;
  return ObjectReader(memory, *find_version(interpreter.hex_version), interpreter.code_type).text(object);
}

RawCode raw_code(const PythonFrame& frame, std::uint32_t hex_version) {
  const CodeInfo& code = frame.code;
  return {code.bytecode, code.line_table, code.first_line, code.names, frame.instruction_offset, hex_version};
}

}  // namespace callpath
