// Python's tables of C functions, known by their shape: method definitions, getters, slots of types, NumPy's loops.
#pragma once

#include <optional>
#include <string>

#include "core/memory.hpp"
#include "tables/reading.hpp"

namespace callpath::tables {

/// Recognises C structures of CPython's stable layout in memory. Every answer rests on several members at once: texts that are identifiers,
/// types whose types are types.
class Shapes {
 public:
  explicit Shapes(const Memory& memory) : memory_(memory) {}

  /// The word at `at` is a function pointer. Of which structure, if it stands in one:
  std::optional<Reading> function_at(Address at) const;

  /// If it is PyMethodDef::ml_meth: the definition's address.
  std::optional<Address> method_definition(Address at) const;

  /// The word at `at` points to a method definition. If it stands in the object that is called through it: what it is.
  std::optional<Reading> method_at(Address at, Address definition) const;

  /// The word at `at` points into an array of function pointers, the wanted one at `wanted`: a ufunc's loops, or a type's number, sequence
  /// or other methods.
  std::optional<Reading> array_at(Address at, Address wanted) const;

  /// The farthest that array_at() follows from an array's beginning.
  static constexpr std::uint64_t longest_array = 64 * 8;

  bool is_type(Address) const;
  std::optional<std::string> type_name(Address type) const;  ///< tp_name, if it is a type.
  Address base_of(Address type) const;                       ///< tp_base; null where it cannot be read.

 private:
  std::optional<std::string> word_at(Address pointer_to_text, bool may_have_blanks = false) const;
  std::optional<Reading> getter_at(Address at) const;
  std::optional<Reading> type_slot_at(Address at) const;
  std::optional<Reading> module_slot_at(Address at) const;
  std::optional<Reading> array_method_at(Address at) const;
  std::optional<Reading> vectorcall_at(Address at) const;
  std::optional<Reading> ufunc_loop(Address object, Address array, Address wanted) const;
  std::optional<std::string> type_of(Address object) const;

  const Memory& memory_;
};

}  // namespace callpath::tables
