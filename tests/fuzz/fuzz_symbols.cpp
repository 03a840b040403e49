// libFuzzer: any bytes as an ELF file with debug information. An answer or none, never a crash, a leak or an endless loop.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "symbols/symbols.hpp"

using namespace callpath;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) abort();
  Module module;
  module.path = "/proc/self/fd/" + std::to_string(fd);
  {
    Symbols symbols(Symbols::Index::none);
    for (std::uint64_t address = 0x1000; address < 0x1400; address += 16) {
      if (symbols.at(module, {address}).empty()) abort();
      symbols.call_returning_to(module, {address});
    }
    symbols.find(module, "*a*");
    symbols.find_line(module, "inlines.cpp", 6);
    symbols.nearest({module}, "hott");
    symbols.describe(module);
  }
  close(fd);
  return 0;
}
