"""The article's first stop, typed as the article types it: the program waits at a pdb prompt in a decorator, Ctrl+C, and what lies below."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gdb_support import BUILDS, MINOR, ROOT, clean_environment, typed

PROGRAM = """import pdb


def decorate(f):
    pdb.set_trace()

    def wrapped(*args):
        return f(*args)

    return wrapped


class Tensor:
    @decorate
    def __pow__(self, other):
        return other
"""
# From PyOS_Readline outward, as plain gdb showed it; the release build inlines some of them. pdb's tracing frames by version: from 3.13 on pdb stops
# in the very instruction after set_trace, before that at the next line.
TRACING = {
    11: ["call_trampoline", "trace_trampoline", "call_trace", "maybe_call_line_trace"],
    13: ["call_trampoline", "trace_trampoline", "sys_trace_instruction_func", "call_one_instrument", "_Py_call_instrumentation_instruction"],
}[MINOR]
EXPECTED = ["PyOS_Readline", "builtin_input_impl", "builtin_input", "_PyEval_EvalFrameDefault", "method_vectorcall", *TRACING, "_PyEval_EvalFrameDefault", "_PyEval_Vector",
            "builtin___build_class__"]  # fmt: skip
STANDS_AT = "    def wrapped" if MINOR == 11 else "    pdb.set_trace()"


def line_of(beginning: str) -> int:
    (number,) = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.startswith(beginning)]
    return number


@pytest.mark.parametrize("build_name", BUILDS)
def test_where_pdb_stands(build_name: str, tmp_path: Path) -> None:
    if not Path(BUILDS[build_name]).exists():
        pytest.skip(f"{BUILDS[build_name]} is not installed")
    (tmp_path / "program.py").write_text(PROGRAM)
    commands = [
        "set confirm off", "set debuginfod enabled off", "set pagination off", "set width 0", f"source {ROOT}/gdb/load.py",
        ("r -B ./program.py", r"\(Pdb\) $"), "\x03", "bt -no-filters -frame-arguments none", "callpath pdb", "callpath pdb -by-hand", "frame 0", "callpath pdb now",
    ]  # fmt: skip
    screen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x01\x02\r]", "", typed(commands, [BUILDS[build_name]], tmp_path, clean_environment(TERM="xterm", COLUMNS="200", LINES="200")))
    said = screen[screen.index("pdb stands here") : screen.index("callpath pdb -by-hand")]
    python = re.findall(r"^  (\S+)\((\d+)\)(\S+)\n    -> (.*)$", said, re.M)
    assert [(Path(file).name, int(line), name) for file, line, name, _ in python] == [("program.py", line_of(STANDS_AT), "decorate"), ("program.py", line_of("    @decorate"), "Tensor"), ("program.py", line_of("class"), "<module>")]
    assert python[0][3] == PROGRAM.splitlines()[line_of(STANDS_AT) - 1].strip()
    given = re.search(r"It is given <function Tensor\.__pow__, \S*program\.py:(\d+)>: that is what is being decorated", said)
    assert given and int(given[1]) == line_of("    @decorate")  # a decorated function begins at its decorator
    rows = re.findall(r"^#(\d+) +(\w+)", said, re.M)
    names = [name for _, name in rows]
    plain = dict(re.findall(r"^#(\d+) +(?:0x[0-9a-f]+ in )?(\w+)", screen[: screen.index("pdb stands here")], re.M))
    assert all(plain[number] == name for number, name in rows)
    assert names[0] == "PyOS_Readline" and names[-1] == "builtin___build_class__"
    left = iter(names)
    assert all(any(name == wanted for name in left) for wanted in EXPECTED)
    traced = re.findall(r"^#\d+ +(\w+).*only because pdb traces", said, re.M)
    assert traced == [name for name in names if name in TRACING]
    assert "Usage: callpath pdb" in screen[screen.index("callpath pdb now") :]
