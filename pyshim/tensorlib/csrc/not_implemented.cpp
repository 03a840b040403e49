#include "not_implemented.h"

#include <frameobject.h>

#include "gil.h"

namespace tensorlib {

namespace {

PyTypeObject* reason_type = nullptr;

PyStructSequence_Field fields[] = {
    {"error", "The TypeError, without its traceback."},
    {"text", "What it says."},
    {"traceback", "Where it was raised, outermost first: (file, line, function) for each Python frame between the operator and there."},
    {nullptr, nullptr},
};
PyStructSequence_Desc description = {"tensorlib.overrides.NotImplementedReason", "Why an operator's method gave NotImplemented.", fields,
                                     3};

/// One a thread, in its dictionary, so that it goes with the thread.
PyObject* key() {
  static PyObject* const name = PyUnicode_InternFromString("tensorlib.not_implemented_reason");
  return name;
}

/// Frames keep their tensors alive: only where they were is kept.
PyObject* places_of(PyObject* traceback) {
  THPObjectPtr places(PyList_New(0));
  for (auto* entry = reinterpret_cast<PyTracebackObject*>(traceback); places && entry && PyTraceBack_Check(entry); entry = entry->tb_next) {
    const THPObjectPtr code(reinterpret_cast<PyObject*>(PyFrame_GetCode(entry->tb_frame)));
    auto* names = reinterpret_cast<PyCodeObject*>(code.get());
    const THPObjectPtr place(Py_BuildValue("OiO", names->co_filename, entry->tb_lineno, names->co_name));
    if (!place || PyList_Append(places.get(), place.get()) < 0) return nullptr;
  }
  return places ? PyList_AsTuple(places.get()) : nullptr;
}

void keep(PyObject* error, PyObject* text, PyObject* traceback) {
  const THPObjectPtr reason(PyStructSequence_New(reason_type));
  PyObject* places = reason ? places_of(traceback) : nullptr;
  if (!places) return;
  PyStructSequence_SetItem(reason.get(), 0, Py_NewRef(error));
  PyStructSequence_SetItem(reason.get(), 1, Py_NewRef(text));
  PyStructSequence_SetItem(reason.get(), 2, places);
  if (PyObject* thread = PyThreadState_GetDict()) PyDict_SetItem(thread, key(), reason.get());
}

PyObject* type_error_to_not_implemented(PyObject*, PyObject* error) {
  if (!PyErr_GivenExceptionMatches(error, PyExc_TypeError)) {
    PyErr_SetString(PyExc_TypeError, "a TypeError is needed");
    return nullptr;
  }
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(error))), Py_NewRef(error), PyException_GetTraceback(error));
  return THPVariable_TypeError_to_NotImplemented();
}

PyObject* not_implemented_reason(PyObject*, PyObject*) {
  PyObject* thread = PyThreadState_GetDict();
  PyObject* reason = thread ? PyDict_GetItemWithError(thread, key()) : nullptr;
  return Py_NewRef(reason ? reason : Py_None);
}

PyMethodDef functions[] = {
    {"_type_error_to_not_implemented", type_error_to_not_implemented, METH_O,
     "Keeps a TypeError as the reason and returns NotImplemented."},
    {"_not_implemented_reason", not_implemented_reason, METH_NOARGS,
     "Why an operator's method last gave NotImplemented on this thread; None if none did."},
    {},
};

}  // namespace

PyObject* THPVariable_TypeError_to_NotImplemented() {
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  const THPObjectPtr owned[] = {THPObjectPtr(type), THPObjectPtr(error), THPObjectPtr(traceback)};
  const THPObjectPtr text(PyObject_Str(error));
  const char* volatile reason = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (reason) keep(error, text.get(), traceback);
  PyException_SetTraceback(error, Py_None);
  PyErr_Clear();
  return Py_NewRef(Py_NotImplemented);
}

bool not_implemented_initModule(PyObject* module) {
  reason_type = PyStructSequence_NewType(&description);
  return reason_type && PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(module, "NotImplementedReason", reinterpret_cast<PyObject*>(reason_type)) == 0;
}

}  // namespace tensorlib
