// What test_vectorized.cpp calls in each capability's copy of vectorized_ops.cpp. Plain pointers: nothing of the standard library may be
// instantiated for another CPU than the test's own.
#pragma once

namespace engine_tests {

enum class VectorOp { add, subtract, multiply, divide, square_root, absolute, fused, where_equal, where_less, where_greater, map_negate };

template <typename T>
struct VectorOps {
  int size;
  /// out[i] = op(a[i], b[i], c[i]) for the `size` elements of one vector.
  void (*run)(VectorOp op, const T* a, const T* b, const T* c, T* out);
  /// Whether any element of a is below b's.
  bool (*any_less)(const T* a, const T* b);
};

extern const VectorOps<float> float_DEFAULT, float_AVX2, float_AVX512;
extern const VectorOps<double> double_DEFAULT, double_AVX2, double_AVX512;

}  // namespace engine_tests
