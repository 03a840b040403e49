"""Writes the tables of gdb/callpath_gdb: opcode_tables.py, layout_tables.py and, where headers are given, debug_offsets.py.

Usage: write_tables.py [INCLUDE...]
       write_tables.py --print opcodes|layouts|told [INCLUDE...]

Opcodes and layouts are the tracer's (tracer/python/tables), which come from CPython's own headers. Where _Py_DebugOffsets keeps which offset is asked
of the headers in INCLUDE, a folder with Python.h, one for each version from 3.13 on.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "tracer" / "python" / "tables"
SCRIPTS = ROOT / "gdb" / "callpath_gdb"
OPCODES_HEAD = '''"""Opcodes as they stand in memory, by minor version: names, the opcode that each specialises, inline cache entries after it.

Written by tests/data/gdb/write_tables.py from the tables of the tracer; do not edit.
"""

# fmt: off
'''
LAYOUTS_HEAD = '''"""Layouts for interpreters without debug information, by minor version: offsets in bytes by type and member, sizes by type, position and width in bits.

Written by tests/data/gdb/write_tables.py from the tables of the tracer; do not edit.
"""

# fmt: off
'''
TOLD_HEAD = '''"""Where _Py_DebugOffsets, at the start of _PyRuntime, tells an interpreter's own offsets, by minor version: bytes from its start.

Written by tests/data/gdb/write_tables.py from CPython's headers; do not edit.
"""

# fmt: off
'''

# Names of the tracer's table: the type and member that they tell.
MEMBERS = {
    "runtime_interpreters_head": ("_PyRuntimeState", "interpreters.head"),
    "interpreter_next": ("PyInterpreterState", "next"),
    "interpreter_threads_head": ("PyInterpreterState", "threads.head"),
    "thread_next": ("PyThreadState", "next"),
    "thread_native_id": ("PyThreadState", "native_thread_id"),
    "thread_cframe": ("PyThreadState", "cframe"),
    "thread_current_frame": ("PyThreadState", "current_frame"),
    "cframe_current_frame": ("_PyCFrame", "current_frame"),
    "cframe_previous": ("_PyCFrame", "previous"),
    "frame_size": ("_PyInterpreterFrame", "localsplus"),
    "frame_code": ("_PyInterpreterFrame", {11: "f_code", 12: "f_code", 13: "f_executable"}),
    "frame_instruction": ("_PyInterpreterFrame", {11: "prev_instr", 12: "prev_instr", 13: "instr_ptr"}),
    "frame_previous": ("_PyInterpreterFrame", "previous"),
    "frame_is_entry": ("_PyInterpreterFrame", "is_entry"),
    "frame_owner": ("_PyInterpreterFrame", "owner"),
    "object_type": ("PyObject", "ob_type"),
    "var_size": ("PyVarObject", "ob_size"),
    "tuple_items": ("PyTupleObject", "ob_item"),
    "bytes_data": ("PyBytesObject", "ob_sval"),
    "code_names": ("PyCodeObject", "co_names"),
    "code_first_line": ("PyCodeObject", "co_firstlineno"),
    "code_file": ("PyCodeObject", "co_filename"),
    "code_name": ("PyCodeObject", "co_name"),
    "code_qualname": ("PyCodeObject", "co_qualname"),
    "code_line_table": ("PyCodeObject", "co_linetable"),
    "code_first_traceable": ("PyCodeObject", "_co_firsttraceable"),
    "code_bytes": ("PyCodeObject", "co_code_adaptive"),
    "code_monitoring": ("PyCodeObject", "_co_monitoring"),
    "monitoring_lines": ("_PyCoMonitoringData", "lines"),
    "monitoring_instructions": ("_PyCoMonitoringData", "per_instruction_opcodes"),
    "text_length": ("PyASCIIObject", "length"),
    "text_state": ("PyASCIIObject", "state"),
    "text_pointer": ("PyUnicodeObject", "data"),
}
SIZES = {"monitoring_line_size": "_PyCoLineInstrumentationData", "text_ascii_data": "PyASCIIObject", "text_compact_data": "PyCompactUnicodeObject"}
MASKS = {"text_kind_unit": ("kind", 3), "text_compact_mask": ("compact", 1), "text_ascii_mask": ("ascii", 1)}


def minors() -> list[int]:
    return sorted(int(path.stem.rpartition("_")[2]) for path in TABLES.glob("python_3_*.c"))


def opcode_table(minor: int) -> str:
    text = (TABLES / f"python_3_{minor}.c").read_text()
    text = text[text.index("names[256]") :]
    names = {int(number): name for number, name in re.findall(r"\[(\d+)\] = \"(\w+)\"", text)}
    arrays = {name: [int(n) for n in re.findall(r"\d+", body)] for name, body in re.findall(r"uint8_t (\w+)\[256\] = \{([^}]*)\}", text)}
    base = {n: b for n, b in enumerate(arrays["base"]) if n in names and b != n}
    caches = {n: c for n, c in enumerate(arrays["caches"]) if c}
    return f"    {minor}: (\n        {names},\n        {base},\n        {caches},\n    ),\n"


def layout_table(minor: int) -> str:
    text = (TABLES / f"python_3_{minor}.c").read_text()
    numbers = {name: int(number) for name, number in re.findall(r"^    \.(\w+) = (\d+),$", text, re.M)}
    offsets = {}
    for name, (kind, member) in MEMBERS.items():
        if name in numbers:
            offsets[kind, member[minor] if isinstance(member, dict) else member] = numbers[name]
    sizes = {kind: numbers[name] for name, kind in SIZES.items() if name in numbers}
    bits = {("PyASCIIObject", f"state.{name}"): (8 * numbers["text_state"] + numbers[mask].bit_length() - 1, width) for mask, (name, width) in MASKS.items()}
    rows = "\n".join(f"        {part}," for part in (offsets, sizes, bits))
    return f"    {minor}: (\n{rows}\n    ),\n"


def told_table(include: Path) -> str:
    """Where _Py_DebugOffsets, which versions from 3.13 on have, keeps each offset: bytes from the start of _PyRuntime."""
    sys.path.insert(0, str(TABLES))
    import refresh

    minor = refresh.minor_version(include)
    return f"    {minor}: {ast.literal_eval(refresh.describe(str(Path(__file__).with_name('describe_told.c')), include))},\n" if minor >= 13 else ""


def whole(which: str, includes: list[Path]) -> str:
    if which == "told":
        return TOLD_HEAD + "TOLD = {\n" + "".join(map(told_table, includes)) + "}\n"
    head, name, table = (OPCODES_HEAD, "TABLES", opcode_table) if which == "opcodes" else (LAYOUTS_HEAD, "LAYOUTS", layout_table)
    return head + f"{name} = {{\n" + "".join(map(table, minors())) + "}\n"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        sys.stdout.write(whole(sys.argv[2], [Path(a) for a in sys.argv[3:]]))
    else:
        (SCRIPTS / "opcode_tables.py").write_text(whole("opcodes", []))
        (SCRIPTS / "layout_tables.py").write_text(whole("layouts", []))
        if sys.argv[1:]:
            (SCRIPTS / "debug_offsets.py").write_text(whole("told", [Path(a) for a in sys.argv[1:]]))
