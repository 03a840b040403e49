// A path in stages: the longest runs of frames of one layer, as every view shows them. Pure functions over the record.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace callpath {

/// The four worlds that a path runs through; the value is the lane of the line.
enum class World { python = 0, cpython = 1, cpp = 2, kernel = 3 };

/// What a row's colour says.
enum class Tone { python, cpython, work, binding, dispatch, kernel, unknown };

struct Stage {
  Layer layer = Layer::unknown;
  std::vector<std::size_t> frames;     ///< Indices into Event::frames, innermost first. Never empty.
  std::size_t key = 0;                 ///< The frame that names the stage: an index into Event::frames.
  std::optional<int> lowest, highest;  ///< gdb's numbers; none if every frame of it is elided.
  int count = 0;                       ///< Frames that stand on the stack: Python frames apart, elided ones not.
  int python_count = 0;
  bool folded = false;     ///< Shown as one thin row.
  bool elided = false;     ///< Ran, but left no frame.
  bool innermost = false;  ///< Holds the frame at which the program was stopped.
  int repeats = 1;         ///< This stage and the ones outside it stand for so many rounds of a recursion.
  World world = World::cpp;
  Tone tone = Tone::unknown;
};

/// Stages innermost first; every frame is in exactly one. A Python frame is in one stage with the evaluation frame that runs it. C++
/// plumbing (glue) belongs to the stage it leads into, or, around the innermost frame, to the stage that it was called from. Evaluation
/// frames without a Python frame count as protocol; what stands between two import frames counts as import. Each Python frame of the
/// reader's own code begins a stage of its own, though one evaluation may run several of them.
std::vector<Stage> stages_of(const Event&, const Recording&);

/// "6–8", "18", or "–" for what left no frame.
std::string number_range(const Stage&, std::string_view dash = "–");

Tone tone_of(const Frame&);
std::string to_string(Tone);
std::string to_string(World);

/// Index of the innermost Python frame of the reader's own code, if there is one.
std::optional<std::size_t> user_frame(const Event&);

}  // namespace callpath
