// Types that one unit only declares and another one of the module defines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "symbols/die.hpp"

namespace callpath::dw {

class DieNames;
class Units;

/// Finds definitions by qualified name. Units are read one after the other, only as far as is needed for what was asked, and each once; a
/// module with more than a million types is not read to its end. One object a module, used by one thread.
class TypeDefinitions {
 public:
  TypeDefinitions(Units& units, DieNames& names) : units_(units), names_(names) {}

  /// The definition, without the qualifiers and typedefs around the declaration. The type itself if it is none that is only declared, or if
  /// no unit defines it: what cannot be named from another unit (unnamed namespaces, types in functions) is not looked for there.
  std::optional<Die> complete(std::optional<Die> type);

 private:
  const Die* find(const std::string& qualified);
  void read(Die parent, const std::string& prefix, int depth);
  void add(Die child, const std::string& prefix, int depth);

  Units& units_;
  DieNames& names_;
  std::size_t next_unit_ = 0, read_ = 0;
  std::unordered_map<std::string, Die> by_name_;
  std::unordered_set<const void*> imported_;  ///< Partial units, which many units share.
};

}  // namespace callpath::dw
