#include "operator_note.h"

#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

/// Whether the exception being handled is the engine's own about operands. Errors about Python's arguments name the function already, and
/// what an override or a warning raised is not the engine's.
bool is_about_operands() {
  try {
    throw;
  } catch (const python_error&) {
    return false;
  } catch (const TypeError&) {
    return false;
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// "float32[2, 3]", "2.5", "[float32[2], float32[3]]".
std::string described(PyObject* object, bool inside = false) {
  if (THPVariable_Check(object)) {
    const Tensor& tensor = THPVariable_Unpack(object);
    return tensor.defined() ? std::string(pythonName(tensor.dtype())) + toString(tensor.sizes()) : "no tensor";
  }
  if (!inside && (PyTuple_CheckExact(object) || PyList_CheckExact(object))) {
    const bool is_list = PyList_CheckExact(object);
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object), shown = size < 8 ? size : 8;
    std::string text;
    for (Py_ssize_t i = 0; i < shown; ++i) text += (i ? ", " : "") + described(PySequence_Fast_GET_ITEM(object, i), true);
    if (shown < size) text += ", ...";
    return is_list ? "[" + text + "]" : "(" + text + ")";
  }
  const bool is_plain =
      PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object) || object == Py_None || PyUnicode_CheckExact(object);
  if (!is_plain) return Py_TYPE(object)->tp_name;
  const THPObjectPtr text(PyObject_Repr(object));
  const char* characters = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!characters) PyErr_Clear();
  return characters ? std::string(characters).substr(0, 40) : "?";
}

std::string call_text(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  std::string text = self ? described(self) : "";
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  for (Py_ssize_t i = 0; args && i < PyTuple_GET_SIZE(args); ++i) add(described(PyTuple_GET_ITEM(args, i)));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);) {
    const char* keyword = PyUnicode_AsUTF8(key);
    if (!keyword) PyErr_Clear();
    add(std::string(keyword ? keyword : "?") + "=" + described(value));
  }
  return std::string("in ") + name + "(" + text + ")";
}

}  // namespace

void set_python_error_of_operator(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  set_python_error_from_exception();
  if (!is_about_operands()) return;
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  const THPObjectPtr done(PyObject_CallMethod(error, "add_note", "s", call_text(name, self, args, kwargs).c_str()));
  if (!done) PyErr_Clear();
  PyErr_Restore(type, error, traceback);
}

}  // namespace tensorlib
