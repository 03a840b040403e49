#include "python/versions.hpp"

#include <array>

namespace callpath {
namespace {

constexpr int first_minor = 11;
constexpr std::array versions{PythonVersion{&callpath_layout_3_11, &callpath_opcodes_3_11},
                              PythonVersion{&callpath_layout_3_12, &callpath_opcodes_3_12},
                              PythonVersion{&callpath_layout_3_13, &callpath_opcodes_3_13}};

}  // namespace

const PythonVersion* find_version(std::uint32_t hex_version) {
  const auto major = hex_version >> 24, minor = hex_version >> 16 & 0xff, release = hex_version & 0xffff;
  constexpr std::uint32_t final_release = 0x00f0;
  if (major != 3 || minor < first_minor || minor >= first_minor + versions.size() || release < final_release) return nullptr;
  return &versions[minor - first_minor];
}

}  // namespace callpath
