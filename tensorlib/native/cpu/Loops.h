// Loops over the operands of an iterator: cpu_kernel for a scalar function, cpu_kernel_vec for one that has a vector form too.
//
// The scalar function runs where an operand is strided and for what a whole number of vectors leaves over. All of it is in the
// namespace of the capability being compiled, and no function of the standard library is instantiated here (see vec/vec.h).
#pragma once

#include <cstdint>
#include <utility>

#include "core/Dispatch.h"
#include "native/TensorIterator.h"
#include "vec/vec.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

using vec::Vectorized;

/// Result, arity and parameter types of a lambda.
template <typename Lambda>
struct function_traits : function_traits<decltype(&Lambda::operator())> {};
template <typename Lambda>
struct function_traits<Lambda&> : function_traits<Lambda> {};
template <typename Lambda>
struct function_traits<const Lambda&> : function_traits<Lambda> {};
template <typename Class, typename Result, typename... Args>
struct function_traits<Result (Class::*)(Args...) const> {
  using result_type = Result;
  static constexpr int arity = sizeof...(Args);

  template <int index>
  static auto arg_at() {
    return type_at<index, Args...>();
  }
  template <int index>
  using arg_t = decltype(arg_at<index>());

 private:
  template <int index, typename First, typename... Rest>
  static auto type_at() {
    if constexpr (index == 0)
      return First();
    else
      return type_at<index - 1, Rest...>();
  }
};

/// Numbers of the inputs. Types only: nothing of the standard library runs.
template <int... inputs>
using index_sequence = std::integer_sequence<int, inputs...>;
template <int n>
using make_index_sequence = std::make_integer_sequence<int, n>;

namespace guts {

/// op(element i of the first input, of the second, ...); `data` and `strides` begin with the first input.
template <typename func_t, int... inputs>
inline auto apply(func_t& op, char* __restrict const* data, const std::int64_t* strides, std::int64_t i, index_sequence<inputs...>) {
  using traits = function_traits<func_t>;
  return op(*reinterpret_cast<typename traits::template arg_t<inputs>*>(data[inputs] + i * strides[inputs])...);
}

/// The same for whole vectors from element i on; input `S - 1` (S > 0) is one number for all elements.
template <typename func_t, typename Vec, int... inputs>
inline auto apply_vec(func_t& vop, char* __restrict const* data, const Vec& scalar, std::int64_t S, std::int64_t i,
                      index_sequence<inputs...>) {
  constexpr std::int64_t bytes = sizeof(Vec) / Vec::size();
  return vop((S == inputs + 1 ? scalar : Vec::loadu(data[inputs] + i * bytes))...);
}

}  // namespace guts

template <typename func_t>
inline void execute_op(char* __restrict data[], const std::int64_t* strides, std::int64_t i, std::int64_t n, func_t& op) {
  using traits = function_traits<func_t>;
  using result_type = typename traits::result_type;
  for (; i < n; i++) {
    result_type* out = reinterpret_cast<result_type*>(data[0] + i * strides[0]);
    *out = guts::apply(op, &data[1], &strides[1], i, make_index_sequence<traits::arity>());
  }
}

/// Elements i to n - 1, one at a time; strides in bytes, the output's first.
template <typename func_t>
inline void basic_loop(char* __restrict data[], const std::int64_t* strides_, std::int64_t i, std::int64_t n, func_t& op) {
  constexpr int ntensors = function_traits<func_t>::arity + 1;
  // A copy that nothing else can point to, so that the compiler may keep strides in registers.
  std::int64_t strides[ntensors];
  for (int t = 0; t < ntensors; ++t) strides[t] = strides_[t];
  execute_op(data, strides, i, n, op);
}

/// n elements without gaps, two vectors a step; the rest one at a time. S as in apply_vec.
template <typename func_t, typename vec_func_t>
inline void vectorized_loop(char** data_, std::int64_t n, std::int64_t S, func_t& op, vec_func_t& vop) {
  using scalar_t = typename function_traits<func_t>::result_type;
  using Vec = Vectorized<scalar_t>;
  constexpr int arity = function_traits<func_t>::arity;
  char* __restrict data[arity + 1];
  for (int t = 0; t <= arity; ++t) data[t] = data_[t];

  const Vec opt_scalar = Vec(S > 0 ? *reinterpret_cast<scalar_t*>(data[S]) : scalar_t(0));
  std::int64_t i = 0;
  for (; i <= n - 2 * Vec::size(); i += 2 * Vec::size()) {
    const Vec out1 = guts::apply_vec(vop, &data[1], opt_scalar, S, i, make_index_sequence<arity>());
    const Vec out2 = guts::apply_vec(vop, &data[1], opt_scalar, S, i + Vec::size(), make_index_sequence<arity>());
    out1.store(data[0] + i * static_cast<std::int64_t>(sizeof(scalar_t)));
    out2.store(data[0] + (i + Vec::size()) * static_cast<std::int64_t>(sizeof(scalar_t)));
  }
  if (i < n) {
    std::int64_t strides[arity + 1];
    for (int t = 0; t <= arity; ++t) strides[t] = S > 0 && t == S ? 0 : sizeof(scalar_t);
    basic_loop(data, strides, i, n, op);
  }
}

/// Whether operands other than number S lie without gaps and operand S (if S > 0) is one number for all elements.
template <typename func_t>
inline bool is_contiguous_scalar(const std::int64_t* strides, int S) {
  using traits = function_traits<func_t>;
  for (int t = 0; t <= traits::arity; ++t) {
    const std::int64_t wanted = t > 0 && t == S ? 0 : sizeof(typename traits::result_type);
    if (strides[t] != wanted) return false;
  }
  return true;
}

/// The loop that an iterator calls back: chooses the vector loop where memory allows it.
template <typename func_t, typename vec_func_t>
struct VectorizedLoop2d {
  static constexpr int ntensors = function_traits<func_t>::arity + 1;
  func_t op;
  vec_func_t vop;

  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
    char* data[ntensors];
    for (int t = 0; t < ntensors; ++t) data[t] = base[t];
    const int S = contiguous_form(strides);
    for (std::int64_t row = 0; row < size1; ++row) {
      if (S >= 0) {
        vectorized_loop(data, size0, S, op, vop);
      } else {
        basic_loop(data, strides, 0, size0, op);
      }
      for (int t = 0; t < ntensors; ++t) data[t] += strides[ntensors + t];
    }
  }

 private:
  /// 0: all contiguous; S > 0: all but operand S, which is one number; -1: strided.
  static int contiguous_form(const std::int64_t* strides) {
    for (int S = 0; S < ntensors; ++S) {
      if (is_contiguous_scalar<func_t>(strides, S)) return S;
    }
    return -1;
  }
};

/// The loop of a kernel that has no vector form.
template <typename func_t>
struct BasicLoop2d {
  static constexpr int ntensors = function_traits<func_t>::arity + 1;
  func_t op;

  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
    char* data[ntensors];
    for (int t = 0; t < ntensors; ++t) data[t] = base[t];
    for (std::int64_t row = 0; row < size1; ++row) {
      basic_loop(data, strides, 0, size0, op);
      for (int t = 0; t < ntensors; ++t) data[t] += strides[ntensors + t];
    }
  }
};

/// The loop of a kernel whose function takes a row at once.
template <typename row_t, int ntensors>
struct RowLoop2d {
  row_t row;

  void operator()(char** base, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
    char* data[ntensors];
    for (int t = 0; t < ntensors; ++t) data[t] = base[t];
    for (std::int64_t i = 0; i < size1; ++i) {
      row(data, strides, size0);
      for (int t = 0; t < ntensors; ++t) data[t] += strides[ntensors + t];
    }
  }
};

/// row(data, strides, n) computes n elements; strides in bytes, the output's first. For functions that are worth their own handling of vectors
/// and gaps.
template <int ntensors, typename row_t>
void cpu_kernel_rows(TensorIteratorBase& iter, row_t row) {
  RowLoop2d<row_t, ntensors> loop{row};
  iter.for_each(loop);
  iter.cast_outputs();
}

/// out[i] = op(in[i], ...). The types of op's parameters and result are the operands' element types; the caller chose them.
template <typename func_t>
void cpu_kernel(TensorIteratorBase& iter, func_t op) {
  BasicLoop2d<func_t> loop{op};
  iter.for_each(loop);
  iter.cast_outputs();
}

/// The same with `vop` on vectors. Both must give the same bits: which runs depends on memory alone.
template <typename func_t, typename vec_func_t>
void cpu_kernel_vec(TensorIteratorBase& iter, func_t op, vec_func_t vop) {
  VectorizedLoop2d<func_t, vec_func_t> loop{op, vop};
  iter.for_each(loop);
  iter.cast_outputs();
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::native
