// libFuzzer: any bytes as call frame information.
#include <cstring>
#include <vector>

#include "capture/cfi.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);  // so that a read past the end is seen
  const auto begin = reinterpret_cast<std::uint64_t>(bytes.data());
  for (std::size_t fde = 0; fde < size && fde < 256; fde += 4)
    for (std::uint64_t at : {0x1000, 0x1001, 0x1010, 0x1fff}) callpath::capture::read_row(begin + fde, 0x1000, at, begin, begin + size);
  return 0;
}
