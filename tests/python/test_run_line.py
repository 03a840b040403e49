"""`callpath run --at SCRIPT:LINE`: a line of Python followed into native code, against what the code itself notes, gdb, and probes by name."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

# Every function of this extension notes its own name as it is entered; no line of it knows of callpath.
EXTENSION = r"""
#include <Python.h>
#include <string.h>
static const char* entered[4096];
static int count;
#define NOTE entered[count++ % 4096] = __func__
#define OWN static __attribute__((noinline, noclone))
OWN int leaf(int x) { NOTE; return x + 1; }
OWN int deep_5(int x) { NOTE; return leaf(x) * 2; }
OWN int deep_4(int x) { NOTE; return deep_5(x) + 1; }
OWN int deep_3(int x) { NOTE; return deep_4(x) + 1; }
OWN int deep_2(int x) { NOTE; return deep_3(x) + 1; }
OWN int by_pointer(int x) { NOTE; return x ^ 3; }
static int (*volatile pointer)(int) = by_pointer;
OWN int jumped_to(int x) { NOTE; return pointer(x); }
OWN int leaves_by_jump(int x) { NOTE; return jumped_to(x); }
OWN int by_pointer_jump(int x) { NOTE; return pointer(x); }
OWN int case_a(int x) { NOTE; return x + 3; }
OWN int case_b(int x) { NOTE; return x * 5; }
OWN int case_c(int x) { NOTE; return x - 9; }
OWN int case_d(int x) { NOTE; return x / 7; }
OWN int case_e(int x) { NOTE; return x % 11; }
OWN int switched(int which, int x) {
  NOTE;
  switch (which) {
    case 0: return case_a(x) + 1;
    case 1: return case_b(x) + 2;
    case 2: return case_c(x) + 3;
    case 3: return case_d(x) + 4;
    case 4: return case_e(x) + 5;
    default: return which;
  }
}
OWN int often(int x) { NOTE; return x + 1; }
OWN int never(int x) { NOTE; return x + 2; }
static PyObject* work(PyObject* self, PyObject* argument) {
  NOTE;
  int x = (int)PyLong_AsLong(argument);
  x = deep_2(x) + leaves_by_jump(x) + by_pointer_jump(x) + switched(3, x);
  for (int i = 0; i < 100; ++i) x = often(x);
  if (x == -123456) x = never(x);
  return PyLong_FromLong(x);
}
static PyObject* other(PyObject* self, PyObject* none) { NOTE; return PyLong_FromLong(switched(1, 2)); }
static PyObject* fails(PyObject* self, PyObject* none) {
  NOTE;
  PyErr_Format(PyExc_ValueError, "failed with %d", switched(0, 2));
  return NULL;
}
static PyObject* entered_functions(PyObject* self, PyObject* none) {
  PyObject* list = PyList_New(0);
  for (int i = 0; i < count; ++i) PyList_Append(list, PyUnicode_FromString(entered[i]));
  return list;
}
static PyMethodDef methods[] = {{"work", work, METH_O, ""}, {"other", other, METH_NOARGS, ""}, {"fails", fails, METH_NOARGS, ""},
                                {"entered", entered_functions, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "noting", "", -1, methods};
PyMODINIT_FUNC PyInit_noting(void) { return PyModule_Create(&module); }
"""
OWN_FUNCTIONS = set(re.findall(r"^(?:OWN int|static PyObject\*) (\w+)\(", EXTENSION, re.M)) - {"entered_functions"}


@pytest.fixture(scope="session")
def noting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the extension, optimised, with symbols."""
    folder = tmp_path_factory.mktemp("noting")
    (folder / "noting.c").write_text(EXTENSION)
    command = ["gcc", "-O2", "-fPIC", "-shared", f"-I{sysconfig.get_paths()['include']}", "noting.c", "-o", "noting.so"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture
def follow(callpath: Run, tmp_path: Path) -> Callable[..., list[dict]]:
    """follow(program, line, **options): the events of that line; the program's output is in follow.done."""

    def run(program: str, line: int, *options: str, status: int = 0) -> list[dict]:
        script, record = tmp_path / "program.py", tmp_path / "record.json"
        script.write_text(program)
        record.unlink(missing_ok=True)
        done = callpath("run", "--at", f"{script}:{line}", *options, "-o", record, script)
        run.done = done  # type: ignore[attr-defined]
        assert done.returncode == status, done.stderr
        return json.loads(record.read_text())["events"] if record.exists() else []

    return run


def fact(event: dict, name: str) -> object:
    return next(f["value"] for f in event["facts"] if f["name"] == name)


def native_names(event: dict) -> list[str]:
    """Innermost first, to the evaluation of the line."""
    end = next(f["frame"] for f in event["facts"] if f["name"] == "functions_entered")
    return [frame["name"] for frame in event["frames"][:end] if frame["kind"] in ("native", "inlined")]


def instruction(event: dict) -> dict:
    """At which the line stands in an event."""
    frame = next(f["frame"] for f in event["facts"] if f["name"] == "functions_entered")
    return event["frames"][frame]["python"]["instruction"]


def counts(event: dict, wanted: set[str]) -> dict[str, int]:
    """How often each function of a set was entered, by the record."""
    found = {}
    for text in fact(event, "functions"):  # type: ignore[attr-defined]
        name = re.sub(r"( x\d+)?( or more)?$", "", text)
        times = re.search(r" x(\d+)( or more)?$", text)
        if name in wanted:
            found[name] = int(times.group(1)) if times else 1
    return found


def test_functions_are_those_that_note_themselves(follow: Callable[..., list[dict]], noting: Path) -> None:
    program = f"import sys\nsys.path.insert(0, {str(noting)!r})\nimport noting\nnoting.other()\nbefore = len(noting.entered())\nnoting.work(5)\nafter = noting.entered()[before:]\nnoting.other()\nprint(after)\n"
    events = follow(program, 6)
    truth = Counter(eval(follow.done.stdout))  # type: ignore[attr-defined]
    assert truth["often"] == 100 and "never" not in truth
    (call,) = [event for event in events if instruction(event)["opcode"] == "CALL"]
    seen = counts(call, OWN_FUNCTIONS)
    assert set(seen) == set(truth)
    assert {name: n for name, n in seen.items() if n < 8} == {name: n for name, n in truth.items() if n < 8}
    assert seen["often"] == 8  # more would only cost time; the record says "or more"
    assert native_names(call)[:6] == ["leaf", "deep_5", "deep_4", "deep_3", "deep_2", "work"]


def test_a_stripped_extension_has_the_same_path(follow: Callable[..., list[dict]], noting: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    stripped.mkdir()
    shutil.copy(noting / "noting.so", stripped)
    subprocess.run(["strip", "-s", stripped / "noting.so"], check=True)
    events = follow(f"import sys\nsys.path.insert(0, {str(stripped)!r})\nimport noting\nnoting.work(5)\n", 4)
    (call,) = [event for event in events if instruction(event)["opcode"] == "CALL"]
    symbols = subprocess.run(["nm", noting / "noting.so"], capture_output=True, text=True, check=True).stdout
    start = {name: int(address, 16) for address, kind, name in (line.split() for line in symbols.splitlines() if len(line.split()) == 3)}
    frames = [frame for frame in call["frames"] if frame["kind"] == "native"][:6]
    for frame, name in zip(frames, ["leaf", "deep_5", "deep_4", "deep_3", "deep_2", "work"], strict=True):
        inside = [n for n, address in start.items() if address <= int(frame["offset"], 16)]
        assert max(inside, key=lambda n: start[n]) == name


def test_the_program_is_left_as_it_was(follow: Callable[..., list[dict]], noting: Path) -> None:
    # Compares the interpreter's text in memory with its file: a breakpoint left behind would show.
    program = f"""
import sys
sys.path.insert(0, {str(noting)!r})
import noting
x = noting.work(5)
for line in open("/proc/self/maps"):
    part = line.split()
    if "x" in part[1] and len(part) == 6 and ("python3" in part[5] or "noting" in part[5]):
        begin, end = (int(a, 16) for a in part[0].split("-"))
        with open("/proc/self/mem", "rb") as memory, open(part[5], "rb") as file:
            memory.seek(begin)
            file.seek(int(part[2], 16))
            mapped, stored = memory.read(end - begin), file.read(end - begin)
            print(part[5].split("/")[-1], mapped[: len(stored)] == stored[: len(mapped)], file=sys.stdout)
try:
    noting.fails()
except ValueError as error:
    print(error)
sys.exit(7)
"""
    events = follow(program, 5, status=7)
    assert events
    lines = follow.done.stdout.splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 3 and all(line.endswith("True") for line in lines[:2]) and lines[2] == "failed with 6", lines


def test_a_line_that_raises(follow: Callable[..., list[dict]], noting: Path) -> None:
    events = follow(f"import sys\nsys.path.insert(0, {str(noting)!r})\nimport noting\nnoting.fails()\n", 4, status=1)
    assert "ValueError: failed with 6" in follow.done.stderr  # type: ignore[attr-defined]
    (call,) = [event for event in events if instruction(event)["opcode"] == "CALL"]
    assert native_names(call)[:3] == ["case_a", "switched", "fails"]


def test_each_operation_has_its_own_path(follow: Callable[..., list[dict]]) -> None:
    events = follow("import math\na, b = 2.5, 3.5\nc = a ** b + math.hypot(a, b) * len([1, 2].__add__([3]))\nprint(c)\n", 3)
    assert follow.done.stdout == f"{2.5**3.5 + 4.301162633521313 * 3}\n"  # type: ignore[attr-defined]
    of = {(instruction(e)["opcode"], instruction(e).get("argrepr", ""), instruction(e)["column"]): native_names(e) for e in events}
    assert "float_pow" in of["BINARY_OP", "**", 4] and "float_mul" in of["BINARY_OP", "*", 13] and "float_add" in of["BINARY_OP", "+", 4]
    assert any("hypot" in name or "vector_norm" in name for name in of["CALL", "", 13])
    assert any("list_concat" in names for names in of.values())


@pytest.mark.parametrize(
    ("program", "line", "status", "said"),
    [
        ("x = 1\n# nothing\n\ny = len('a')\n", 2, 1, "line 2 holds no code; the next that does is 4"),
        ("x = 1\n", 9, 1, "line 9 holds no code, nor does any after it"),
        ("if False:\n    y = len('a')\nimport os\n", 9, 1, "line 9 holds no code"),
        ("def f():\n    return len('a')\nprint(3)\n", 2, 3, "the line never ran"),
    ],
)
def test_lines_that_cannot_be_followed(program: str, line: int, status: int, said: str, follow: Callable[..., list[dict]]) -> None:
    assert follow(program, line, status=status) == []
    assert said in follow.done.stderr, follow.done.stderr  # type: ignore[attr-defined]
    assert "Traceback" not in follow.done.stderr  # type: ignore[attr-defined]


def test_a_file_that_is_not_run(callpath: Run, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n")
    done = callpath("run", "--at", "elsewhere.py:1", tmp_path / "program.py")
    assert done.returncode == 3 and done.stdout == "ran\n"
    assert "ran no code of that file" in done.stderr


def test_a_line_of_an_imported_module_and_of_a_function(callpath: Run, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def total(values):\n    result = sum(values)\n    return result\n")
    (tmp_path / "program.py").write_text("import helper\nfor i in range(5):\n    print(helper.total([i, 2.5]))\n")
    record = tmp_path / "r.json"
    done = callpath("run", "--at", "helper.py:2", "--limit", "3", "-o", record, tmp_path / "program.py")
    assert done.returncode == 0 and done.stdout == "2.5\n3.5\n4.5\n5.5\n6.5\n", done.stderr
    calls = [e for e in json.loads(record.read_text())["events"] if instruction(e)["opcode"] == "CALL"]
    assert len(calls) == 3
    for event in calls:
        assert "builtin_sum" in native_names(event)
        assert event["trigger"] == {"kind": "line", "spec": "helper.py:2"} | {k: v for k, v in event["trigger"].items() if k not in ("kind", "spec")}


def test_a_line_that_starts_a_process_and_threads(follow: Callable[..., list[dict]]) -> None:
    program = "import subprocess, threading\ndef many():\n    [subprocess.run(['true'], check=True) for _ in range(2)]; t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\nmany()\nprint('end')\n"
    events = follow(program, 3)
    assert follow.done.stdout == "thread\nend\n"  # type: ignore[attr-defined]
    assert events


def test_other_threads_run_on(follow: Callable[..., list[dict]]) -> None:
    program = """
import threading
totals = []
def work():
    totals.append(sum(len(str(i)) ** 2 for i in range(20000)))
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
x = sorted([3, 1, 2], key=lambda v: -v)
for t in threads: t.join()
print(x, len(set(totals)))
"""
    events = follow(program, 8)
    assert follow.done.stdout == "[3, 2, 1] 1\n"  # type: ignore[attr-defined]
    assert any("list_sort_impl" in native_names(e) or "list_sort" in native_names(e) for e in events)
