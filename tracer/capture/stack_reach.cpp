#include "capture/stack_reach.hpp"

#include <errno.h>
#include <sys/uio.h>

#include "capture/syscall.hpp"

namespace callpath::capture {
namespace {
constexpr std::uint64_t page_size = 4096;
}

bool readable(std::uint64_t address) {
  std::uint64_t value;
  iovec to{&value, sizeof value}, from{reinterpret_cast<void*>(address), sizeof value};
  long pid = system_call(SYS_getpid);
  return system_call(SYS_process_vm_readv, pid, word(&to), 1, word(&from), 1, 0) != -EFAULT;
}

bool StackReach::restart(std::uint64_t sp) {
  size_ = 0;
  if (!readable(sp)) return false;
  begin_ = sp & ~(page_size - 1);
  size_ = page_size - 7;
  return holds(sp) || extend(sp);
}

/// Page by page, so that every one between is known; a jump to another stack starts anew there.
bool StackReach::extend(std::uint64_t address) {
  constexpr std::uint64_t farthest = 64 << 20;
  if (address < begin_ || address - begin_ > farthest) return restart(address);
  while (!holds(address)) {
    if (!readable(begin_ + size_ + 7)) return restart(address) && holds(address);
    size_ += page_size;
  }
  return true;
}

}  // namespace callpath::capture
