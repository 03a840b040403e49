// Loops on several threads. Ranges are cut into chunks whose size depends on the range alone, so that results do not depend on how many
// threads there are.
#pragma once

#include <cstdint>

#include "core/function_ref.h"

namespace tensorlib {

/// Threads that parallel_for uses, the calling one included: until set_num_threads, as many as the process may run on at once, or what
/// OMP_NUM_THREADS says.
int get_num_threads();
/// From 1 on; raises Error on less. Takes effect with the next loop.
void set_num_threads(int threads);
/// Whether this thread is running a chunk: loops in it stay on it.
bool in_parallel_region();
/// 0 for the thread that started the loop, 1, 2, ... for its helpers.
int get_thread_num();

/// f(begin', end') for chunks of grain_size numbers (the last one shorter) that make up [begin, end), in any order and on any thread;
/// returns when all are done. The first exception that a chunk throws is thrown here, after the chunks that had begun; the others are not
/// begun.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain_size, function_ref<void(std::int64_t, std::int64_t)> f);

}  // namespace tensorlib
