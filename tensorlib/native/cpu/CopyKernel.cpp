// Copying between types and filling. Compiled once per CPU capability.
#include "core/Convert.h"
#include "core/Dispatch.h"
#include "native/TensorConversions.h"
#include "native/cpu/Loops.h"
#include "native/cpu/bits_of_size.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

namespace {

/// Elements of one size, their bits as they are: rows without gaps at once.
template <typename bits_t>
struct CopyLoop2d {
  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) const {
    constexpr std::int64_t width = sizeof(bits_t);
    char* out = base[0];
    const char* in = base[1];
    for (std::int64_t row = 0; row < size1; ++row, out += strides[2], in += strides[3]) {
      if (strides[0] == width && strides[1] == width) {
        __builtin_memcpy(out, in, static_cast<std::size_t>(size0 * width));
      } else {
        for (std::int64_t i = 0; i < size0; ++i) {
          *reinterpret_cast<bits_t*>(out + i * strides[0]) = *reinterpret_cast<const bits_t*>(in + i * strides[1]);
        }
      }
    }
  }
};

template <typename bits_t>
struct FillLoop2d {
  static constexpr std::int64_t width = sizeof(bits_t);
  static constexpr std::int64_t block = 64 / width;
  bits_t value;
  bits_t pattern[block];

  explicit FillLoop2d(bits_t bits) : value(bits) {
    for (bits_t& place : pattern) place = bits;
  }

  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) const {
    for (std::int64_t row = 0; row < size1; ++row) {
      char* out = base[0] + row * strides[1];
      std::int64_t i = 0;
      if (strides[0] == width) {
        for (; i + block <= size0; i += block) __builtin_memcpy(out + i * width, pattern, sizeof pattern);
      }
      for (; i < size0; ++i) *reinterpret_cast<bits_t*>(out + i * strides[0]) = value;
    }
  }
};

template <typename from_t>
void convert_from(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "copy_",
                                        { cpu_kernel(iter, [](from_t value) -> scalar_t { return convert<scalar_t>(value); }); });
}

}  // namespace

static void copy_kernel(TensorIteratorBase& iter) {
  if (iter.dtype(0) == iter.dtype(1)) {
    TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "copy_", {
      const CopyLoop2d<typename bits_of_size<scalar_t>::type> loop;
      iter.for_each(loop);
    });
  } else {
    TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(1), "copy_", { convert_from<scalar_t>(iter); });
  }
}

static void fill_kernel(TensorIteratorBase& iter, const Scalar& number) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(0), "fill_", {
    using bits_t = typename bits_of_size<scalar_t>::type;
    const scalar_t value = number.to<scalar_t>();
    bits_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const FillLoop2d<bits_t> loop(bits);
    iter.for_each(loop);
  });
}

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(copy_stub, &CPU_CAPABILITY::copy_kernel);
REGISTER_DISPATCH(fill_stub, &CPU_CAPABILITY::fill_kernel);

}  // namespace tensorlib::native
