/* Where CPython keeps what a walk needs, as plain numbers in bytes. Shared by C (which includes CPython's internal headers) and C++ (which
   does not). Private to python/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct callpath_python_layout {
  /* _PyRuntime, PyInterpreterState, PyThreadState */
  size_t runtime_interpreters_head;
  size_t interpreter_next, interpreter_threads_head;
  size_t thread_next, thread_native_id, thread_cframe;
  /* _PyCFrame, a C local of _PyEval_EvalFrameDefault */
  size_t cframe_current_frame, cframe_previous;
  /* _PyInterpreterFrame */
  size_t frame_size, frame_code, frame_previous, frame_prev_instr, frame_is_entry, frame_owner;
  uint8_t owner_thread, owner_generator, owner_frame_object;
  /* PyObject, PyVarObject, PyTupleObject, PyBytesObject */
  size_t object_type, var_size, tuple_items, bytes_data;
  /* PyCodeObject; first_traceable counts code units */
  size_t code_size, code_names, code_first_line, code_file, code_name, code_qualname, code_line_table, code_first_traceable, code_bytes;
  /* PyUnicodeObject */
  size_t text_length, text_state, text_ascii_data, text_compact_data, text_pointer;
};

/* What the interpreter's own tables say of each opcode as it stands in memory. */
struct callpath_python_opcodes {
  const char* const* names;     /* 256; null where there is no such opcode */
  const uint8_t* base;          /* 256: the opcode that this one specialises, or itself */
  const uint8_t* caches;        /* 256: inline cache entries after it, by base opcode */
  const char* const* operators; /* by the argument of BINARY_OP */
  size_t operator_count;
};

extern const struct callpath_python_layout callpath_layout_3_11, callpath_layout_3_11_debug;
extern const struct callpath_python_opcodes callpath_opcodes_3_11;

#ifdef __cplusplus
}
#endif
