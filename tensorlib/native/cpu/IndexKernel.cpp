// Choosing elements: index, index_put, where, masked_fill. Compiled once per CPU capability.
#include "native/IndexKernel.h"

#include "core/Dispatch.h"
#include "native/cpu/Loops.h"
#include "native/cpu/bits_of_size.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

namespace {

/// move(result or data, value or data at its offset) for each element; operands 0 and 1 are elements, operand 2 an offset in bytes that
/// counts from operand `indexed`.
template <int indexed, typename Move>
struct OffsetLoop2d {
  Move move;

  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) const {
    for (std::int64_t row = 0; row < size1; ++row) {
      char* out = base[0] + row * strides[3];
      char* in = base[1] + row * strides[4];
      const char* offset = base[2] + row * strides[5];
      for (std::int64_t i = 0; i < size0; ++i) {
        const std::int64_t away = *reinterpret_cast<const std::int64_t*>(offset + i * strides[2]);
        move(out + i * strides[0] + (indexed == 0 ? away : 0), in + i * strides[1] + (indexed == 1 ? away : 0));
      }
    }
  }
};

template <typename T>
struct Assign {
  void operator()(char* to, const char* from) const { *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from); }
};

template <typename T>
struct Accumulate {
  void operator()(char* to, const char* from) const {
    T& place = *reinterpret_cast<T*>(to);
    if constexpr (__is_same(T, bool)) {
      place = place || *reinterpret_cast<const bool*>(from);
    } else if constexpr (T(0.5) != T(0)) {
      place += *reinterpret_cast<const T*>(from);
    } else {
      // Integers wrap.
      place = static_cast<T>(static_cast<std::uint64_t>(place) + static_cast<std::uint64_t>(*reinterpret_cast<const T*>(from)));
    }
  }
};

}  // namespace

static void index_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "index", {
    const OffsetLoop2d<1, Assign<typename bits_of_size<scalar_t>::type>> loop{};
    iter.for_each(loop);
  });
}

static void index_put_kernel(TensorIteratorBase& iter, bool accumulate) {
  if (iter.numel() == 0) return;
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "index_put", {
    const OffsetLoop2d<0, Assign<typename bits_of_size<scalar_t>::type>> assign{};
    const OffsetLoop2d<0, Accumulate<scalar_t>> add{};
    if (accumulate) {
      iter.serial_for_each(add, 0, iter.numel());
    } else {
      iter.serial_for_each(assign, 0, iter.numel());
    }
  });
}

static void where_kernel_impl(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "where_cpu", {
    using bits_t = typename bits_of_size<scalar_t>::type;
    cpu_kernel(iter, [](bool condition, bits_t self, bits_t other) -> bits_t { return condition ? self : other; });
  });
}

static void masked_fill_kernel(TensorIteratorBase& iter, const Scalar& number) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "masked_fill_", {
    const scalar_t value = number.to<scalar_t>();
    iter.for_each([value](char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
      for (std::int64_t row = 0; row < size1; ++row) {
        char* out = base[0] + row * strides[2];
        const char* mask = base[1] + row * strides[3];
        for (std::int64_t i = 0; i < size0; ++i) {
          if (*reinterpret_cast<const bool*>(mask + i * strides[1])) *reinterpret_cast<scalar_t*>(out + i * strides[0]) = value;
        }
      }
    });
  });
}

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(index_stub, &CPU_CAPABILITY::index_kernel);
REGISTER_DISPATCH(index_put_stub, &CPU_CAPABILITY::index_put_kernel);
REGISTER_DISPATCH(where_kernel, &CPU_CAPABILITY::where_kernel_impl);
REGISTER_DISPATCH(masked_fill_stub, &CPU_CAPABILITY::masked_fill_kernel);

}  // namespace tensorlib::native
