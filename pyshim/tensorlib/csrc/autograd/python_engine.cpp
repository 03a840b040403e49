// Backward from Python: _C._run_backward and _C._grad. The GIL is released while the graph runs; hooks take it again.
#include "autograd/python_engine.h"

#include "Exceptions.h"
#include "autograd/autograd.h"
#include "autograd/engine.h"
#include "autograd/python_function.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib::autograd {

namespace {

variable_list tensors_of(PyObject* tuple, const char* what) {
  variable_list tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (item == Py_None) {
      tensors.emplace_back();
    } else if (THPVariable_Check(item)) {
      tensors.push_back(THPVariable_Unpack(item));
    } else {
      throw TypeError(std::string(what) + " can be either Tensors or None, but got " + Py_TYPE(item)->tp_name);
    }
  }
  return tensors;
}

/// retain_graph as Python gives it: None means what create_graph says.
std::optional<bool> optional_bool(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) throw python_error();
  return truth != 0;
}

void check_defined(const variable_list& tensors, const char* what) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined()) throw TypeError(std::string(what) + " must be Tensors, but got None");
  }
}

PyObject* run_backward(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *tensors_, *grads_, *retain_, *inputs_;
  int create_graph = 0;
  if (!PyArg_ParseTuple(args, "O!O!OpO!:_run_backward", &PyTuple_Type, &tensors_, &PyTuple_Type, &grads_, &retain_, &create_graph,
                        &PyTuple_Type, &inputs_)) {
    return nullptr;
  }
  const variable_list tensors = tensors_of(tensors_, "tensors"), grads = tensors_of(grads_, "gradients");
  const variable_list inputs = tensors_of(inputs_, "inputs");
  check_defined(tensors, "tensors");
  check_defined(inputs, "inputs");
  const std::optional<bool> retain = optional_bool(retain_);
  {
    const gil_scoped_release no_gil;
    backward(tensors, grads, retain, create_graph != 0, inputs);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* run_grad(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *outputs_, *inputs_, *grads_, *retain_;
  int create_graph = 0, allow_unused = 0;
  if (!PyArg_ParseTuple(args, "O!O!O!Opp:_grad", &PyTuple_Type, &outputs_, &PyTuple_Type, &inputs_, &PyTuple_Type, &grads_, &retain_,
                        &create_graph, &allow_unused)) {
    return nullptr;
  }
  const variable_list outputs = tensors_of(outputs_, "outputs"), inputs = tensors_of(inputs_, "inputs");
  const variable_list grads = tensors_of(grads_, "grad_outputs");
  check_defined(outputs, "outputs");
  check_defined(inputs, "inputs");
  const std::optional<bool> retain = optional_bool(retain_);
  variable_list result;
  {
    const gil_scoped_release no_gil;
    result = grad(outputs, inputs, grads, retain, create_graph != 0, allow_unused != 0);
  }
  return THPVariable_WrapList(result);
  END_HANDLE_TH_ERRORS
}

/// A callable that the engine calls without arguments; it may be called and dropped on any thread.
class Callback {
 public:
  explicit Callback(PyObject* callable)
      : callable_(Py_NewRef(callable), [](PyObject* object) {
          const gil_scoped_acquire gil;
          Py_DECREF(object);
        }) {}
  void operator()() const {
    const gil_scoped_acquire gil;
    const THPObjectPtr result(PyObject_CallNoArgs(callable_.get()));
    if (!result) throw python_error();
  }

 private:
  std::shared_ptr<PyObject> callable_;
};

PyObject* queue_callback(PyObject*, PyObject* callable) {
  HANDLE_TH_ERRORS
  Engine::get_default_engine().queue_callback(Callback(callable));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef functions[] = {
    {"_run_backward", run_backward, METH_VARARGS, "_run_backward(tensors, gradients, retain_graph, create_graph, inputs)"},
    {"_grad", run_grad, METH_VARARGS, "_grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused)"},
    {"_queue_callback", queue_callback, METH_O, "Calls a function at the end of the backward that is going on."},
    {},
};

}  // namespace

PyObject* THPVariable_WrapList(const variable_list& tensors) {
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (std::size_t i = 0; tuple && i < tensors.size(); ++i) {
    PyObject* item = tensors[i].defined() ? THPVariable_Wrap(tensors[i]) : Py_NewRef(Py_None);
    if (!item) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple.release();
}

bool THPEngine_initModule(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tensorlib::autograd
