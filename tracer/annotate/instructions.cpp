#include "annotate/parts.hpp"
#include "python/frames.hpp"

namespace callpath {

void decode_instructions(Event& event) {
  for (auto& frame : event.frames) {
    if (!frame.python || !frame.python->code) continue;
    const RawCode& code = *frame.python->code;
    if (!can_decode(code.hex_version)) continue;
    frame.python->first_line = code.first_line;
    frame.python->instruction = decode_instruction(code, code.instruction_offset);
    // The line belongs to the instruction: no line table, no line.
    if (frame.source && frame.python->instruction) frame.source->line = frame.python->instruction->line;
  }
}

void find_operations(Event& event) {
  const auto user = innermost_user_frame(event);
  if (!user) return;
  const Frame& frame = event.frames[*user];
  if (!frame.python || !frame.python->code) return;
  const Excerpt* const source = frame.source && frame.source->excerpt ? &*frame.source->excerpt : nullptr;
  event.operations = operations_of_statement(*frame.python->code, frame.python->code->instruction_offset, source);
}

void drop_raw_code(Event& event) {
  for (auto& frame : event.frames)
    if (frame.python) frame.python->code.reset();
}

}  // namespace callpath
