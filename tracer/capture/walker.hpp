// Walks from registers.
#pragma once

#include "capture/capture.hpp"
#include "capture/row.hpp"
#include "capture/stack_reach.hpp"

namespace callpath::capture {

/// As `walk`, the frames written as points. `interrupted` is null for a frame that called.
Walk walk_points(const FrameRegisters& from, const ucontext_t* interrupted, Point* points, std::size_t capacity);

/// This thread's, kept between walks; a handler may walk while another walk of the thread is under way.
StackReach kept_reach();
void keep_reach(const StackReach&);

}  // namespace callpath::capture
