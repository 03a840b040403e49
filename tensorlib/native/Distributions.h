// Random numbers shaped into distributions, with PyTorch's bits. Filling is serial and in the order of memory. The operators themselves are
// rows of ops/functions/random.toml.
#pragma once

#include <cstdint>
#include <optional>

#include "core/ArgumentTypes.h"

namespace tensorlib::native {

/// Standard normals into n places. From 16 on they are made in blocks of 16 from uniforms; fewer are made one by one in double,
/// whose second of each pair the generator keeps. Hold generator.mutex().
void normal_fill(float* data, std::int64_t n, CPUGenerator& generator);
void normal_fill(double* data, std::int64_t n, CPUGenerator& generator);

/// Overwrites self with integers from `from` to `to` - 1 as its type has them.
Tensor& random_(Tensor& self, std::int64_t from, std::int64_t to, const std::optional<Generator>& generator);

}  // namespace tensorlib::native
