#include "vectorized_ops.hpp"

#include "vec/vec.h"

namespace engine_tests {
namespace CPU_CAPABILITY {

template <typename T>
static void run(VectorOp op, const T* a_data, const T* b_data, const T* c_data, T* out) {
  using Vec = tensorlib::vec::Vectorized<T>;
  const Vec a = Vec::loadu(a_data), b = Vec::loadu(b_data), c = Vec::loadu(c_data);
  switch (op) {
    case VectorOp::add:
      return (a + b).store(out);
    case VectorOp::subtract:
      return (a - b).store(out);
    case VectorOp::multiply:
      return (a * b).store(out);
    case VectorOp::divide:
      return (a / b).store(out);
    case VectorOp::square_root:
      return a.sqrt().store(out);
    case VectorOp::absolute:
      return a.abs().store(out);
    case VectorOp::fused:
      return fmadd(a, b, c).store(out);
    case VectorOp::where_equal:
      return Vec::blendv(b, c, a == b).store(out);
    case VectorOp::where_less:
      return Vec::blendv(b, c, a < b).store(out);
    case VectorOp::where_greater:
      return Vec::blendv(b, c, a > b).store(out);
    case VectorOp::map_negate:
      return a.map([](T x) { return -x; }).store(out);
  }
}

template <typename T>
static bool any_less(const T* a, const T* b) {
  using Vec = tensorlib::vec::Vectorized<T>;
  return (Vec::loadu(a) < Vec::loadu(b)).any();
}

template <typename T>
constexpr VectorOps<T> ops{tensorlib::vec::Vectorized<T>::size(), &run<T>, &any_less<T>};

}  // namespace CPU_CAPABILITY

#define JOIN(a, b) a##b
#define NAME(type, capability) JOIN(type##_, capability)
extern const VectorOps<float> NAME(float, CPU_CAPABILITY);
extern const VectorOps<double> NAME(double, CPU_CAPABILITY);
const VectorOps<float> NAME(float, CPU_CAPABILITY) = CPU_CAPABILITY::ops<float>;
const VectorOps<double> NAME(double, CPU_CAPABILITY) = CPU_CAPABILITY::ops<double>;

}  // namespace engine_tests
