// One unit's answers laid out flat: built once from its debug information, kept in memory and in the cache folder, read without libdw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbols.hpp"

namespace callpath::dw {

class ModuleState;
class Unit;

/// A position in a source file; an empty file or line 0 is not known.
struct SourcePlace {
  std::string_view file;
  std::uint32_t line = 0;
};

/// A view of bytes that must outlive it. Sizes are checked when it is made and indices when they are followed, so that damaged bytes give
/// wrong answers at worst.
class UnitIndex {
 public:
  /// The bytes for a unit, as many answers as its debug information gives; empty if the unit spans more than 4 GB.
  static std::string build(ModuleState&, Unit&);

  /// Nothing if the bytes are not those of an index.
  static std::optional<UnitIndex> read(std::string_view bytes);

  /// Appends the functions at an address, innermost first; false if the unit has none there.
  bool functions_at(std::uint64_t offset, std::vector<FunctionAt>& all) const;

  /// The line of an address.
  SourcePlace place_at(std::uint64_t offset) const;

  struct Header {
    std::uint64_t base = 0;
    std::uint32_t segments = 0, lines = 0, physicals = 0, nodes = 0, names = 0, string_bytes = 0;
  };
  struct Segment {
    std::uint32_t start, node;
  };
  struct Line {
    std::uint32_t start, file, line;
  };
  struct Physical {
    std::uint32_t start, name;
  };
  struct NodeEntry {
    std::uint32_t parent, name, inlined, call_file, call_line;
  };
  struct Name {
    std::uint32_t name, full, note, origin;
  };

 private:
  std::string_view string(std::uint32_t at) const;

  const Header* header_ = nullptr;
  const Segment* segments_ = nullptr;
  const Line* lines_ = nullptr;
  const Physical* physicals_ = nullptr;
  const NodeEntry* nodes_ = nullptr;
  const Name* names_ = nullptr;
  const char* strings_ = nullptr;
};

}  // namespace callpath::dw
