#include "python_arg_parser.h"

#include <cstring>
#include <string_view>

#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

ParameterType parse_type(std::string_view text) {
  if (text == "Tensor") return ParameterType::Tensor;
  if (text == "Scalar") return ParameterType::Scalar;
  if (text == "int") return ParameterType::Int;
  if (text == "IntArrayRef") return ParameterType::IntArrayRef;
  if (text == "bool") return ParameterType::Bool;
  if (text == "ScalarType") return ParameterType::ScalarType;
  return ParameterType::Object;
}

FunctionParameter parse_parameter(std::string_view text, bool keyword_only) {
  const auto space = text.find(' ');
  const auto equals = text.find('=');
  FunctionParameter parameter;
  parameter.type = parse_type(text.substr(0, space));
  parameter.name = text.substr(space + 1, equals == text.npos ? equals : equals - space - 1);
  parameter.optional = equals != text.npos;
  parameter.keyword_only = keyword_only;
  return parameter;
}

// NumPy is not known here: its scalars are told by the name of their base class.
const char* numpy_base(PyObject* object, const char* wanted) {
  PyObject* mro = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    const char* name = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i))->tp_name;
    if (std::strcmp(name, wanted) == 0) return name;
  }
  return nullptr;
}
bool is_numpy_integer(PyObject* object) { return numpy_base(object, "numpy.integer") || numpy_base(object, "numpy.bool_"); }
bool is_numpy_float(PyObject* object) { return numpy_base(object, "numpy.floating"); }

bool is_integer(PyObject* object) { return !PyBool_Check(object) && PyIndex_Check(object) && !THPVariable_Check(object); }

bool is_intlist(PyObject* object) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    if (!is_integer(PySequence_Fast_GET_ITEM(object, i))) return false;
  }
  return true;
}

bool matches(const FunctionParameter& parameter, PyObject* value) {
  if (parameter.optional && value == Py_None) return true;
  switch (parameter.type) {
    case ParameterType::Tensor:
      return THPVariable_Check(value);
    case ParameterType::Scalar:
      return is_scalar(value);
    case ParameterType::Int:
      return is_integer(value);
    case ParameterType::IntArrayRef:
      return is_intlist(value);
    case ParameterType::Bool:
      return PyBool_Check(value);
    case ParameterType::ScalarType:
      return THPDtype_Check(value);
    case ParameterType::Object:
      return true;
  }
  return false;
}

// randn(2, 3): the numbers are the list. True if the whole of args was taken so; also for no numbers at all.
bool takes_numbers_as_list(const FunctionSignature& signature, PyObject* args) {
  if (signature.params.empty() || signature.params[0].type != ParameterType::IntArrayRef || !is_intlist(args)) return false;
  return PyTuple_GET_SIZE(args) > 0;
}

bool fill(const FunctionSignature& signature, PyObject* args, PyObject* kwargs, PythonArgs* result) {
  Py_ssize_t given = PyTuple_GET_SIZE(args);
  Py_ssize_t used_keywords = 0;
  const bool as_list = takes_numbers_as_list(signature, args);
  if (as_list) given = 1;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const FunctionParameter& parameter = signature.params[i];
    PyObject* keyword = kwargs ? PyDict_GetItemString(kwargs, parameter.name.c_str()) : nullptr;
    PyObject* value = keyword;
    if (static_cast<Py_ssize_t>(i) < given) {
      if (keyword || parameter.keyword_only) return false;
      value = as_list ? args : PyTuple_GET_ITEM(args, i);
    }
    if (keyword) ++used_keywords;
    if (!value && !parameter.optional) return false;
    if (value && !matches(parameter, value)) return false;
    result->values[i] = value;
  }
  return given <= static_cast<Py_ssize_t>(signature.params.size()) && used_keywords == (kwargs ? PyDict_GET_SIZE(kwargs) : 0);
}

std::string given_types(PyObject* args, PyObject* kwargs) {
  std::string text;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    text += (text.empty() ? "" : ", ") + std::string(Py_TYPE(PyTuple_GET_ITEM(args, i))->tp_name);
  }
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (kwargs && PyDict_Next(kwargs, &position, &key, &value)) {
    text += (text.empty() ? "" : ", ") + std::string(PyUnicode_AsUTF8(key)) + "=" + Py_TYPE(value)->tp_name;
  }
  return text;
}

}  // namespace

FunctionSignature::FunctionSignature(const std::string& signature) : text(signature) {
  const auto open = text.find('(');
  std::string_view rest = std::string_view(text).substr(open + 1, text.rfind(')') - open - 1);
  bool keyword_only = false;
  while (!rest.empty()) {
    const auto comma = rest.find(", ");
    const std::string_view one = rest.substr(0, comma);
    if (one == "*")
      keyword_only = true;
    else
      params.push_back(parse_parameter(one, keyword_only));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 2);
  }
}

PythonArgParser::PythonArgParser(std::initializer_list<const char*> signatures) {
  for (const char* text : signatures) signatures_.emplace_back(text);
}

PythonArgs PythonArgParser::parse(PyObject* args, PyObject* kwargs) const {
  for (std::size_t i = 0; i < signatures_.size(); ++i) {
    PythonArgs result;
    if (!fill(signatures_[i], args, kwargs, &result)) continue;
    result.signature = static_cast<int>(i);
    return result;
  }
  const std::string name = signatures_[0].text.substr(0, signatures_[0].text.find('('));
  std::string message = name + "() received an invalid combination of arguments - got (" + given_types(args, kwargs) + "), but expected " +
                        (signatures_.size() > 1 ? "one of:" : "");
  for (const FunctionSignature& signature : signatures_) {
    message += (signatures_.size() > 1 ? "\n * " : "") + signature.text.substr(name.size());
  }
  throw TypeError(message);
}

const Tensor& PythonArgs::tensor(int i) const { return THPVariable_Unpack(values[i]); }
Scalar PythonArgs::scalar(int i) const { return unpack_scalar(values[i]); }
std::int64_t PythonArgs::integer(int i) const { return unpack_long(values[i]); }
ScalarType PythonArgs::dtype(int i, ScalarType otherwise) const { return has(i) ? THPDtype_Unpack(values[i]) : otherwise; }

DimVector PythonArgs::intlist(int i) const {
  DimVector list;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values[i]); ++k) list.push_back(unpack_long(PySequence_Fast_GET_ITEM(values[i], k)));
  return list;
}

bool is_scalar(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || is_numpy_integer(object) || is_numpy_float(object);
}

Scalar unpack_scalar(PyObject* object) {
  if (PyBool_Check(object)) return Scalar(object == Py_True);
  if (PyFloat_Check(object)) return Scalar(PyFloat_AS_DOUBLE(object));
  if (is_numpy_float(object)) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) throw python_error();
    return Scalar(value);
  }
  if (numpy_base(object, "numpy.bool_")) return Scalar(PyObject_IsTrue(object) == 1);
  return Scalar(unpack_long(object));
}

std::int64_t unpack_long(PyObject* object) {
  const THPObjectPtr number(PyNumber_Index(object));
  if (!number) throw python_error();
  const long long value = PyLong_AsLongLong(number.get());
  if (value == -1 && PyErr_Occurred()) throw python_error();
  return value;
}

}  // namespace tensorlib
