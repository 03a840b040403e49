// Names made from debug information.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "symbols/die.hpp"

namespace callpath::dw {

/// Type names as gdb prints them ("const char *", "unsigned long" as the compiler calls it) or as demanglers do ("char const*", "unsigned
/// long").
enum class TypeStyle { gdb, demangler };

/// The parents of namespaces, types and functions in one unit: DIEs do not know their parents.
class Scopes {
 public:
  explicit Scopes(Die unit);

  struct Entry {
    Die die;
    const void* parent;  ///< Key of the enclosing scope; null at the top.
  };
  const Entry* find(const void* key) const;

 private:
  void walk(Die parent, const void* key, int depth);
  std::unordered_map<const void*, Entry> entries_;
};

/// One object a module; caches the scopes of units it was asked about.
class DieNames {
 public:
  /// A function's name with parameters for C++, as demanglers write it: from the linkage name, or else from the scopes.
  std::string function_name(Die, int depth = 0);

  std::string type_name(std::optional<Die> type, TypeStyle = TypeStyle::gdb);

  /// "tensorlib::native::(anonymous namespace)::" for what is declared there; functions appear with parameters.
  std::string scope_prefix(Die, int depth = 0);

  /// A function's DIE, its declaration, and the types and functions around it, innermost first.
  std::vector<Die> enclosing(Die);

 private:
  std::string declare(std::optional<Die> type, std::string inner, std::string qualifiers, TypeStyle, int depth);
  std::string leaf(Die type, TypeStyle, int depth);
  std::string parameters(Die function, TypeStyle, int depth);
  std::string component(const Scopes::Entry&, int depth);
  const Scopes& scopes(Die unit);

  std::map<const void*, std::unique_ptr<Scopes>> scopes_;
};

}  // namespace callpath::dw
