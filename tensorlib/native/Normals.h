// Uniform and normal numbers from a generator, to PyTorch's bits. Hold generator.mutex().
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/CPUGenerator.h"

namespace tensorlib::native {

/// In [0, 1): 24 bits of one draw for float32, 53 bits of two for float64.
template <typename T>
T standard_uniform(CPUGenerator& generator) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(generator.random() & 0xffffffu) * 0x1p-24f;
  } else {
    return static_cast<double>(generator.random64() & 0x1fffffffffffffu) * 0x1p-53;
  }
}

constexpr std::int64_t normal_block = 16;

/// n >= normal_block places at once.
template <typename T>
void normal_blocks(T* data, std::int64_t n, T mean, T std, CPUGenerator& generator);

/// One number; the second of each pair is kept in the generator.
double single_normal(CPUGenerator& generator);

}  // namespace tensorlib::native
