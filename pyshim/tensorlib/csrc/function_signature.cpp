// Signatures: read once from their text, then matched with calls.
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <set>

#include "DType.h"
#include "Exceptions.h"
#include "Generator.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_arg_parser.h"
#include "python_numbers.h"
#include "python_torch_function.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

struct TypeName {
  const char* schema;
  ParameterType type;
  const char* shown;
};

constexpr TypeName type_names[] = {
    {"Tensor", ParameterType::Tensor, "Tensor"},
    {"Scalar", ParameterType::Scalar, "Number"},
    {"int", ParameterType::Int64, "int"},
    {"int64_t", ParameterType::Int64, "int"},
    {"double", ParameterType::Double, "float"},
    {"float", ParameterType::Double, "float"},
    {"TensorList", ParameterType::TensorList, "tuple of Tensors"},
    {"IntArrayRef", ParameterType::IntList, "tuple of ints"},
    {"Generator", ParameterType::Generator, "tensorlib.Generator"},
    {"bool", ParameterType::Bool, "bool"},
    {"PyObject*", ParameterType::PyObject, "object"},
    {"ScalarType", ParameterType::ScalarType, "tensorlib.dtype"},
    {"Device", ParameterType::Device, "tensorlib.device"},
    {"c10::string_view", ParameterType::String, "str"},
    {"str", ParameterType::String, "str"},
};

ParameterType parse_type(std::string_view text) {
  for (const TypeName& row : type_names) {
    if (text == row.schema) return row.type;
  }
  throw Error("PythonArgParser: unknown parameter type '" + std::string(text) + "'");
}

/// NumPy's words for some parameters are accepted as well.
const char* numpy_compatible_name(const std::string& name) {
  if (name == "dim") return "axis";
  if (name == "keepdim") return "keepdims";
  if (name == "input") return "x";
  if (name == "other") return "x2";
  return nullptr;
}

/// Operators whose tensor parameters take Python numbers too, in whatever place.
bool should_allow_numbers_as_tensors(std::string_view name) {
  static const std::set<std::string_view> allowed = {
      "add", "add_", "add_out", "div", "div_", "div_out", "divide", "divide_", "mul", "mul_", "mul_out", "multiply", "multiply_", "sub",
      "sub_", "sub_out", "subtract", "subtract_", "true_divide", "true_divide_", "floor_divide", "floor_divide_", "floor_divide_out",
      "copy_",
      // Operators that have no overload of their own for a number here.
      "rsub", "remainder", "remainder_", "fmod", "fmod_", "eq", "eq_", "ne", "ne_", "lt", "lt_", "le", "le_", "gt", "gt_", "ge", "ge_",
      "bitwise_and", "bitwise_and_", "bitwise_or", "bitwise_or_", "bitwise_xor", "bitwise_xor_"};
  return allowed.count(name) != 0;
}

DimVector parse_intlist(std::string_view text, int size) {
  DimVector list;
  while (!text.empty()) {
    if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      list.push_back(value);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    } else {
      text.remove_prefix(1);
    }
  }
  if (list.size() == 1) list.resize(static_cast<std::size_t>(size > 0 ? size : 1), list[0]);
  return list;
}

void set_default(FunctionParameter& parameter, const std::string& text) {
  parameter.optional = true;
  parameter.default_text = text;
  if (text == "None") {
    parameter.allow_none = true;
    return;
  }
  if (parameter.type == ParameterType::Bool) {
    parameter.default_bool = text == "True" || text == "true";
  } else if (parameter.type == ParameterType::Int64) {
    parameter.default_int = std::strtoll(text.c_str(), nullptr, 10);
  } else if (parameter.type == ParameterType::Double) {
    parameter.default_double = std::strtod(text.c_str(), nullptr);
  } else if (parameter.type == ParameterType::IntList) {
    parameter.default_intlist = parse_intlist(text, parameter.size);
  } else if (parameter.type == ParameterType::Scalar) {
    if (text == "True" || text == "False") {
      parameter.default_scalar = Scalar(text == "True");
    } else if (text.find_first_of(".en") == text.npos) {
      parameter.default_scalar = Scalar(static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
    } else {
      parameter.default_scalar = Scalar(std::strtod(text.c_str(), nullptr));
    }
  }
}

bool is_integral_0dim(PyObject* object) {
  if (!THPVariable_Check(object)) return false;
  const Tensor& tensor = THPVariable_Unpack(object);
  return tensor.dim() == 0 && !tensor.requires_grad() && isIntegralType(tensor.dtype(), /*includeBool=*/false);
}

bool is_int_list(PyObject* object, int size, std::int64_t* failed_idx) {
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* element = PySequence_Fast_GET_ITEM(object, i);
      // A bool after the first place is an int to Python and to PyTorch.
      if (THPUtils_checkIndex(element) || is_integral_0dim(element) || (i > 0 && PyBool_Check(element))) continue;
      if (failed_idx) *failed_idx = i;
      return false;
    }
    return true;
  }
  // int[1] dim: one int means a list of one
  return size > 0 && THPUtils_checkLong(object);
}

bool is_tensor_and_append_overloaded(PyObject* object, OverloadedArgs* overloaded) {
  if (THPVariable_CheckExact(object)) return true;
  if (check_has_torch_function(object)) {
    append_overloaded_arg(overloaded, object);
    return true;
  }
  return THPVariable_Check(object);
}

bool is_tensor_list_and_append_overloaded(PyObject* object, OverloadedArgs* overloaded, int argument) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* element = PySequence_Fast_GET_ITEM(object, i);
    if (is_tensor_and_append_overloaded(element, overloaded) || element == Py_None) continue;
    throw TypeError("expected Tensor as element " + std::to_string(i) + " in argument " + std::to_string(argument) + ", but got " +
                    Py_TYPE(element)->tp_name);
  }
  return true;
}

bool is_number_tensor(PyObject* object) {
  return THPVariable_Check(object) && THPVariable_Unpack(object).dim() == 0 && !THPVariable_Unpack(object).requires_grad();
}

}  // namespace

FunctionParameter::FunctionParameter(std::string_view text, bool is_keyword_only) : keyword_only(is_keyword_only) {
  const auto space = text.find(' ');
  std::string_view type_text = text.substr(0, space);
  if (type_text.ends_with('?')) {
    allow_none = true;
    type_text.remove_suffix(1);
  }
  if (const auto bracket = type_text.find('['); bracket != type_text.npos) {
    const std::string number(type_text.substr(bracket + 1));
    size = static_cast<int>(std::strtol(number.c_str(), nullptr, 10));
    type_text = type_text.substr(0, bracket);
  }
  type = parse_type(type_text);
  const std::string_view rest = text.substr(space + 1);
  const auto equals = rest.find('=');
  name = rest.substr(0, equals);
  if (equals != rest.npos) set_default(*this, std::string(rest.substr(equals + 1)));
  python_name = PyUnicode_InternFromString(name.c_str());
  const char* compatible = numpy_compatible_name(name);
  numpy_name = compatible ? PyUnicode_InternFromString(compatible) : nullptr;
}

std::string FunctionParameter::type_name() const {
  for (const TypeName& row : type_names) {
    if (row.type == type) return row.shown;
  }
  return "object";
}

bool FunctionParameter::check(PyObject* object, OverloadedArgs* overloaded, int argument, std::int64_t* failed_idx) const {
  switch (type) {
    case ParameterType::Tensor:
      return is_tensor_and_append_overloaded(object, overloaded) || (allow_numbers_as_tensors && THPUtils_checkScalar(object));
    case ParameterType::Scalar:
      return THPUtils_checkScalar(object) || is_number_tensor(object);
    case ParameterType::Double:
      return THPUtils_checkDouble(object) || is_number_tensor(object);
    case ParameterType::Int64:
      return THPUtils_checkLong(object) || is_integral_0dim(object);
    case ParameterType::TensorList:
      return is_tensor_list_and_append_overloaded(object, overloaded, argument);
    case ParameterType::IntList:
      return is_int_list(object, size, failed_idx);
    case ParameterType::Generator:
      return THPGenerator_Check(object);
    case ParameterType::Bool:
      return PyBool_Check(object) || is_numpy_bool(object);
    case ParameterType::ScalarType:
      return THPDtype_Check(object) || THPPythonScalarType_Check(object);
    case ParameterType::Device:
      return THPDevice_Check(object);
    case ParameterType::String:
      return PyUnicode_Check(object);
    case ParameterType::PyObject:
      return true;
  }
  return false;
}

FunctionParameter::Fit FunctionParameter::check_plain(PyObject* object) const {
  const bool is_tensor = THPVariable_CheckExact(object), is_int = PyLong_CheckExact(object);
  if (keyword_only || (!is_tensor && !is_int && !PyFloat_CheckExact(object))) return Fit::unknown;
  switch (type) {
    case ParameterType::Tensor:
      return is_tensor || allow_numbers_as_tensors ? Fit::yes : Fit::no;
    case ParameterType::Scalar:
    case ParameterType::Double:
      return is_tensor ? Fit::unknown : Fit::yes;
    case ParameterType::Int64:
      return is_tensor ? Fit::unknown : is_int ? Fit::yes : Fit::no;
    default:
      return Fit::unknown;
  }
}

FunctionParameter::Fit FunctionSignature::parse_plain(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[]) const {
  using Fit = FunctionParameter::Fit;
  const std::size_t given = args ? static_cast<std::size_t>(PyTuple_GET_SIZE(args)) : 0;
  if (kwargs || given > params.size() || given < min_args || (self && !THPVariable_CheckExact(self))) return Fit::unknown;
  for (std::size_t i = 0; i < given; ++i) {
    dst[i] = PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i));
    if (const Fit fit = params[i].check_plain(dst[i]); fit != Fit::yes) return fit;
  }
  for (std::size_t i = given; i < params.size(); ++i) {
    if (!params[i].optional) return Fit::unknown;
    dst[i] = nullptr;
  }
  return Fit::yes;
}

FunctionSignature::FunctionSignature(std::string_view text) {
  const auto open = text.find('(');
  name = text.substr(0, open);
  const auto close = text.rfind(')');
  hidden = text.substr(close).find("|hidden") != text.npos;
  std::string_view rest = text.substr(open + 1, close - open - 1);
  const bool numbers = should_allow_numbers_as_tensors(name);
  bool keyword_only = false;
  while (!rest.empty()) {
    // A comma inside brackets belongs to a default: "int[2] padding=[0, 0]".
    std::size_t end = 0;
    for (int depth = 0; end < rest.size() && (depth || rest[end] != ','); ++end) {
      depth += (rest[end] == '[' || rest[end] == '(') - (rest[end] == ']' || rest[end] == ')');
    }
    const std::string_view one = rest.substr(0, end);
    if (one == "*") {
      keyword_only = true;
    } else {
      params.emplace_back(one, keyword_only);
      params.back().allow_numbers_as_tensors = numbers && params.back().name != "out";
      if (!params.back().optional) ++min_args;
      if (!keyword_only) ++max_pos_args;
    }
    rest.remove_prefix(end);
    while (!rest.empty() && (rest[0] == ',' || rest[0] == ' ')) rest.remove_prefix(1);
  }
  max_args = params.size();
}

std::string FunctionSignature::toString() const {
  std::string text = "(";
  bool keyword_only = false;
  for (const FunctionParameter& parameter : params) {
    if (text.size() > 1) text += ", ";
    if (parameter.keyword_only && !keyword_only) text += "*, ";
    keyword_only |= parameter.keyword_only;
    text += parameter.type_name() + " " + parameter.name;
    if (parameter.optional) text += " = " + parameter.default_text;
  }
  return text + ")";
}

namespace {

[[noreturn]] void extra_args(const FunctionSignature& signature, Py_ssize_t given) {
  const std::size_t most = signature.max_pos_args, least = signature.min_args;
  const std::string were = given == 1 ? " was given" : " were given";
  const std::string expected = least != most ? "from " + std::to_string(least) + " to " + std::to_string(most) + " positional arguments"
                                             : std::to_string(most) + " positional argument" + (most == 1 ? "" : "s");
  throw TypeError(signature.name + "() takes " + expected + " but " + std::to_string(given) + were);
}

[[noreturn]] void missing_args(const FunctionSignature& signature, std::size_t first) {
  std::string names;
  int count = 0;
  for (std::size_t i = first; i < signature.params.size(); ++i) {
    if (signature.params[i].optional) continue;
    names += (count++ ? ", " : "") + ('"' + signature.params[i].name + '"');
  }
  throw TypeError(signature.name + "() missing " + std::to_string(count) + " required positional arguments: " + names);
}

[[noreturn]] void extra_kwargs(const FunctionSignature& signature, PyObject* kwargs, Py_ssize_t positional) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(kwargs, &position, &key, &value)) {
    if (!PyUnicode_Check(key)) throw TypeError("keywords must be strings");
    const std::string text = PyUnicode_AsUTF8(key);
    std::size_t place = 0;
    while (place < signature.params.size() && signature.params[place].name != text) ++place;
    if (place == signature.params.size()) throw TypeError(signature.name + "() got an unexpected keyword argument '" + text + "'");
    if (static_cast<Py_ssize_t>(place) < positional) {
      throw TypeError(signature.name + "() got multiple values for argument '" + text + "'");
    }
  }
  throw TypeError(signature.name + "(): invalid keyword arguments");
}

[[noreturn]] void wrong_type(const FunctionSignature& signature, const FunctionParameter& parameter, PyObject* object, Py_ssize_t position,
                             bool is_keyword, PyObject* args, std::int64_t failed_idx) {
  std::string text = signature.name + "(): argument '" + parameter.name + "'";
  if (failed_idx >= 0) {
    if (!PyTuple_Check(object) && !PyList_Check(object)) object = args;
    throw TypeError(text + " must be " + parameter.type_name() + ", but found element of type " +
                    Py_TYPE(PySequence_Fast_GET_ITEM(object, failed_idx))->tp_name + " at pos " + std::to_string(failed_idx + 1));
  }
  if (!is_keyword) text += " (position " + std::to_string(position + 1) + ")";
  throw TypeError(text + " must be " + parameter.type_name() + ", not " + Py_TYPE(object)->tp_name);
}

PyObject* keyword_argument(PyObject* kwargs, const FunctionParameter& parameter) {
  PyObject* object = PyDict_GetItemWithError(kwargs, parameter.python_name);
  if (!object && parameter.numpy_name) object = PyDict_GetItemWithError(kwargs, parameter.numpy_name);
  return object;
}

}  // namespace

bool FunctionSignature::parse(PyObject* self, PyObject* args, PyObject* kwargs, PyObject* dst[], OverloadedArgs* overloaded,
                              bool raise_exception) const {
  const Py_ssize_t nargs = args ? PyTuple_GET_SIZE(args) : 0;
  Py_ssize_t remaining_kwargs = kwargs ? PyDict_GET_SIZE(kwargs) : 0;
  // A single list of ints may be given as numbers: view(2, 3).
  const bool allow_varargs_intlist = max_pos_args == 1 && params[0].type == ParameterType::IntList;
  if (nargs > static_cast<Py_ssize_t>(max_pos_args) && !allow_varargs_intlist) {
    if (raise_exception) extra_args(*this, nargs);
    return false;
  }
  overloaded->resize(0);
  if (self && check_has_torch_function(self)) append_overloaded_arg(overloaded, self);

  Py_ssize_t arg_pos = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const FunctionParameter& parameter = params[i];
    PyObject* object = nullptr;
    bool is_keyword = false;
    if (arg_pos < nargs) {
      if (parameter.keyword_only) {
        if (raise_exception) extra_args(*this, nargs);
        return false;
      }
      object = PyTuple_GET_ITEM(args, arg_pos);
    } else if (remaining_kwargs > 0) {
      object = keyword_argument(kwargs, parameter);
      is_keyword = true;
    }

    std::int64_t failed_idx = -1, failed_number = -1;
    const bool varargs_eligible = allow_varargs_intlist && arg_pos == 0 && !is_keyword && nargs > 0;
    if ((!object && parameter.optional) || (object == Py_None && parameter.allow_none)) {
      dst[i] = nullptr;
    } else if (!object) {
      if (raise_exception) missing_args(*this, i);
      return false;
    } else if (parameter.check(object, overloaded, static_cast<int>(i), &failed_idx)) {
      dst[i] = object;
    } else if (varargs_eligible && is_int_list(args, parameter.size, &failed_number)) {
      dst[i] = args;
      arg_pos = nargs;
      continue;
    } else {
      if (raise_exception) {
        // Where the first of several single numbers is wrong, that is told about the argument itself.
        if (varargs_eligible && failed_number > 0 && !PyTuple_Check(object) && !PyList_Check(object)) failed_idx = failed_number;
        wrong_type(*this, parameter, object, arg_pos, is_keyword, args, failed_idx);
      }
      return false;
    }
    if (!is_keyword) {
      ++arg_pos;
    } else if (object) {
      --remaining_kwargs;
    }
  }
  if (arg_pos < nargs || remaining_kwargs > 0) {
    if (raise_exception && arg_pos < nargs) extra_args(*this, nargs);
    if (raise_exception) extra_kwargs(*this, kwargs, nargs);
    return false;
  }
  return true;
}

}  // namespace tensorlib
