// A small stand-in for the engine: the shapes that the gdb scripts must read, in one extension module that compiles in a second.
// Compiled with -g -O0; what leaves by a jump is in standin_jumps.cpp, compiled with -O2.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdlib>
#include <thread>

namespace engine {

struct Iterator {
  float* data;
  long strides[2];
  long size;
};

namespace native {
inline namespace TEST {

template <class Op>
void basic_loop(Iterator& iter, long n, Op op) {
  const long* strides_ = iter.strides;
  for (long i = 0; i < n; i++) iter.data[i * strides_[1] / 4] = op(iter.data[i * strides_[1] / 4]);
}

template <class scalar_t, class exp_t>
void pow_tensor_scalar_optimized_kernel(Iterator& iter, const exp_t exp) {
  if (exp == 2.0) {
    basic_loop(iter, iter.size, [](scalar_t base) -> scalar_t { return base * base; });
  } else if (exp == 3.0) {
    basic_loop(iter, iter.size, [](scalar_t base) -> scalar_t {
      return base * base * base;  // on a line of its own, as the engine has it
    });
  } else if (exp == -9.0) {
    *static_cast<volatile int*>(nullptr) = 1;
  } else {
    basic_loop(iter, iter.size, [exp](scalar_t base) -> scalar_t { return base * static_cast<scalar_t>(exp); });
  }
}

void kernel(Iterator& iter, double exp) { pow_tensor_scalar_optimized_kernel<float, double>(iter, exp); }

}  // namespace TEST

using Kernel = void (*)(Iterator&, double);
struct Stub {
  Kernel choice;
  void operator()(Iterator& iter, double exp) { (*choice)(iter, exp); }
};

Stub stub{&kernel};

__attribute__((visibility("default"))) void impl(Iterator& iter, double exp);
__attribute__((visibility("default"))) void straight(Iterator& iter, double exp);
__attribute__((visibility("default"))) void twice(Iterator& iter, double exp);

}  // namespace native
}  // namespace engine

using namespace engine::native;

static PyObject* power(PyObject*, PyObject* args) {
  double exp;
  int way = 0;
  if (!PyArg_ParseTuple(args, "d|i", &exp, &way)) return nullptr;
  float data[4] = {-1.1523602f, 7, 2, 7};
  engine::Iterator iter{data, {4, 8}, 2};
  PyThreadState* saved = PyEval_SaveThread();  // as an engine does: in the kernel this thread has no current thread state
  if (way == 0) impl(iter, exp);
  if (way == 1) straight(iter, exp);
  if (way == 2) twice(iter, exp);
  PyEval_RestoreThread(saved);
  return PyFloat_FromDouble(data[0]);
}

static PyObject* leave(PyObject*, PyObject*) { std::_Exit(5); }

static PyObject* callback(PyObject*, PyObject* function) { return PyObject_CallNoArgs(function); }

/// A thread that Python has never seen runs the kernel, while the calling thread waits for it.
static PyObject* in_thread(PyObject*, PyObject*) {
  float data[4] = {2, 7, 3, 7};
  engine::Iterator iter{data, {4, 8}, 2};
  PyThreadState* saved = PyEval_SaveThread();
  std::thread([&] { impl(iter, 3); }).join();
  PyEval_RestoreThread(saved);
  return PyFloat_FromDouble(data[0]);
}

static PyMethodDef methods[] = {{"power", power, METH_VARARGS, nullptr},
                                {"leave", leave, METH_NOARGS, nullptr},
                                {"in_thread", in_thread, METH_NOARGS, nullptr},
                                {"callback", callback, METH_O, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "standin", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit_standin() { return PyModule_Create(&definition); }
