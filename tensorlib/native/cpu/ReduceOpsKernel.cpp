// The kernels of reductions. Compiled once per CPU capability.
//
// The order of additions is fixed here and the same for every capability and number of threads: 16 running sums, one for each place modulo
// 16, put together at the end; where all goes into one number, chunks of GRAIN_SIZE are added up so, and their sums.
#include "core/Dispatch.h"
#include "native/ReduceOps.h"
#include "native/cpu/Loops.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int lanes = 16;

template <typename in_t, typename acc_t>
inline acc_t load(const char* at) {
  return static_cast<acc_t>(*reinterpret_cast<const in_t*>(at));
}

/// One output: the sum of n inputs.
template <typename in_t, typename acc_t>
acc_t sum_row(const char* in, std::int64_t stride, std::int64_t n) {
  acc_t sums[lanes] = {};
  std::int64_t i = 0;
  if (stride == static_cast<std::int64_t>(sizeof(in_t))) {
    const in_t* from = reinterpret_cast<const in_t*>(in);
    for (; i + lanes <= n; i += lanes) {
      for (int k = 0; k < lanes; ++k) sums[k] += static_cast<acc_t>(from[i + k]);
    }
  } else {
    for (; i + lanes <= n; i += lanes) {
      for (int k = 0; k < lanes; ++k) sums[k] += load<in_t, acc_t>(in + (i + k) * stride);
    }
  }
  for (int k = 0; i < n; ++i, ++k) sums[k] += load<in_t, acc_t>(in + i * stride);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

/// Outputs side by side, as many as registers hold: rows are added up in runs, and the runs to the outputs, so that errors stay small.
template <int columns, typename in_t, typename acc_t>
void sum_block(acc_t* out, const char* in, std::int64_t row_stride, std::int64_t rows) {
  constexpr std::int64_t run = 256;
  for (std::int64_t begin = 0; begin < rows; begin += run) {
    acc_t sums[columns] = {};
    const std::int64_t end = begin + run < rows ? begin + run : rows;
    for (std::int64_t row = begin; row < end; ++row) {
      const in_t* from = reinterpret_cast<const in_t*>(in + row * row_stride);
      for (int j = 0; j < columns; ++j) sums[j] += static_cast<acc_t>(from[j]);
    }
    for (int j = 0; j < columns; ++j) out[j] += sums[j];
  }
}

template <typename in_t, typename acc_t>
void sum_rows(acc_t* out, const char* in, std::int64_t row_stride, std::int64_t columns, std::int64_t rows) {
  std::int64_t j = 0;
  for (; j + 32 <= columns; j += 32) sum_block<32, in_t>(out + j, in + j * sizeof(in_t), row_stride, rows);
  for (; j + 8 <= columns; j += 8) sum_block<8, in_t>(out + j, in + j * sizeof(in_t), row_stride, rows);
  for (; j < columns; ++j) sum_block<1, in_t>(out + j, in + j * sizeof(in_t), row_stride, rows);
}

template <typename in_t, typename acc_t>
struct SumLoop {
  void operator()(char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
    const std::int64_t out0 = strides[0], in0 = strides[1], out1 = strides[2], in1 = strides[3];
    if (out1 == 0 && out0 == static_cast<std::int64_t>(sizeof(acc_t)) && in0 == static_cast<std::int64_t>(sizeof(in_t))) {
      sum_rows<in_t>(reinterpret_cast<acc_t*>(data[0]), data[1], in1, size0, size1);
    } else if (out0 == 0 && out1 == static_cast<std::int64_t>(sizeof(acc_t)) && in1 == static_cast<std::int64_t>(sizeof(in_t))) {
      sum_rows<in_t>(reinterpret_cast<acc_t*>(data[0]), data[1], in0, size1, size0);
    } else if (out0 == 0) {
      for (std::int64_t j = 0; j < size1; ++j) {
        *reinterpret_cast<acc_t*>(data[0] + j * out1) += sum_row<in_t, acc_t>(data[1] + j * in1, in0, size0);
      }
    } else {
      for (std::int64_t i = 0; i < size0; ++i) {
        if (out1 == 0) {
          *reinterpret_cast<acc_t*>(data[0] + i * out0) += sum_row<in_t, acc_t>(data[1] + i * in0, in1, size1);
          continue;
        }
        for (std::int64_t j = 0; j < size1; ++j) {
          *reinterpret_cast<acc_t*>(data[0] + i * out0 + j * out1) += load<in_t, acc_t>(data[1] + i * in0 + j * in1);
        }
      }
    }
  }
};

/// out = combine(out, in), element after element.
template <typename scalar_t, typename Combine>
struct FoldLoop {
  Combine combine;
  void operator()(char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
    for (std::int64_t j = 0; j < size1; ++j) {
      char* out = data[0] + j * strides[2];
      const char* in = data[1] + j * strides[3];
      if (strides[0] == 0) {
        scalar_t value = *reinterpret_cast<scalar_t*>(out);
        for (std::int64_t i = 0; i < size0; ++i) value = combine(value, load<scalar_t, scalar_t>(in + i * strides[1]));
        *reinterpret_cast<scalar_t*>(out) = value;
        continue;
      }
      for (std::int64_t i = 0; i < size0; ++i) {
        auto* place = reinterpret_cast<scalar_t*>(out + i * strides[0]);
        *place = combine(*place, load<scalar_t, scalar_t>(in + i * strides[1]));
      }
    }
  }
};

template <typename scalar_t, typename Combine>
void fold(TensorIteratorBase& iter, Combine combine) {
  FoldLoop<scalar_t, Combine> loop{combine};
  parallel_reduce(iter, loop, loop);
}

template <typename in_t, typename acc_t>
void sum_with(TensorIteratorBase& iter) {
  SumLoop<in_t, acc_t> loop;
  SumLoop<acc_t, acc_t> join;
  parallel_reduce(iter, loop, join);
}

}  // namespace

static void sum_kernel(TensorIteratorBase& iter) {
  switch (iter.dtype(1)) {
    case ScalarType::Float:
      return sum_with<float, double>(iter);
    case ScalarType::Double:
      return sum_with<double, double>(iter);
    default:
      return sum_with<std::int64_t, std::int64_t>(iter);
  }
}

static void prod_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.dtype(1);
  if (dtype == ScalarType::Bool) {
    fold<bool>(iter, [](bool a, bool b) { return a && b; });
  } else if (isFloatingType(dtype)) {
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "prod_cpu", { fold<scalar_t>(iter, [](scalar_t a, scalar_t b) { return a * b; }); });
  } else {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "prod_cpu", {
      fold<scalar_t>(iter, [](scalar_t a, scalar_t b) {
        return static_cast<scalar_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      });
    });
  }
}

static void and_kernel(TensorIteratorBase& iter) {
  fold<bool>(iter, [](bool a, bool b) { return a && b; });
}
static void or_kernel(TensorIteratorBase& iter) {
  fold<bool>(iter, [](bool a, bool b) { return a || b; });
}

static void max_values_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(1), "max_values_cpu", {
    fold<scalar_t>(iter, [](scalar_t a, scalar_t b) { return a != a ? a : (b != b || a < b) ? b : a; });
  });
}
static void min_values_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(1), "min_values_cpu", {
    fold<scalar_t>(iter, [](scalar_t a, scalar_t b) { return a != a ? a : (b != b || b < a) ? b : a; });
  });
}

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(sum_stub, &CPU_CAPABILITY::sum_kernel);
REGISTER_DISPATCH(prod_stub, &CPU_CAPABILITY::prod_kernel);
REGISTER_DISPATCH(and_stub, &CPU_CAPABILITY::and_kernel);
REGISTER_DISPATCH(or_stub, &CPU_CAPABILITY::or_kernel);
REGISTER_DISPATCH(max_values_stub, &CPU_CAPABILITY::max_values_kernel);
REGISTER_DISPATCH(min_values_stub, &CPU_CAPABILITY::min_values_kernel);

}  // namespace tensorlib::native
