// Random numbers shaped into distributions, with PyTorch's bits.
#pragma once

#include <cstdint>

#include "core/CPUGenerator.h"

namespace tensorlib::native {

/// Standard normals into n places. From 16 on they are made in blocks of 16 from uniforms; fewer are made one by one in double,
/// whose second of each pair the generator keeps. Hold generator.mutex().
void normal_fill(float* data, std::int64_t n, CPUGenerator& generator);
void normal_fill(double* data, std::int64_t n, CPUGenerator& generator);

}  // namespace tensorlib::native
