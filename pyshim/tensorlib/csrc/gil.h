// Guards over Python's global lock and over references.
#pragma once

#include <Python.h>

#include <utility>

namespace tensorlib {

/// Lets other Python threads run while the engine computes.
class gil_scoped_release {
 public:
  gil_scoped_release() : thread_state_(PyEval_SaveThread()) {}
  ~gil_scoped_release() { PyEval_RestoreThread(thread_state_); }
  gil_scoped_release(const gil_scoped_release&) = delete;
  gil_scoped_release& operator=(const gil_scoped_release&) = delete;

 private:
  PyThreadState* thread_state_;
};

/// Takes the lock on a thread that may or may not hold it: what the engine calls back into Python with.
class gil_scoped_acquire {
 public:
  gil_scoped_acquire() : state_(PyGILState_Ensure()) {}
  ~gil_scoped_acquire() { PyGILState_Release(state_); }
  gil_scoped_acquire(const gil_scoped_acquire&) = delete;
  gil_scoped_acquire& operator=(const gil_scoped_acquire&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Owns one reference, or none.
class THPObjectPtr {
 public:
  THPObjectPtr() = default;
  explicit THPObjectPtr(PyObject* object) : object_(object) {}
  THPObjectPtr(THPObjectPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  THPObjectPtr& operator=(THPObjectPtr&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~THPObjectPtr() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace tensorlib
