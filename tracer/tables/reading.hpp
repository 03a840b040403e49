// A name that a table in memory gives to a function.
#pragma once

#include <string>

#include "core/address.hpp"

namespace callpath::tables {

/// Tables differ in how much they say. Of several that hold one function the first of this order names it.
enum class Certainty { kernel, method, slot, registration, loop, symbol, virtual_function };

struct Reading {
  Certainty certainty = Certainty::symbol;
  std::string name;                 ///< Short: "pow_tensor_scalar_stub (AVX2)".
  std::string full;                 ///< "AVX2 kernel of at::native::pow_tensor_scalar_stub".
  std::string evidence;             ///< What is equal to what.
  Address owner = {};               ///< The type that has the slot; subtypes inherit the pointer.
  bool owned = false;               ///< Of a method: the object through which it is called was found, too.
  std::string op = {}, label = {};  ///< Of an operator's wrapper.
};

}  // namespace callpath::tables
