"""Writes gdb/callpath_gdb/opcode_tables.py from the tracer's tables of opcodes (tracer/python/tables), which come from CPython's own headers.

Usage: write_opcodes.py [--print]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "tracer" / "python" / "tables"
TARGET = ROOT / "gdb" / "callpath_gdb" / "opcode_tables.py"
HEAD = '''"""Opcodes as they stand in memory, by minor version: names, the opcode that each specialises, inline cache entries after it.

Written by tests/data/gdb/write_opcodes.py from the tables of the tracer; do not edit.
"""

# fmt: off
'''


def table(minor: int) -> str:
    text = (TABLES / f"python_3_{minor}.c").read_text()
    text = text[text.index("names[256]") :]
    names = {int(number): name for number, name in re.findall(r"\[(\d+)\] = \"(\w+)\"", text)}
    arrays = {name: [int(n) for n in re.findall(r"\d+", body)] for name, body in re.findall(r"uint8_t (\w+)\[256\] = \{([^}]*)\}", text)}
    base = {n: b for n, b in enumerate(arrays["base"]) if n in names and b != n}
    caches = {n: c for n, c in enumerate(arrays["caches"]) if c}
    return f"    {minor}: (\n        {names},\n        {base},\n        {caches},\n    ),\n"


def whole() -> str:
    minors = sorted(int(path.stem.rpartition("_")[2]) for path in TABLES.glob("python_3_*.c"))
    return HEAD + "TABLES = {\n" + "".join(table(minor) for minor in minors) + "}\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(whole())
    else:
        TARGET.write_text(whole())
