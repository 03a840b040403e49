// Takes the arguments of a call from Python apart, by PyTorch's rules and with its error messages.
//
//   static const PythonArgParser parser({"pow(Tensor exponent)", "pow(Scalar exponent)"});
//   ParsedArgs<1> parsed_args;
//   const PythonArgs r = parser.parse(self_, args, kwargs, parsed_args);
//   if (r.has_torch_function()) return handle_torch_function(r, self_, args, kwargs, THPVariableClass, "tensorlib.Tensor");
//   if (r.idx == 0) ... r.tensor(0) ... else ... r.scalar(0) ...
//
// Signatures are tried in order and the first that fits is taken. An ordinary call allocates nothing here.
#pragma once

#include <Python.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/CPUGenerator.h"
#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib {

enum class ParameterType { Tensor, Scalar, Int64, Double, TensorList, IntList, Generator, Bool, PyObject, ScalarType, Device, String };

/// The arguments of a call whose types may want to handle it, in the order in which they are asked: subclasses before their bases, else
/// from left to right; one for each type.
using OverloadedArgs = SmallVector<PyObject*, 4>;

struct FunctionParameter {
  /// `text` is "int[1] dim=None"; `keyword_only` once a "*" came before it.
  FunctionParameter(std::string_view text, bool keyword_only);

  /// Whether a given argument has the right type; arguments that override are added to `overloaded`. For a list of numbers, failed_idx is
  /// set to the first element that is none. Raises TypeError for a list of tensors with another thing in it.
  bool check(PyObject* object, OverloadedArgs* overloaded, int argument, std::int64_t* failed_idx) const;
  /// The same for what most arguments are, plain tensors and numbers; `unknown` of everything else.
  enum class Fit { no, yes, unknown };
  Fit check_plain(PyObject* object) const;
  /// "tuple of ints", as error messages call the type.
  std::string type_name() const;

  ParameterType type;
  std::string name;
  PyObject* python_name;  ///< interned, lives for ever
  PyObject* numpy_name;   ///< "axis" for "dim" and the like, or null
  bool optional = false;  ///< has a default
  bool allow_none = false;
  bool keyword_only = false;
  bool allow_numbers_as_tensors = false;
  int size = 0;  ///< n of "int[n]": a single int may stand for a list

  std::string default_text;
  double default_double = 0;
  std::int64_t default_int = 0;
  bool default_bool = false;
  DimVector default_intlist;
  std::optional<Scalar> default_scalar;
};

struct FunctionSignature {
  explicit FunctionSignature(std::string_view text);

  /// Whether the call fits; fills `dst`, null standing for "not given, or None". With raise_exception it explains why not instead.
  bool parse(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[], OverloadedArgs* overloaded, bool raise_exception) const;
  /// The same for calls with plain tensors and numbers, none by keyword.
  FunctionParameter::Fit parse_plain(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const;
  /// "(Tensor input, Number exponent, *, Tensor out = None)".
  std::string toString() const;

  std::string name;
  std::vector<FunctionParameter> params;
  std::size_t min_args = 0;
  std::size_t max_args = 0;
  std::size_t max_pos_args = 0;
  bool hidden = false;  ///< "|hidden" after it: accepted, but not listed
};

/// Room for the arguments of a signature with up to N parameters.
template <int N>
struct ParsedArgs {
  std::array<PyObject*, N == 0 ? 1 : N> args{};
};

/// A call that was matched with signature number `idx`. Everything is borrowed from the call. Accessors give the parameter's default where
/// the argument was not given; the ...Optional ones give nothing.
struct PythonArgs {
  int idx = 0;
  const FunctionSignature& signature;
  PyObject** args;
  OverloadedArgs overloaded_args;

  bool has_torch_function() const { return !overloaded_args.empty(); }
  bool isNone(int i) const { return args[i] == nullptr; }

  /// A number counts as a tensor where the operator allows it; what was not given is undefined.
  Tensor tensor(int i) const;
  std::optional<Tensor> optionalTensor(int i) const;
  std::vector<Tensor> tensorlist(int i) const;
  /// Of exactly n: out=(values, indices). Raises TypeError for another number.
  std::vector<Tensor> tensorlist_n(int i, std::size_t n) const;
  /// For indices: None among them gives an undefined tensor.
  std::vector<std::optional<Tensor>> list_of_optional_tensors(int i) const;
  Scalar scalar(int i) const;
  std::optional<Scalar> scalarOptional(int i) const;
  std::int64_t toInt64(int i) const;
  std::optional<std::int64_t> toInt64Optional(int i) const;
  double toDouble(int i) const;
  std::optional<double> toDoubleOptional(int i) const;
  bool toBool(int i) const { return args[i] ? args[i] == Py_True || PyObject_IsTrue(args[i]) == 1 : signature.params[i].default_bool; }
  std::optional<bool> toBoolOptional(int i) const;
  DimVector intlist(int i) const;
  std::optional<DimVector> intlistOptional(int i) const;
  std::optional<ScalarType> scalartypeOptional(int i) const;
  ScalarType scalartype(int i) const;
  /// Null for the default generator.
  CPUGenerator* generator(int i) const;
  std::string_view string(int i) const;
  std::optional<std::string_view> stringOptional(int i) const;
  PyObject* pyobject(int i) const { return args[i] ? args[i] : Py_None; }
};

/// Parses its signatures once; then safe from any thread that holds the GIL.
class PythonArgParser {
 public:
  explicit PythonArgParser(std::initializer_list<const char*> signatures);

  /// Raises TypeError with the signatures when none fits. `self` is null for functions.
  template <int N>
  PythonArgs parse(PyObject* self, PyObject* args, PyObject* kwargs, ParsedArgs<N>& dst) const {
    return raw_parse(self, args, kwargs, dst.args.data());
  }

 private:
  PythonArgs raw_parse(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const;
  [[noreturn]] void print_error(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const;

  std::vector<FunctionSignature> signatures_;
};

/// "pow() received an invalid combination of arguments - got (str), but expected one of: ...".
std::string format_invalid_args(PyObject* args, PyObject* kwargs, const std::string& name, const std::vector<std::string>& options);

}  // namespace tensorlib
