// Recordings of several events for profilers' viewers. Each event counts as one sample: what is shown is how often, not how long.
#pragma once

#include <iosfwd>

#include "record/record.hpp"

namespace callpath {

/// Brendan Gregg's folded stacks: "outer;inner count", equal stacks once, sorted.
void write_collapsed(std::ostream&, const Recording&);

/// speedscope's own format: a profile a thread, samples in the order of the events.
void write_speedscope(std::ostream&, const Recording&);

/// Chrome's trace events in JSON, which Perfetto's viewer opens: a track a thread, a slice a frame; event i spans millisecond i. A frame
/// that stays from one event to the next is one slice.
void write_perfetto(std::ostream&, const Recording&);

}  // namespace callpath
