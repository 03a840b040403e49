#include "symbols/debug_files.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

namespace callpath::dw {
namespace {

constexpr const char* debug_root = "/usr/lib/debug";

void by_build_id(const ElfFile& file, DebugFile& result) {
  const std::string& id = file.build_id();
  if (id.size() < 4) return;
  auto found = ElfFile::open(std::string(debug_root) + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  if (!found) return;
  if (found->build_id() == id)
    result.file = std::move(found);
  else
    result.rejected = found->path();
}

/// The checksum of .gnu_debuglink: CRC-32 as in zlib.
std::uint32_t crc32(const char* bytes, std::size_t size) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < size; ++i) crc = table[(crc ^ static_cast<std::uint8_t>(bytes[i])) & 0xff] ^ (crc >> 8);
  return ~crc;
}

void by_link(const ElfFile& file, DebugFile& result) {
  const auto link = file.section(".gnu_debuglink");
  if (!link || link->size() < 8) return;
  const std::string name = link->c_str();
  std::uint32_t expected = 0;
  std::memcpy(&expected, link->data() + link->size() - 4, 4);

  std::error_code ignored;
  const auto folder = std::filesystem::weakly_canonical(file.path(), ignored).parent_path();
  const std::vector<std::filesystem::path> places = {folder / name, folder / ".debug" / name, debug_root + folder.string() + "/" + name};
  for (const auto& place : places) {
    if (std::filesystem::equivalent(place, file.path(), ignored)) continue;
    auto found = ElfFile::open(place);
    if (!found) continue;
    std::size_t size = 0;
    const char* content = elf_rawfile(found->elf(), &size);
    if (content && crc32(content, size) == expected) {
      result.file = std::move(found);
      return;
    }
    result.rejected = place.string();
  }
}

}  // namespace

DebugFile find_debug_file(const ElfFile& file) {
  DebugFile result;
  by_build_id(file, result);
  if (!result.file) by_link(file, result);
  return result;
}

}  // namespace callpath::dw
