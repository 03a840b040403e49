/* Where CPython keeps what a walk needs, as plain numbers in bytes, and what its opcodes are. Filled by tables/, a file a version. Private
   to python/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Release and debug builds are laid out alike. What a version does not have is 0. */
struct callpath_python_layout {
  /* _PyRuntime, PyInterpreterState, PyThreadState */
  size_t runtime_interpreters_head;
  size_t interpreter_next, interpreter_threads_head;
  size_t thread_next, thread_interpreter, thread_native_id;
  /* Up to 3.12: the newest _PyCFrame; from 3.13: the newest frame itself. */
  size_t thread_cframe, thread_current_frame;
  /* _PyCFrame, up to 3.12; in 3.11 a C local of _PyEval_EvalFrameDefault that ties its frames to it. */
  size_t cframe_current_frame, cframe_previous;
  /* _PyInterpreterFrame. The instruction is prev_instr up to 3.12, instr_ptr from 3.13. */
  size_t frame_size, frame_code, frame_previous, frame_instruction, frame_is_entry, frame_owner;
  /* From 3.12: a frame without code, owned by the C stack, stands for each evaluation. */
  size_t has_shims;
  size_t owner_thread, owner_generator, owner_frame_object, owner_shim;
  /* PyObject, PyVarObject, PyTupleObject, PyBytesObject */
  size_t object_type, var_size, tuple_items, bytes_data;
  /* PyCodeObject; first_traceable counts code units */
  size_t code_size, code_constants, code_names, code_first_line, code_file, code_name, code_qualname, code_line_table, code_first_traceable;
  size_t code_bytes;
  /* _PyCoMonitoringData, from 3.12: the opcodes that instrumentation for lines and instructions has replaced. */
  size_t code_monitoring, monitoring_lines, monitoring_line_size, monitoring_instructions;
  /* PyUnicodeObject; masks of the 32 bits of its state. Strings that are not ready exist up to 3.11. */
  size_t text_length, text_state, text_ascii_data, text_compact_data, text_pointer;
  size_t text_kind_unit, text_compact_mask, text_ascii_mask, text_ready_mask;
};

/* What the interpreter's own tables say of each opcode as it stands in memory. */
struct callpath_python_opcodes {
  const char* const* names; /* 256; null where there is no such opcode */
  const uint8_t* base;      /* 256: the opcode that this one specialises or instruments, or itself */
  const uint8_t* caches;    /* 256: inline cache entries after it, by base opcode */
  int minor;                /* of the version */
};

extern const struct callpath_python_layout callpath_layout_3_11, callpath_layout_3_12, callpath_layout_3_13;
extern const struct callpath_python_opcodes callpath_opcodes_3_11, callpath_opcodes_3_12, callpath_opcodes_3_13;

#ifdef __cplusplus
}
#endif
