// Values as text, in gdb's manner, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "symbols/die_names.hpp"
#include "values/object.hpp"

namespace callpath::dw {

/// Reads objects of any type. Depth, lengths and the number of reads are capped: what is left out shows as "...".
class Formatter {
 public:
  Formatter(const Memory& memory, DieNames& names) : memory_(memory), names_(names) {}

  /// Nothing (with the reason) if the object itself cannot be read; unreadable parts inside a structure show as "<not readable>".
  std::optional<std::string> text(const Object&, std::string* reason);

  /// Number, bool, string or array of these; null for what has no such form.
  nlohmann::json json(const Object&);

 private:
  std::string any(const Object&, int depth);
  std::string base(const Object&);
  std::string enumeration(const Object&);
  std::string pointer(const Object&, int depth);
  std::string member_pointer(const Object&);
  std::string array(const Object&, int depth);
  std::string elements(const Object&, const std::vector<std::uint64_t>& counts, std::size_t dimension, std::optional<Die> element,
                       int depth);
  std::string characters(const Object&, std::uint64_t count, std::uint64_t width);
  std::string structure(const Object&, int depth);
  std::optional<std::string> standard_string(const Object&);

  const Memory& memory_;
  DieNames& names_;
};

/// The bits of an integer, enumeration, bool, character or pointer, extended to 64 by its sign; nothing if unreadable or wider.
std::optional<std::uint64_t> bits_of(const Memory&, const Object&);

}  // namespace callpath::dw
