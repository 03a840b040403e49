#include "autograd/python_anomaly_mode.h"

#include "Exceptions.h"
#include "autograd/function.h"
#include "gil.h"

namespace tensorlib::autograd {

namespace {

/// Python's stack where forward made a node.
class PyAnomalyMetadata final : public AnomalyMetadata {
 public:
  explicit PyAnomalyMetadata(PyObject* stack) : stack_(stack) {}
  ~PyAnomalyMetadata() override {
    if (!Py_IsInitialized()) return;
    const gil_scoped_acquire gil;
    Py_DECREF(stack_);
  }

  void print_stack(const std::string& node_name) override {
    const gil_scoped_acquire gil;
    PyObject *type, *value, *traceback;  // the error that the stack is about
    PyErr_Fetch(&type, &value, &traceback);
    const THPObjectPtr nothing(PyUnicode_FromString(""));
    const THPObjectPtr text(nothing ? PyUnicode_Join(nothing.get(), stack_) : nullptr);
    const char* lines = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (!lines || PyErr_WarnFormat(PyExc_UserWarning, 1, "Error detected in %s. Traceback of forward call that caused the error:\n%s",
                                   node_name.c_str(), lines) < 0) {
      PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
  }

 private:
  PyObject* stack_;
};

std::unique_ptr<AnomalyMetadata> make_metadata() {
  const gil_scoped_acquire gil;
  const THPObjectPtr traceback(PyImport_ImportModule("traceback"));
  PyObject* stack = traceback ? PyObject_CallMethod(traceback.get(), "format_stack", nullptr) : nullptr;
  if (!stack) throw python_error();
  return std::make_unique<PyAnomalyMetadata>(stack);
}

PyObject* anomaly_mode(PyObject*, PyObject*) {
  return Py_BuildValue("(NN)", PyBool_FromLong(AnomalyMode::is_enabled()), PyBool_FromLong(AnomalyMode::should_check_nan()));
}

PyObject* set_anomaly_mode(PyObject*, PyObject* args) {
  int enabled, check_nan;
  if (!PyArg_ParseTuple(args, "pp:_set_anomaly_mode", &enabled, &check_nan)) return nullptr;
  AnomalyMode::set_enabled(enabled != 0, check_nan != 0);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_anomaly_mode", anomaly_mode, METH_NOARGS, "Whether it is on, and whether it looks for nan."},
    {"_set_anomaly_mode", set_anomaly_mode, METH_VARARGS, "_set_anomaly_mode(enabled, check_nan)"},
    {},
};

}  // namespace

bool THPAnomalyMode_initModule(PyObject* module) {
  AnomalyMode::factory = make_metadata;
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tensorlib::autograd
