// Copying between types and filling. Compiled once per CPU capability.
#include "native/TensorConversions.h"
#include "native/cpu/Loops.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

template <typename to_t, typename from_t>
static void convert_kernel(TensorIteratorBase& iter) {
  cpu_kernel(iter, [](from_t value) -> to_t { return static_cast<to_t>(value); });
}

template <typename scalar_t>
static void same_type_kernel(TensorIteratorBase& iter) {
  using Vec = Vectorized<scalar_t>;
  cpu_kernel_vec(
      iter, [](scalar_t value) -> scalar_t { return value; }, [](Vec value) -> Vec { return value; });
}

static void copy_kernel(TensorIteratorBase& iter) {
  const bool to_double = iter.dtype(0) == ScalarType::Double;
  const bool from_double = iter.dtype(1) == ScalarType::Double;
  if (to_double == from_double) {
    TENSORLIB_DISPATCH_FLOATING_TYPES(iter.dtype(0), { same_type_kernel<scalar_t>(iter); });
  } else if (to_double) {
    convert_kernel<double, float>(iter);
  } else {
    convert_kernel<float, double>(iter);
  }
}

static void fill_kernel(TensorIteratorBase& iter, double number) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.dtype(0), {
    using Vec = Vectorized<scalar_t>;
    const scalar_t value = static_cast<scalar_t>(number);
    cpu_kernel_vec(
        iter, [value]() -> scalar_t { return value; }, [value]() -> Vec { return Vec(value); });
  });
}

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(copy_stub, &CPU_CAPABILITY::copy_kernel);
REGISTER_DISPATCH(fill_stub, &CPU_CAPABILITY::fill_kernel);

}  // namespace tensorlib::native
