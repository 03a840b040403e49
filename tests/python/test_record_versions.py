"""CPython 3.12 and 3.13: instructions, paths and tables against those versions' own word. Skips where no such interpreter is."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import clean_environment, other_pythons

Run = Callable[..., subprocess.CompletedProcess[str]]

OTHERS = [pytest.param(path, id=path) for path in other_pythons()] or [
    pytest.param("", marks=pytest.mark.skip(reason="no CPython 3.12 or 3.13 here; name some in CALLPATH_OTHER_PYTHONS"))
]

# Runs in the other interpreter: what `dis` says of every instruction of a part of its library, a line a code object.
DIS = """
import base64, dis, json, sys, sysconfig, types
from pathlib import Path

def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)

def warm():
    total = 0
    for i in range(100):
        total = total + i * 2
    return total

for _ in range(100): warm()
if len(sys.argv) > 1:
    sys.settrace(lambda *event: None)
    def traced(): return [abs(x) for x in (1, 2)]
    traced()
    sys.settrace(None)
named = {"BINARY_OP", "COMPARE_OP", "LOAD_GLOBAL"} | {dis.opname[number] for number in dis.hasname}
library = Path(sysconfig.get_paths()["stdlib"])
everything = [warm.__code__]
for name in ("argparse", "ast", "inspect", "typing", "threading", "tarfile", "pickle", "doctest"):
    everything += codes(compile((library / f"{name}.py").read_bytes(), name, "exec", dont_inherit=True))
for code in everything:
    base = {i.offset: i for i in dis.get_instructions(code)}
    rows = []
    for adaptive in dis.get_instructions(code, adaptive=True):
        plain = base[adaptive.offset]
        places = [*plain.positions] if plain.positions else [None] * 4
        rows.append([plain.offset, plain.opname, adaptive.opname, plain.argrepr if plain.opname in named else None, *places])
    question = {"bytecode": base64.b64encode(code._co_code_adaptive).decode(), "line_table": base64.b64encode(code.co_linetable).decode(),
                "first_line": code.co_firstlineno, "names": list(code.co_names), "hex_version": sys.hexversion}
    print(json.dumps([question, rows]))
"""

# Operators whose argument `dis` tells in words of its own, or that the record tells in fewer.
OWN_WORDS = {"LOAD_SUPER_ATTR", "LOAD_FROM_DICT_OR_GLOBALS", "STORE_NAME"}


def decoded(build: Path, questions: list[dict[str, Any]]) -> list[Any]:
    probe = build / "bin" / "callpath_python_probe"
    text = "\n".join(map(json.dumps, questions)) + "\n"
    answer = subprocess.run([probe, "decode"], input=text, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in answer.stdout.splitlines()]


@pytest.mark.parametrize("python", OTHERS)
def test_every_instruction_equals_dis(build: Path, tmp_path: Path, python: str) -> None:
    (tmp_path / "ask.py").write_text(DIS)
    told = subprocess.run([python, "-I", tmp_path / "ask.py"], capture_output=True, text=True, check=True, timeout=300).stdout
    pairs = [json.loads(line) for line in told.splitlines()]
    count = 0
    for (_, theirs), ours in zip(pairs, decoded(build, [question for question, _ in pairs]), strict=True):
        for our, their in zip(ours, theirs, strict=True):
            offset, opcode, specialized, _, argument, *places = our
            assert [offset, opcode, specialized, *places] == [*their[:3], *their[4:]]
            if their[3] is not None and opcode not in OWN_WORDS:
                assert argument == their[3], (opcode, their)
            count += 1
    assert count > 30_000


PROGRAM = """
import functools, json, sys

seen = []

def work(x):
    stack, frame = [], sys._getframe()
    while frame is not None:
        stack.append([frame.f_code.co_qualname, frame.f_lineno])
        frame = frame.f_back
    seen.append(stack); return abs(-1.5)

def numbers():
    yield work(1)

class Odd:
    def __lt__(self, other):
        return work(2)
    def __del__(self):
        work(3)
    @property
    def prop(self):
        return [work(i) for i in range(1)]

class Body:
    inside = work(4)
    also = next(numbers())

sorted([Odd(), Odd()])
sorted([1], key=lambda x: work(x))
functools.partial(work, 2)()
Odd().prop
list(map(work, [1]))
exec("work(5)")
async def coroutine():
    return work(6)
try:
    coroutine().send(None)
except StopIteration:
    pass
print(json.dumps(seen))
"""


@pytest.mark.parametrize("traced", [False, True], ids=["plain", "traced"])
@pytest.mark.parametrize("python", ["/usr/bin/python3", *OTHERS])
def test_merged_paths_equal_the_programs_own_stacks(callpath: Run, tmp_path: Path, python: str, traced: bool) -> None:
    program, record = tmp_path / "program.py", tmp_path / "r.json"
    program.write_text(("import sys; sys.settrace(lambda *event: None)" if traced else "") + PROGRAM)
    done = callpath("run", "--quiet", "--python", python, "--at", "builtin_abs", "--limit", "1000", "-o", record, program)
    assert done.returncode == 0, done.stderr
    events = json.loads(record.read_text())["events"]
    truth = json.loads(done.stdout)
    assert len(events) == len(truth) > 9
    for event, stack in zip(events, truth, strict=True):
        frames = [frame for frame in event["frames"] if frame["kind"] == "python"]
        ours = [[frame["full"], frame["source"]["line"]] for frame in frames]
        # The program asks a statement earlier, on the same line's end: only the innermost line may lie before the call.
        assert [name for name, _ in ours] == [name for name, _ in stack]
        assert ours[1:] == stack[1:]
        assert frames[0]["python"]["instruction"]["opcode"] in ("CALL", "PRECALL")
        assert not event["thread"].get("note")
        homes = {frame["number"] for frame in frames}
        evaluations = [f for f in event["frames"] if f["kind"] == "native" and f["name"].startswith("_PyEval_EvalFrameDefault")]
        assert homes == {f["number"] for f in evaluations}


def includes() -> list[Path]:
    """Folders of CPython headers of known versions on this machine."""
    own = [Path(path, "include") for path in {sys.base_prefix}]
    homes = [Path("/usr/include"), *own, *Path.home().glob(".pyenv/versions/3.1[123].*/include")]
    return sorted({folder for home in homes for folder in home.glob("python3.1[123]") if (folder / "internal" / "pycore_frame.h").exists()})


@pytest.mark.parametrize("include", includes(), ids=str)
def test_the_tables_equal_the_headers(root: Path, include: Path) -> None:
    minor = include.name.rpartition(".")[2]
    tables = root / "tracer" / "python" / "tables"
    done = subprocess.run(
        [sys.executable, tables / "refresh.py", "--print", include], capture_output=True, text=True, env=clean_environment(), timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tables / f"python_3_{minor}.c").read_text()


def test_this_interpreters_headers_are_checked() -> None:
    assert any(sysconfig.get_paths()["include"] == str(folder) for folder in includes())
