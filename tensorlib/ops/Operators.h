// The operators, as C++ calls them. `call` starts at the highest key; `redispatch` goes on at the keys it is given.
#pragma once

#include "core/Scalar.h"
#include "core/Tensor.h"
#include "dispatch/Dispatcher.h"

namespace tensorlib::_ops {

struct pow_Tensor_Scalar {
  using schema = Tensor(const Tensor&, const Scalar&);
  static constexpr const char* name = "tensorlib::pow.Tensor_Scalar";
  static constexpr const char* schema_str = "tensorlib::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor";
  static Tensor call(const Tensor& self, const Scalar& exponent);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Scalar& exponent);
};

struct pow_Tensor_Tensor {
  using schema = Tensor(const Tensor&, const Tensor&);
  static constexpr const char* name = "tensorlib::pow.Tensor_Tensor";
  static constexpr const char* schema_str = "tensorlib::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor";
  static Tensor call(const Tensor& self, const Tensor& exponent);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& exponent);
};

struct pow_Scalar {
  using schema = Tensor(const Scalar&, const Tensor&);
  static constexpr const char* name = "tensorlib::pow.Scalar";
  static constexpr const char* schema_str = "tensorlib::pow.Scalar(Scalar self, Tensor exponent) -> Tensor";
  static Tensor call(const Scalar& self, const Tensor& exponent);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Scalar& self, const Tensor& exponent);
};

struct add_Tensor {
  using schema = Tensor(const Tensor&, const Tensor&, const Scalar&);
  static constexpr const char* name = "tensorlib::add.Tensor";
  static constexpr const char* schema_str = "tensorlib::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static Tensor call(const Tensor& self, const Tensor& other, const Scalar& alpha);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other, const Scalar& alpha);
};

struct sub_Tensor {
  using schema = Tensor(const Tensor&, const Tensor&, const Scalar&);
  static constexpr const char* name = "tensorlib::sub.Tensor";
  static constexpr const char* schema_str = "tensorlib::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static Tensor call(const Tensor& self, const Tensor& other, const Scalar& alpha);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other, const Scalar& alpha);
};

struct mul_Tensor {
  using schema = Tensor(const Tensor&, const Tensor&);
  static constexpr const char* name = "tensorlib::mul.Tensor";
  static constexpr const char* schema_str = "tensorlib::mul.Tensor(Tensor self, Tensor other) -> Tensor";
  static Tensor call(const Tensor& self, const Tensor& other);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other);
};

struct randn {
  using schema = Tensor(IntArrayRef, ScalarType);
  static constexpr const char* name = "tensorlib::randn";
  static constexpr const char* schema_str = "tensorlib::randn(int[] size, *, ScalarType dtype) -> Tensor";
  static Tensor call(IntArrayRef size, ScalarType dtype);
  static Tensor redispatch(DispatchKeySet dispatchKeySet, IntArrayRef size, ScalarType dtype);
};

}  // namespace tensorlib::_ops
