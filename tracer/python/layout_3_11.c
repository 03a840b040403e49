/* The layout of CPython 3.11, from its own headers. Compiled twice: with Py_DEBUG for debug builds. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#include "python/layout.h"

#if PY_VERSION_HEX < 0x030b00f0 || PY_VERSION_HEX >= 0x030c0000
#error "This file describes CPython 3.11: give its headers"
#endif

#ifdef Py_DEBUG
#define LAYOUT callpath_layout_3_11_debug
#else
#define LAYOUT callpath_layout_3_11
#endif

const struct callpath_python_layout LAYOUT = {
    .runtime_interpreters_head = offsetof(_PyRuntimeState, interpreters.head),
    .interpreter_next = offsetof(PyInterpreterState, next),
    .interpreter_threads_head = offsetof(PyInterpreterState, threads.head),
    .thread_next = offsetof(PyThreadState, next),
    .thread_native_id = offsetof(PyThreadState, native_thread_id),
    .thread_cframe = offsetof(PyThreadState, cframe),
    .cframe_current_frame = offsetof(_PyCFrame, current_frame),
    .cframe_previous = offsetof(_PyCFrame, previous),
    .frame_size = offsetof(_PyInterpreterFrame, localsplus),
    .frame_code = offsetof(_PyInterpreterFrame, f_code),
    .frame_previous = offsetof(_PyInterpreterFrame, previous),
    .frame_prev_instr = offsetof(_PyInterpreterFrame, prev_instr),
    .frame_is_entry = offsetof(_PyInterpreterFrame, is_entry),
    .frame_owner = offsetof(_PyInterpreterFrame, owner),
    .owner_thread = FRAME_OWNED_BY_THREAD,
    .owner_generator = FRAME_OWNED_BY_GENERATOR,
    .owner_frame_object = FRAME_OWNED_BY_FRAME_OBJECT,
    .object_type = offsetof(PyObject, ob_type),
    .var_size = offsetof(PyVarObject, ob_size),
    .tuple_items = offsetof(PyTupleObject, ob_item),
    .bytes_data = offsetof(PyBytesObject, ob_sval),
    .code_size = offsetof(PyCodeObject, co_code_adaptive),
    .code_names = offsetof(PyCodeObject, co_names),
    .code_first_line = offsetof(PyCodeObject, co_firstlineno),
    .code_file = offsetof(PyCodeObject, co_filename),
    .code_name = offsetof(PyCodeObject, co_name),
    .code_qualname = offsetof(PyCodeObject, co_qualname),
    .code_line_table = offsetof(PyCodeObject, co_linetable),
    .code_first_traceable = offsetof(PyCodeObject, _co_firsttraceable),
    .code_bytes = offsetof(PyCodeObject, co_code_adaptive),
    .text_length = offsetof(PyASCIIObject, length),
    .text_state = offsetof(PyASCIIObject, state),
    .text_ascii_data = sizeof(PyASCIIObject),
    .text_compact_data = sizeof(PyCompactUnicodeObject),
    .text_pointer = offsetof(PyUnicodeObject, data),
};
