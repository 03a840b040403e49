/* Prints where the CPython whose headers this is compiled with keeps what a walk needs, as a C definition of callpath_python_layout. Run by
   refresh.py. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#include <stdio.h>
#include <string.h>

#define V PY_VERSION_HEX
#define FIELD(name, value) printf("    ." name " = %zu,\n", (size_t)(value))
#define SHIMS (V >= 0x030c0000)

static size_t text_mask(PyASCIIObject* text) {
  unsigned bits;
  memcpy(&bits, (char*)text + offsetof(PyASCIIObject, state), sizeof bits);
  return bits;
}

#define TEXT_MASK(member, value)               \
  ({                                           \
    PyASCIIObject text_;                       \
    memset(&text_, 0, sizeof text_);           \
    text_.state.member = (unsigned char)value; \
    text_mask(&text_);                         \
  })

static void describe_threads(void) {
  FIELD("runtime_interpreters_head", offsetof(_PyRuntimeState, interpreters.head));
  FIELD("interpreter_next", offsetof(PyInterpreterState, next));
  FIELD("interpreter_threads_head", offsetof(PyInterpreterState, threads.head));
  FIELD("thread_next", offsetof(PyThreadState, next));
  FIELD("thread_interpreter", offsetof(PyThreadState, interp));
  FIELD("thread_native_id", offsetof(PyThreadState, native_thread_id));
#if V < 0x030d0000
  FIELD("thread_cframe", offsetof(PyThreadState, cframe));
  FIELD("cframe_current_frame", offsetof(_PyCFrame, current_frame));
  FIELD("cframe_previous", offsetof(_PyCFrame, previous));
#else
  FIELD("thread_current_frame", offsetof(PyThreadState, current_frame));
#endif
}

static void describe_frames(void) {
  FIELD("frame_size", offsetof(_PyInterpreterFrame, localsplus));
  FIELD("frame_previous", offsetof(_PyInterpreterFrame, previous));
  FIELD("frame_owner", offsetof(_PyInterpreterFrame, owner));
#if V < 0x030d0000
  FIELD("frame_code", offsetof(_PyInterpreterFrame, f_code));
  FIELD("frame_instruction", offsetof(_PyInterpreterFrame, prev_instr));
#else
  FIELD("frame_code", offsetof(_PyInterpreterFrame, f_executable));
  FIELD("frame_instruction", offsetof(_PyInterpreterFrame, instr_ptr));
#endif
#if SHIMS
  FIELD("has_shims", 1);
  FIELD("owner_shim", FRAME_OWNED_BY_CSTACK);
#else
  FIELD("frame_is_entry", offsetof(_PyInterpreterFrame, is_entry));
#endif
  FIELD("owner_thread", FRAME_OWNED_BY_THREAD);
  FIELD("owner_generator", FRAME_OWNED_BY_GENERATOR);
  FIELD("owner_frame_object", FRAME_OWNED_BY_FRAME_OBJECT);
}

static void describe_code(void) {
  FIELD("code_size", offsetof(PyCodeObject, co_code_adaptive));
  FIELD("code_constants", offsetof(PyCodeObject, co_consts));
  FIELD("code_names", offsetof(PyCodeObject, co_names));
  FIELD("code_first_line", offsetof(PyCodeObject, co_firstlineno));
  FIELD("code_file", offsetof(PyCodeObject, co_filename));
  FIELD("code_name", offsetof(PyCodeObject, co_name));
  FIELD("code_qualname", offsetof(PyCodeObject, co_qualname));
  FIELD("code_line_table", offsetof(PyCodeObject, co_linetable));
  FIELD("code_first_traceable", offsetof(PyCodeObject, _co_firsttraceable));
  FIELD("code_bytes", offsetof(PyCodeObject, co_code_adaptive));
#if SHIMS
  FIELD("code_monitoring", offsetof(PyCodeObject, _co_monitoring));
  FIELD("monitoring_lines", offsetof(_PyCoMonitoringData, lines));
  FIELD("monitoring_line_size", sizeof(_PyCoLineInstrumentationData));
  FIELD("monitoring_instructions", offsetof(_PyCoMonitoringData, per_instruction_opcodes));
#endif
}

static void describe_objects(void) {
  FIELD("object_type", offsetof(PyObject, ob_type));
  FIELD("var_size", offsetof(PyVarObject, ob_size));
  FIELD("tuple_items", offsetof(PyTupleObject, ob_item));
  FIELD("bytes_data", offsetof(PyBytesObject, ob_sval));
  FIELD("text_length", offsetof(PyASCIIObject, length));
  FIELD("text_state", offsetof(PyASCIIObject, state));
  FIELD("text_ascii_data", sizeof(PyASCIIObject));
  FIELD("text_compact_data", sizeof(PyCompactUnicodeObject));
  FIELD("text_pointer", offsetof(PyUnicodeObject, data));
  FIELD("text_kind_unit", TEXT_MASK(kind, 1));
  FIELD("text_compact_mask", TEXT_MASK(compact, 1));
  FIELD("text_ascii_mask", TEXT_MASK(ascii, 1));
#if !SHIMS
  FIELD("text_ready_mask", TEXT_MASK(ready, 1));
#endif
}

int main(void) {
  printf("const struct callpath_python_layout callpath_layout_3_%d = {\n", PY_MINOR_VERSION);
  describe_threads();
  describe_frames();
  describe_code();
  describe_objects();
  printf("};\n");
  return 0;
}
