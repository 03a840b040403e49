#include "python_arg_parser.h"

#include "DType.h"
#include "Exceptions.h"
#include "Generator.h"
#include "core/Exception.h"
#include "python_numbers.h"
#include "python_variable.h"

namespace tensorlib {

PythonArgParser::PythonArgParser(std::initializer_list<const char*> signatures) {
  for (const char* text : signatures) signatures_.emplace_back(text);
}

PythonArgs PythonArgParser::raw_parse(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const {
  int plain = 0;
  for (const FunctionSignature& signature : signatures_) {
    const auto fit = signature.parse_plain(self, args, kwargs, dst);
    if (fit == FunctionParameter::Fit::yes) return PythonArgs{plain, signature, dst, {}};
    if (fit == FunctionParameter::Fit::unknown) break;
    ++plain;
  }
  PythonArgs result{0, signatures_[0], dst, {}};
  if (signatures_.size() == 1) {
    signatures_[0].parse(self, args, kwargs, dst, &result.overloaded_args, /*raise_exception=*/true);
    return result;
  }
  int i = 0;
  for (const FunctionSignature& signature : signatures_) {
    if (signature.parse(self, args, kwargs, dst, &result.overloaded_args, /*raise_exception=*/false)) {
      return PythonArgs{i, signature, dst, result.overloaded_args};
    }
    ++i;
  }
  print_error(self, args, kwargs, dst);
}

namespace {

bool has_complex(PyObject* args, PyObject* kwargs) {
  for (Py_ssize_t i = 0; args && i < PyTuple_GET_SIZE(args); ++i) {
    if (PyComplex_Check(PyTuple_GET_ITEM(args, i))) return true;
  }
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (kwargs && PyDict_Next(kwargs, &position, &key, &value)) {
    if (PyComplex_Check(value)) return true;
  }
  return false;
}

}  // namespace

void PythonArgParser::print_error(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const {
  const std::size_t given = (args ? PyTuple_GET_SIZE(args) : 0) + (kwargs ? PyDict_GET_SIZE(kwargs) : 0);
  std::vector<const FunctionSignature*> plausible;
  std::vector<std::string> options;
  // Numbers one by one, view(2, 3), mean the overload that takes a list of them.
  const bool is_numbers = args && PyTuple_GET_SIZE(args) > 1 && THPUtils_checkIndex(PyTuple_GET_ITEM(args, 0));
  for (const FunctionSignature& signature : signatures_) {
    const bool takes_numbers = signature.max_pos_args == 1 && signature.params[0].type == ParameterType::IntList;
    if (is_numbers && takes_numbers) {
      plausible.assign(1, &signature);
      break;
    }
    if (given >= signature.min_args && given <= signature.max_args && !signature.hidden) plausible.push_back(&signature);
    if (!signature.hidden) options.push_back(signature.toString());
  }
  if (has_complex(args, kwargs)) {
    throw TypeError(signatures_[0].name + "(): complex numbers are not supported: tensorlib computes with real numbers and integers");
  }
  OverloadedArgs overloaded;
  if (plausible.size() == 1) plausible[0]->parse(self, args, kwargs, dst, &overloaded, /*raise_exception=*/true);
  throw TypeError(format_invalid_args(args, kwargs, signatures_[0].name + "()", options));
}

Tensor PythonArgs::tensor(int i) const {
  if (!args[i]) return Tensor();
  if (THPVariable_Check(args[i])) return THPVariable_Unpack(args[i]);
  return wrapped_scalar_tensor(unpack_scalar(args[i]));
}

std::optional<Tensor> PythonArgs::optionalTensor(int i) const {
  if (!args[i]) return std::nullopt;
  return tensor(i);
}

std::vector<Tensor> PythonArgs::tensorlist(int i) const {
  std::vector<Tensor> list;
  if (!args[i]) return list;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(args[i]);
  list.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t k = 0; k < size; ++k) {
    PyObject* element = PySequence_Fast_GET_ITEM(args[i], k);
    if (!THPVariable_Check(element)) {
      throw TypeError("expected Tensor as element " + std::to_string(k) + " in argument " + std::to_string(i) + ", but got " +
                      Py_TYPE(element)->tp_name);
    }
    list.push_back(THPVariable_Unpack(element));
  }
  return list;
}

std::vector<Tensor> PythonArgs::tensorlist_n(int i, std::size_t n) const {
  std::vector<Tensor> list = tensorlist(i);
  if (list.size() != n) {
    throw TypeError("expected tuple of " + std::to_string(n) + " elements but got " + std::to_string(list.size()));
  }
  return list;
}

std::vector<std::optional<Tensor>> PythonArgs::list_of_optional_tensors(int i) const {
  std::vector<std::optional<Tensor>> list;
  for (Py_ssize_t k = 0; args[i] && k < PySequence_Fast_GET_SIZE(args[i]); ++k) {
    PyObject* element = PySequence_Fast_GET_ITEM(args[i], k);
    list.push_back(element == Py_None ? std::optional<Tensor>() : THPVariable_Unpack(element));
  }
  return list;
}

Scalar PythonArgs::scalar(int i) const {
  if (args[i]) return unpack_scalar(args[i]);
  return signature.params[i].default_scalar.value_or(Scalar(0));
}

std::optional<Scalar> PythonArgs::scalarOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return unpack_scalar(args[i]);
}

namespace {

std::int64_t unpack_int64(PyObject* object) {
  return THPVariable_Check(object) ? item(THPVariable_Unpack(object)).toLong() : THPUtils_unpackLong(object);
}

double unpack_double(PyObject* object) {
  return THPVariable_Check(object) ? item(THPVariable_Unpack(object)).toDouble() : THPUtils_unpackDouble(object);
}

DimVector unpack_intlist(PyObject* object, int size) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return DimVector(static_cast<std::size_t>(size), unpack_int64(object));
  DimVector list;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(object); ++k) list.push_back(unpack_int64(PySequence_Fast_GET_ITEM(object, k)));
  return list;
}

}  // namespace

std::int64_t PythonArgs::toInt64(int i) const { return args[i] ? unpack_int64(args[i]) : signature.params[i].default_int; }

std::optional<std::int64_t> PythonArgs::toInt64Optional(int i) const {
  if (!args[i]) return std::nullopt;
  return unpack_int64(args[i]);
}

double PythonArgs::toDouble(int i) const { return args[i] ? unpack_double(args[i]) : signature.params[i].default_double; }

std::optional<double> PythonArgs::toDoubleOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return unpack_double(args[i]);
}

std::optional<bool> PythonArgs::toBoolOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return toBool(i);
}

DimVector PythonArgs::intlist(int i) const {
  return args[i] ? unpack_intlist(args[i], signature.params[i].size) : signature.params[i].default_intlist;
}

std::optional<DimVector> PythonArgs::intlistOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return unpack_intlist(args[i], signature.params[i].size);
}

std::optional<ScalarType> PythonArgs::scalartypeOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return THPDtype_UnpackAny(args[i]);
}

ScalarType PythonArgs::scalartype(int i) const { return args[i] ? THPDtype_UnpackAny(args[i]) : get_default_dtype(); }

CPUGenerator* PythonArgs::generator(int i) const { return args[i] ? &THPGenerator_Unpack(args[i]) : nullptr; }

std::string_view PythonArgs::string(int i) const {
  if (!args[i]) {
    std::string_view text = signature.params[i].default_text;
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) text = text.substr(1, text.size() - 2);
    return text;
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(args[i], &size);
  if (!text) throw python_error();
  return {text, static_cast<std::size_t>(size)};
}

std::optional<std::string_view> PythonArgs::stringOptional(int i) const {
  if (!args[i]) return std::nullopt;
  return string(i);
}

}  // namespace tensorlib
