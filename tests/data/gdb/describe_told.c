/* Prints where _Py_DebugOffsets, as the headers that this is compiled with declare it, tells which offset: a row of gdb's layout tables.
   Run by write_tables.py. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_runtime.h>
#include <stdio.h>

#define TELLS(place, type, member) printf("(\"" type "\", \"" member "\"): %zu, ", offsetof(_Py_DebugOffsets, place))

static void threads_and_frames(void) {
  TELLS(runtime_state.interpreters_head, "_PyRuntimeState", "interpreters.head");
  TELLS(interpreter_state.next, "PyInterpreterState", "next");
  TELLS(interpreter_state.threads_head, "PyInterpreterState", "threads.head");
  TELLS(thread_state.next, "PyThreadState", "next");
  TELLS(thread_state.native_thread_id, "PyThreadState", "native_thread_id");
  TELLS(thread_state.current_frame, "PyThreadState", "current_frame");
  TELLS(interpreter_frame.previous, "_PyInterpreterFrame", "previous");
  TELLS(interpreter_frame.executable, "_PyInterpreterFrame", "f_executable");
  TELLS(interpreter_frame.instr_ptr, "_PyInterpreterFrame", "instr_ptr");
  TELLS(interpreter_frame.localsplus, "_PyInterpreterFrame", "localsplus");
  TELLS(interpreter_frame.owner, "_PyInterpreterFrame", "owner");
}

static void objects(void) {
  TELLS(code_object.filename, "PyCodeObject", "co_filename");
  TELLS(code_object.name, "PyCodeObject", "co_name");
  TELLS(code_object.qualname, "PyCodeObject", "co_qualname");
  TELLS(code_object.linetable, "PyCodeObject", "co_linetable");
  TELLS(code_object.firstlineno, "PyCodeObject", "co_firstlineno");
  TELLS(code_object.co_code_adaptive, "PyCodeObject", "co_code_adaptive");
  TELLS(pyobject.ob_type, "PyObject", "ob_type");
  TELLS(type_object.tp_name, "PyTypeObject", "tp_name");
  TELLS(type_object.tp_flags, "PyTypeObject", "tp_flags");
  TELLS(tuple_object.ob_item, "PyTupleObject", "ob_item");
  TELLS(tuple_object.ob_size, "PyVarObject", "ob_size");
  TELLS(list_object.ob_item, "PyListObject", "ob_item");
  TELLS(float_object.ob_fval, "PyFloatObject", "ob_fval");
  TELLS(long_object.lv_tag, "PyLongObject", "long_value.lv_tag");
  TELLS(long_object.ob_digit, "PyLongObject", "long_value.ob_digit");
  TELLS(bytes_object.ob_sval, "PyBytesObject", "ob_sval");
  TELLS(unicode_object.state, "PyASCIIObject", "state");
  TELLS(unicode_object.length, "PyASCIIObject", "length");
}

int main(void) {
  printf("{(\"version\", \"\"): %zu, (\"free_threaded\", \"\"): %zu, ", offsetof(_Py_DebugOffsets, version),
         offsetof(_Py_DebugOffsets, free_threaded));
  threads_and_frames();
  objects();
  printf("}\n");
  return 0;
}
