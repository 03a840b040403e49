// A thread's native and Python frames in one go, as numbers: which evaluation runs which Python frame is told by addresses alone.
#pragma once

#include "capture/capture.hpp"

namespace callpath::capture {

/// Where an interpreter keeps what the capture needs, in bytes; what a version does not have is 0.
struct PythonPlaces {
  std::uint32_t thread_cframe = 0, thread_current_frame = 0;    ///< Up to 3.12 the newest C frame record, from 3.13 the newest frame.
  std::uint32_t cframe_current_frame = 0, cframe_previous = 0;  ///< Up to 3.12.
  std::uint32_t frame_code = 0, frame_previous = 0, frame_instruction = 0, frame_is_entry = 0, frame_owner = 0;
  std::uint8_t has_shims = 0, owner_shim = 0;  ///< From 3.12: a frame without code stands for each evaluation.
};

/// One Python frame. Names come later: the code object lives as long as the frame runs.
struct PythonPoint {
  static constexpr std::uint32_t nowhere = ~0u;
  std::uint64_t frame = 0, code = 0, instruction = 0;
  std::uint32_t native = nowhere;  ///< Index of the native frame that runs it.
  std::uint32_t owner = 0;
};

struct MergedWalk {
  Walk native;
  std::size_t python_count = 0;
  bool python_whole = false;  ///< All Python frames fit, and each was placed.
};

/// From the caller outward. `thread_state` is the calling thread's PyThreadState; null: no Python frames, which is whole. Allocates
/// nothing, takes no lock, needs no GIL: a thread's own frames stay where they are while it is here.
MergedWalk trace_merged_here(const PythonPlaces&, const void* thread_state, Point* points, std::size_t capacity, PythonPoint* pythons,
                             std::size_t python_capacity);

}  // namespace callpath::capture
