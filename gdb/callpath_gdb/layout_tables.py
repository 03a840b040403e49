"""Layouts for interpreters without debug information, by minor version: offsets in bytes by type and member, sizes by type, position and width in bits.

Written by tests/data/gdb/write_tables.py from the tables of the tracer; do not edit.
"""

# fmt: off
LAYOUTS = {
    11: (
        {('_PyRuntimeState', 'interpreters.head'): 40, ('PyInterpreterState', 'next'): 0, ('PyInterpreterState', 'threads.head'): 16, ('PyThreadState', 'next'): 8, ('PyThreadState', 'native_thread_id'): 160, ('PyThreadState', 'cframe'): 56, ('_PyCFrame', 'current_frame'): 8, ('_PyCFrame', 'previous'): 16, ('_PyInterpreterFrame', 'localsplus'): 72, ('_PyInterpreterFrame', 'f_code'): 32, ('_PyInterpreterFrame', 'prev_instr'): 56, ('_PyInterpreterFrame', 'previous'): 48, ('_PyInterpreterFrame', 'is_entry'): 68, ('_PyInterpreterFrame', 'owner'): 69, ('PyObject', 'ob_type'): 8, ('PyVarObject', 'ob_size'): 16, ('PyTupleObject', 'ob_item'): 24, ('PyBytesObject', 'ob_sval'): 32, ('PyCodeObject', 'co_names'): 32, ('PyCodeObject', 'co_firstlineno'): 72, ('PyCodeObject', 'co_filename'): 112, ('PyCodeObject', 'co_name'): 120, ('PyCodeObject', 'co_qualname'): 128, ('PyCodeObject', 'co_linetable'): 136, ('PyCodeObject', '_co_firsttraceable'): 168, ('PyCodeObject', 'co_code_adaptive'): 184, ('PyASCIIObject', 'length'): 16, ('PyASCIIObject', 'state'): 32, ('PyUnicodeObject', 'data'): 72},
        {'PyASCIIObject': 48, 'PyCompactUnicodeObject': 72},
        {('PyASCIIObject', 'state.kind'): (258, 3), ('PyASCIIObject', 'state.compact'): (261, 1), ('PyASCIIObject', 'state.ascii'): (262, 1)},
    ),
    12: (
        {('_PyRuntimeState', 'interpreters.head'): 40, ('PyInterpreterState', 'next'): 0, ('PyInterpreterState', 'threads.head'): 72, ('PyThreadState', 'next'): 8, ('PyThreadState', 'native_thread_id'): 144, ('PyThreadState', 'cframe'): 56, ('_PyCFrame', 'current_frame'): 0, ('_PyCFrame', 'previous'): 8, ('_PyInterpreterFrame', 'localsplus'): 72, ('_PyInterpreterFrame', 'f_code'): 0, ('_PyInterpreterFrame', 'prev_instr'): 56, ('_PyInterpreterFrame', 'previous'): 8, ('_PyInterpreterFrame', 'owner'): 70, ('PyObject', 'ob_type'): 8, ('PyVarObject', 'ob_size'): 16, ('PyTupleObject', 'ob_item'): 24, ('PyBytesObject', 'ob_sval'): 32, ('PyCodeObject', 'co_names'): 32, ('PyCodeObject', 'co_firstlineno'): 68, ('PyCodeObject', 'co_filename'): 112, ('PyCodeObject', 'co_name'): 120, ('PyCodeObject', 'co_qualname'): 128, ('PyCodeObject', 'co_linetable'): 136, ('PyCodeObject', '_co_firsttraceable'): 176, ('PyCodeObject', 'co_code_adaptive'): 192, ('PyCodeObject', '_co_monitoring'): 168, ('_PyCoMonitoringData', 'lines'): 40, ('_PyCoMonitoringData', 'per_instruction_opcodes'): 56, ('PyASCIIObject', 'length'): 16, ('PyASCIIObject', 'state'): 32, ('PyUnicodeObject', 'data'): 56},
        {'_PyCoLineInstrumentationData': 2, 'PyASCIIObject': 40, 'PyCompactUnicodeObject': 56},
        {('PyASCIIObject', 'state.kind'): (258, 3), ('PyASCIIObject', 'state.compact'): (261, 1), ('PyASCIIObject', 'state.ascii'): (262, 1)},
    ),
    13: (
        {('_PyRuntimeState', 'interpreters.head'): 632, ('PyInterpreterState', 'next'): 7264, ('PyInterpreterState', 'threads.head'): 7344, ('PyThreadState', 'next'): 8, ('PyThreadState', 'native_thread_id'): 160, ('PyThreadState', 'current_frame'): 72, ('_PyInterpreterFrame', 'localsplus'): 72, ('_PyInterpreterFrame', 'f_executable'): 0, ('_PyInterpreterFrame', 'instr_ptr'): 56, ('_PyInterpreterFrame', 'previous'): 8, ('_PyInterpreterFrame', 'owner'): 70, ('PyObject', 'ob_type'): 8, ('PyVarObject', 'ob_size'): 16, ('PyTupleObject', 'ob_item'): 24, ('PyBytesObject', 'ob_sval'): 32, ('PyCodeObject', 'co_names'): 32, ('PyCodeObject', 'co_firstlineno'): 68, ('PyCodeObject', 'co_filename'): 112, ('PyCodeObject', 'co_name'): 120, ('PyCodeObject', 'co_qualname'): 128, ('PyCodeObject', 'co_linetable'): 136, ('PyCodeObject', '_co_firsttraceable'): 184, ('PyCodeObject', 'co_code_adaptive'): 200, ('PyCodeObject', '_co_monitoring'): 176, ('_PyCoMonitoringData', 'lines'): 32, ('_PyCoMonitoringData', 'per_instruction_opcodes'): 48, ('PyASCIIObject', 'length'): 16, ('PyASCIIObject', 'state'): 32, ('PyUnicodeObject', 'data'): 56},
        {'_PyCoLineInstrumentationData': 2, 'PyASCIIObject': 40, 'PyCompactUnicodeObject': 56},
        {('PyASCIIObject', 'state.kind'): (258, 3), ('PyASCIIObject', 'state.compact'): (261, 1), ('PyASCIIObject', 'state.ascii'): (262, 1)},
    ),
}
