/* What the helpers of generated nests ask of callpath: the merged stack of the calling thread. */
#pragma once

#include <stdint.h>

struct nest_entry {
  int python;
  uint64_t pc, sp, cfa;     /* Of the native frame; for a Python frame of the evaluation that runs it, 0 where it has none. */
  const char *name, *file;  /* Of Python frames: qualified name and file, valid until the thread's next capture. */
};
