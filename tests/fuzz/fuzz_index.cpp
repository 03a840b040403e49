// libFuzzer: any bytes as a unit's flat index.
#include <cstring>
#include <vector>

#include "symbols/unit_index.hpp"

using namespace callpath;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  std::memcpy(aligned.data(), data, size);
  const auto index = dw::UnitIndex::read({reinterpret_cast<const char*>(aligned.data()), size});
  if (!index) return 0;
  for (std::uint64_t address = 0; address < 4096; address += 64) {
    std::vector<FunctionAt> all;
    index->functions_at(address, all);
    index->place_at(address);
  }
  return 0;
}
