// Our walks and libgcc's from one place.
#pragma once

#include <gtest/gtest.h>
#include <unwind.h>

#include <cstdint>
#include <iterator>
#include <vector>

#include "capture/capture.hpp"

namespace capture = callpath::capture;
using Pcs = std::vector<std::uint64_t>;

_Unwind_Reason_Code add_pc(_Unwind_Context*, void* pcs);

/// libgcc adds one entry with pc 0 behind the outermost frame on some starts.
Pcs without_zero_end(Pcs);

/// Of the last walk of this thread.
extern thread_local std::vector<capture::Frame> frame_buffer;

struct Both {
  Pcs ours, traced, libgcc;
  capture::Walk walk;
};

/// Walks from one frame. The innermost frame differs (several calls on several lines): it is compared by its caller onward.
Both both_from_here();

void expect_same(const Both&, std::size_t at_least);
