// The message of a call that fits none of several signatures: what was given, what is expected, and what is wrong with each.
#include <algorithm>
#include <cstring>

#include "python_arg_parser.h"

namespace tensorlib {

namespace {

struct Option {
  struct Argument {
    std::string type;
    std::string name;
  };
  std::vector<Argument> arguments;  // "*" and the nothing of "()" count as one each, as in PyTorch
};

Option parse_option(const std::string& text) {
  Option option;
  std::string_view rest(text);
  rest = rest.substr(1, rest.size() - 2);
  while (true) {
    const auto comma = rest.find(", ");
    std::string_view one = rest.substr(0, comma);
    one = one.substr(0, one.find(" = "));
    const auto space = one.rfind(' ');
    Option::Argument argument;
    argument.type = one.substr(0, space == one.npos ? one.size() : space);
    if (space != one.npos) argument.name = one.substr(space + 1);
    option.arguments.push_back(argument);
    if (comma == rest.npos) return option;
    rest.remove_prefix(comma + 2);
  }
}

const char* described(PyObject* object) { return Py_TYPE(object)->tp_name; }

using Keywords = std::vector<std::pair<std::string, PyObject*>>;

Keywords keywords_of(PyObject* kwargs) {
  Keywords keywords;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (kwargs && PyDict_Next(kwargs, &position, &key, &value)) {
    const char* text = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
    keywords.emplace_back(text ? text : "?", value);
  }
  return keywords;
}

std::string given(PyObject* args, const Keywords& keywords) {
  std::string text = "(";
  const Py_ssize_t positional = args ? PyTuple_GET_SIZE(args) : 0;
  for (Py_ssize_t i = 0; i < positional; ++i) text += std::string(described(PyTuple_GET_ITEM(args, i))) + ", ";
  for (const auto& [name, value] : keywords) text += name + "=" + described(value) + ", ";
  if (positional) text.resize(text.size() - 2);
  return text + ")";
}

/// The arguments that do not fit stand between exclamation marks.
std::string marked(const Option& option, PyObject* args, const Keywords& keywords) {
  const std::size_t positional = args ? static_cast<std::size_t>(PyTuple_GET_SIZE(args)) : 0;
  std::string text = "(";
  const auto add = [&](const std::string& prefix, PyObject* object, const std::string& wanted) {
    const std::string mark = wanted == Py_TYPE(object)->tp_name ? "" : "!";
    text += mark + prefix + described(object) + mark + ", ";
  };
  for (std::size_t i = 0; i < positional; ++i) {
    add("", PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i)), i < option.arguments.size() ? option.arguments[i].type : "");
  }
  for (const auto& argument : option.arguments) {
    for (const auto& [name, value] : keywords) {
      if (name == argument.name) add(name + "=", value, argument.type);
    }
  }
  if (positional) text.resize(text.size() - 2);
  return text + ")";
}

std::string unmatched(const Option& option, PyObject* args, const Keywords& keywords) {
  const std::size_t positional = args ? static_cast<std::size_t>(PyTuple_GET_SIZE(args)) : 0;
  std::string names;
  for (const auto& [name, value] : keywords) {
    const auto first = option.arguments.begin() + static_cast<std::ptrdiff_t>(std::min(positional, option.arguments.size()));
    const bool known = std::any_of(first, option.arguments.end(), [&](const auto& argument) { return argument.name == name; });
    if (!known) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

std::string format_invalid_args(PyObject* args, PyObject* kwargs, const std::string& name, const std::vector<std::string>& options) {
  const Keywords keywords = keywords_of(kwargs);
  std::string message = name + " received an invalid combination of arguments - ";
  if (options.size() == 1) {
    const Option option = parse_option(options[0]);
    const std::string names = unmatched(option, args, keywords);
    if (!names.empty()) return message + "got unrecognized keyword arguments: " + names;
    return message + "got " + marked(option, args, keywords) + ", but expected " + options[0];
  }
  message += "got " + given(args, keywords) + ", but expected one of:\n";
  const std::size_t count = (args ? static_cast<std::size_t>(PyTuple_GET_SIZE(args)) : 0) + keywords.size();
  for (const std::string& text : options) {
    message += " * " + text + "\n";
    const Option option = parse_option(text);
    if (option.arguments.size() != count) continue;
    const std::string names = unmatched(option, args, keywords);
    message += names.empty() ? "      didn't match because some of the arguments have invalid types: " + marked(option, args, keywords)
                             : "      didn't match because some of the keywords were incorrect: " + names;
    message += "\n";
  }
  return message;
}

}  // namespace tensorlib
