/* Which call a worker thread is working for. A C header of its own: any tool may read it, nothing of the engine is needed.
 *
 * Every thread of a process that has libtensorlib.so loaded holds one struct under the symbol `tensorlib_parallel_token`, in thread-local
 * storage: dlsym() gives the calling thread's, a debugger finds another thread's by that name. While a worker runs a chunk of a parallel
 * loop, `region` is not 0 and the other members say who started the loop. That thread stands in its frame of parallel_for until the loop is
 * done, so its stack, taken at the same stop, is the rest of the worker's path: the frame whose canonical frame address is `parent_frame` is
 * the one that the worker's chunk would have been called from. A thread that runs chunks of its own loop has `region` set too, with itself
 * as parent. Outside of parallel loops everything but `version` is 0.
 *
 * A thread's struct is written by that thread alone, `region` last on entry and first on exit. */
#ifndef TENSORLIB_PARALLEL_TOKEN_H
#define TENSORLIB_PARALLEL_TOKEN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENSORLIB_PARALLEL_TOKEN_VERSION 1

struct tensorlib_parallel_token {
  uint32_t version;       /* TENSORLIB_PARALLEL_TOKEN_VERSION; members are only ever added at the end */
  uint32_t size;          /* sizeof(struct tensorlib_parallel_token) */
  uint64_t region;        /* number of the loop in this process, from 1; 0: not in one */
  int64_t parent_tid;     /* kernel's number (gettid) of the thread that started the loop */
  uint64_t parent_frame;  /* canonical frame address of its frame of tensorlib::parallel_for */
  int64_t begin;          /* the chunk that runs: first number, */
  int64_t end;            /* one past the last */
};

#ifdef __cplusplus
extern __thread struct tensorlib_parallel_token tensorlib_parallel_token;
}
#else
extern _Thread_local struct tensorlib_parallel_token tensorlib_parallel_token;
#endif

#endif
