#include "python/live.hpp"

#include "python/thread_states.hpp"
#include "python/versions.hpp"

namespace callpath {
namespace {

constexpr std::size_t most_shims = 10'000;

}  // namespace

LivePython::LivePython(const Interpreter& interpreter, const Memory& memory, std::int64_t tid)
    : interpreter_(interpreter), memory_(memory) {
  const auto threads = find_thread_states(interpreter, *find_version(interpreter.hex_version)->layout, memory, tid).threads;
  if (!threads.empty()) thread_ = threads.back();  // The innermost interpreter's, below a call into a subinterpreter.
}

std::optional<Address> LivePython::newest() const {
  const auto& layout = *find_version(interpreter_.hex_version)->layout;
  if (!thread_) return std::nullopt;
  if (layout.thread_current_frame) return memory_.pointer(thread_ + layout.thread_current_frame);
  const auto cframe = memory_.pointer(thread_ + layout.thread_cframe);
  return cframe ? memory_.pointer(*cframe + layout.cframe_current_frame) : std::nullopt;
}

std::optional<Address> LivePython::current_frame() const {
  const auto& layout = *find_version(interpreter_.hex_version)->layout;
  auto frame = newest();
  for (std::size_t i = 0; layout.has_shims && frame && *frame && i < most_shims; ++i) {
    if (memory_.get<std::uint8_t>(*frame + layout.frame_owner) != layout.owner_shim) break;
    frame = memory_.pointer(*frame + layout.frame_previous);
  }
  return frame && *frame ? frame : std::nullopt;
}

std::optional<FramePlace> LivePython::place(Address frame) const {
  const auto& layout = *find_version(interpreter_.hex_version)->layout;
  const auto code = memory_.pointer(frame + layout.frame_code), instruction = memory_.pointer(frame + layout.frame_instruction);
  if (!code || !instruction) return std::nullopt;
  const auto offset = static_cast<std::int64_t>(instruction->value - code->value - layout.code_bytes);
  return FramePlace{*code, offset < -2 || offset > (std::int64_t{1} << 30) ? -1 : static_cast<int>(offset)};
}

bool LivePython::runs(Address wanted, std::size_t depth) const {
  const auto& layout = *find_version(interpreter_.hex_version)->layout;
  auto frame = newest();
  for (std::size_t i = 0; frame && *frame; ++i) {
    if (*frame == wanted || i == depth) return true;
    frame = memory_.pointer(*frame + layout.frame_previous);
  }
  return false;
}

}  // namespace callpath
