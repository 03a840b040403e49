// libFuzzer: any bytes as a record. What is accepted is written again and read the same; all else is an Error.
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "record/record.hpp"

using namespace callpath;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Recording recording;
  try {
    recording = from_json_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const std::string once = to_json_text(recording);
  if (to_json_text(from_json_text(once, "again")) != once) abort();
  return 0;
}
