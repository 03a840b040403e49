// Overloads of a Python function, told apart by their signatures: "pow(Scalar exponent)", "add(Tensor other, *, Scalar alpha=1)".
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib {

enum class ParameterType { Tensor, Scalar, Int, IntArrayRef, Bool, ScalarType, Object };

struct FunctionParameter {
  std::string name;
  ParameterType type;
  bool optional = false;
  bool keyword_only = false;
};

struct FunctionSignature {
  explicit FunctionSignature(const std::string& text);
  std::string text;
  std::vector<FunctionParameter> params;
};

/// The arguments of a call, matched with a signature. Borrowed from the call.
struct PythonArgs {
  static constexpr int max_params = 8;
  int signature = -1;
  PyObject* values[max_params] = {};

  /// Whether argument i was given and is not None.
  bool has(int i) const { return values[i] && values[i] != Py_None; }
  const Tensor& tensor(int i) const;
  Scalar scalar(int i) const;
  Scalar scalar(int i, const Scalar& otherwise) const { return has(i) ? scalar(i) : otherwise; }
  std::int64_t integer(int i) const;
  bool boolean(int i, bool otherwise) const { return has(i) ? values[i] == Py_True : otherwise; }
  DimVector intlist(int i) const;
  ScalarType dtype(int i, ScalarType otherwise) const;
};

/// Parses its signatures once; then safe from any thread that holds the GIL.
class PythonArgParser {
 public:
  explicit PythonArgParser(std::initializer_list<const char*> signatures);

  /// The first signature that fits. Raises TypeError, which lists the signatures, when none does.
  /// An IntArrayRef that is the first parameter may be given as single numbers: randn(2, 3).
  PythonArgs parse(PyObject* args, PyObject* kwargs) const;

 private:
  std::vector<FunctionSignature> signatures_;
};

/// A Python number as a Scalar: int, float, bool, or NumPy's. OverflowError for an int beyond 64 bits.
bool is_scalar(PyObject* object);
Scalar unpack_scalar(PyObject* object);
/// An int, or what has __index__. Raises what Python raises.
std::int64_t unpack_long(PyObject* object);

}  // namespace tensorlib
