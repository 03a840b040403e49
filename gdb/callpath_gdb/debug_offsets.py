"""Where _Py_DebugOffsets, at the start of _PyRuntime, tells an interpreter's own offsets, by minor version: bytes from its start.

Written by tests/data/gdb/write_tables.py from CPython's headers; do not edit.
"""

# fmt: off
TOLD = {
    13: {('version', ''): 8, ('free_threaded', ''): 16, ('_PyRuntimeState', 'interpreters.head'): 40, ('PyInterpreterState', 'next'): 64, ('PyInterpreterState', 'threads.head'): 72, ('PyThreadState', 'next'): 168, ('PyThreadState', 'native_thread_id'): 200, ('PyThreadState', 'current_frame'): 184, ('_PyInterpreterFrame', 'previous'): 232, ('_PyInterpreterFrame', 'f_executable'): 240, ('_PyInterpreterFrame', 'instr_ptr'): 248, ('_PyInterpreterFrame', 'localsplus'): 256, ('_PyInterpreterFrame', 'owner'): 264, ('PyCodeObject', 'co_filename'): 280, ('PyCodeObject', 'co_name'): 288, ('PyCodeObject', 'co_qualname'): 296, ('PyCodeObject', 'co_linetable'): 304, ('PyCodeObject', 'co_firstlineno'): 312, ('PyCodeObject', 'co_code_adaptive'): 344, ('PyObject', 'ob_type'): 360, ('PyTypeObject', 'tp_name'): 376, ('PyTypeObject', 'tp_flags'): 392, ('PyTupleObject', 'ob_item'): 408, ('PyVarObject', 'ob_size'): 416, ('PyListObject', 'ob_item'): 432, ('PyFloatObject', 'ob_fval'): 480, ('PyLongObject', 'long_value.lv_tag'): 496, ('PyLongObject', 'long_value.ob_digit'): 504, ('PyBytesObject', 'ob_sval'): 528, ('PyASCIIObject', 'state'): 544, ('PyASCIIObject', 'length'): 552},
}
