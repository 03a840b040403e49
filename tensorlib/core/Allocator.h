// Memory of tensors, kept for the next tensor of the same size: what costs with large results is not computing them but the kernel's
// handing out and clearing pages.
//
// Up to 1 KiB, blocks are kept per thread; from 128 KiB on, in one list for the process, with huge pages from 2 MiB on; between, malloc's
// own lists do. Safe from any thread. Under the address sanitiser nothing is kept, so that it sees every use after free.
#pragma once

#include <cstddef>

namespace tensorlib {

/// At least `nbytes` > 0 bytes, aligned to 64, contents undefined. Raises Error when memory is short, with what was kept given back.
char* allocate_bytes(std::size_t nbytes);
/// Back with a block; `nbytes` as it was asked for.
void free_bytes(char* data, std::size_t nbytes);

struct CacheStats {
  std::size_t bytes;  ///< Kept in the process's list, in use by nobody.
  std::size_t blocks;
  std::size_t limit;  ///< Never more bytes than this: an eighth of the machine's memory, 1 GiB at most.
};
CacheStats cache_stats();
/// Gives what the process's list keeps back to the system.
void empty_cache();

}  // namespace tensorlib
