// The __torch_function__ protocol: who is asked, in which order, and what it is asked with.
#pragma once

#include <Python.h>

#include "disable_torch_function.h"
#include "python_arg_parser.h"

namespace tensorlib {

/// Adds an overriding argument unless one of its type is there; before those whose class it derives from, else last.
void append_overloaded_arg(OverloadedArgs* overloaded, PyObject* object);

/// Asks the overriding arguments of a parsed call. `torch_api` is where the public function is found under the call's name: the class
/// Tensor or the module. Returns what the first that does not say NotImplemented returned; TypeError when all do.
PyObject* handle_torch_function(const PythonArgs& r, PyObject* self, PyObject* args, PyObject* kwargs, PyObject* torch_api,
                                const char* module_name);
/// The same for methods and properties that take no arguments: `function` is "numel", or "shape.__get__" spelt property + getter.
PyObject* handle_torch_function_method(PyObject* self, const char* name);
PyObject* handle_torch_function_method(PyObject* self, const char* name, PyObject* args, PyObject* kwargs);
PyObject* handle_torch_function_getter(PyObject* self, const char* property);
int handle_torch_function_setter(PyObject* self, const char* property, PyObject* value);
/// The same property or method, but overriding types are asked first. What it gives and what is given live for ever.
PyGetSetDef* asking(const PyGetSetDef& plain);
/// Indexing: `value` is null for t[index] and given for t[index] = value. Every overriding object counts, in the index too.
PyObject* handle_torch_function_indexing(PyObject* self, PyObject* index, PyObject* value);

/// The last step: all of `args` ready.
PyObject* handle_torch_function_no_python_torch_dispatch(const OverloadedArgs& overloaded, PyObject* args, PyObject* kwargs,
                                                         const char* function_name, PyObject* api_function, const char* module_name);

}  // namespace tensorlib
