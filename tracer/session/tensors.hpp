// Tensors among the values of a frame: what they are, read from memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "record/record.hpp"
#include "values/values.hpp"

namespace callpath::session {

struct SeenTensor {
  std::string dtype;  ///< "float32"
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;  ///< In elements, from the start of the storage.
  Address data;             ///< Of the first element; null where there is none.
};

/// A TensorImpl of PyTorch, believed only where all of it fits together: its table of virtual functions lies in a library, its number of
/// elements is the product of its sizes. Where its members stand differs from version to version and is found that way.
std::optional<SeenTensor> read_torch_tensor(const std::vector<Module>&, const Memory&, Address impl);

/// A variable of the engine's type tensorlib::Tensor, through its debug information.
std::optional<SeenTensor> read_engine_tensor(Values&, const Module&, const RawFrame&, std::size_t depth, const std::string& name);

/// "float32 {10000, 2} strides {2, 1}, data 0x7f12: -1.1258398, -1.1523602, ..." with the first elements in memory.
std::string text_of(const SeenTensor&, const Memory&);

/// What the registers hold at the first instruction of a dispatcher function of PyTorch without debug information, by the types in its
/// name: tensors, scalars, numbers. Empty for other functions; ends before the first argument whose place is not known.
std::vector<Value> torch_arguments(const std::vector<Module>&, const Memory&, const std::string& full_name, const Registers&);

}  // namespace callpath::session
