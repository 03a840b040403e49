// PyTorch's dispatcher as it stands in memory: which function is which operator's kernel for which key.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/memory.hpp"
#include "symbols/symbols.hpp"
#include "tables/reading.hpp"

namespace callpath::tables {

/// An operator's kernel as the library that brought it registered it.
struct Registration {
  std::string op;     ///< "aten::pow.Tensor_Scalar"
  std::string label;  ///< What the file that registers it is for: "CPU", "autograd", "ADInplaceOrView"; else the file's name.
  std::string place;  ///< "RegisterCPU.cpp:30798"
  bool boxed = false;
};

/// Every kernel that is registered, by its address. Empty where no dispatcher is loaded or its structure is not the known one. Reached
/// through the exported reference in c10::Dispatcher::singleton(); what it leads to is recognised by its content, not by the version.
using Registrations = std::unordered_multimap<std::uint64_t, Registration>;
Registrations read_dispatcher(Symbols&, const std::vector<Module>&, const Memory&);

/// What they say of the function that begins at an address: "CPU unboxed wrapper of aten::pow.Tensor_Scalar".
std::optional<Reading> read_registered(const Registrations&, Address function);

}  // namespace callpath::tables
