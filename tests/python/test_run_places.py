"""Where `callpath run --at` can stop: addresses, and the copies of a function that were inlined, against nm, objdump and gdb."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

EXTENSION = r"""
#include <Python.h>
static volatile int sink;
static inline __attribute__((always_inline)) int hot(int x) { sink = x; return x * 3; }
static __attribute__((noipa)) int first(int x) { return hot(x) + 1; }
static __attribute__((noipa)) int second(int x) { return hot(x + 1) - 1 + hot(x + 7); }
static PyObject* work(PyObject* self, PyObject* none) { return PyLong_FromLong(first(1) + second(2) + first(3)); }
static PyMethodDef methods[] = {{"work", work, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "copies", "", -1, methods};
PyMODINIT_FUNC PyInit_copies(void) { return PyModule_Create(&module); }
"""


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An optimised extension in which `hot` has no code but three inlined copies."""
    folder = tmp_path_factory.mktemp("copies")
    (folder / "copies.c").write_text(EXTENSION)
    command = ["gcc", "-O2", "-g", "-fPIC", "-shared", f"-I{sysconfig.get_paths()['include']}", "copies.c", "-o", "copies.so"]
    subprocess.run(command, cwd=folder, check=True)
    (folder / "program.py").write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport copies\nprint(copies.work())\n")
    return folder


def events_of(record: Path) -> list[dict]:
    return json.loads(record.read_text())["events"]


def test_every_inlined_copy(callpath: Run, copies: Path, tmp_path: Path) -> None:
    record = tmp_path / "r.json"
    done = callpath("run", "--at", "hot", "--limit", "100", "-o", record, copies / "program.py")
    assert done.returncode == 0 and done.stdout == f"{4 + 8 + 27 + 10}\n", done.stderr
    seen = [(event["frames"][0]["name"], event["frames"][0]["kind"], event["frames"][1]["name"]) for event in events_of(record)]
    # first is called twice, second holds two copies.
    assert seen == [("hot", "inlined", caller) for caller in ("first", "second", "second", "first")]
    gdb = subprocess.run(["gdb", "-nx", "-batch", "-ex", "break hot", "-ex", "info breakpoints", copies / "copies.so"], capture_output=True, text=True)
    assert len(set(re.findall(r"0x[0-9a-f]{8,}", gdb.stdout))) >= 3, gdb.stdout
    places = {int(event["frames"][0]["offset"], 16) for event in events_of(record)}
    assert places <= {int(a, 16) for a in re.findall(r"0x[0-9a-f]{8,}", gdb.stdout)}


def test_an_address_in_a_file(callpath: Run, copies: Path, tmp_path: Path) -> None:
    symbols = subprocess.run(["nm", copies / "copies.so"], capture_output=True, text=True, check=True).stdout
    (second,) = [int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" second")]
    record = tmp_path / "r.json"
    done = callpath("run", "--at", f"copies.so+{second:#x}", "-o", record, copies / "program.py")
    assert done.returncode == 0, done.stderr
    (event,) = events_of(record)
    assert [f["name"] for f in event["frames"] if f["kind"] == "native"][:2] == ["second", "work"]
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", copies / "copies.so"], capture_output=True, text=True, check=True).stdout
    begins = {int(a, 16) for a in re.findall(r"^\s+([0-9a-f]+):\t", code, re.M)}
    inside = next(a for a in range(second, second + 64) if a not in begins)
    done = callpath("run", "--at", f"copies.so+{inside:#x}", copies / "program.py")
    assert done.returncode != 0 and "no instruction begins there" in done.stderr
    assert done.stdout == f"{4 + 8 + 27 + 10}\n"


def test_an_address_at_run_time(callpath: Run, tmp_path: Path) -> None:
    header = subprocess.run(["readelf", "-h", "/usr/bin/python3.11"], capture_output=True, text=True, check=True).stdout
    if "EXEC" not in header:
        pytest.skip("the interpreter is loaded at another address each time")
    symbols = subprocess.run(["nm", "-D", "/usr/bin/python3.11"], capture_output=True, text=True, check=True).stdout
    (power,) = [int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" PyNumber_Add")]
    script = tmp_path / "program.py"
    script.write_text("a = [2.5]\nprint(a + [3])\n")
    done = callpath("run", "--at", f"{power:#x}", "-o", tmp_path / "r.json", script)
    assert done.returncode == 0, done.stderr
    assert events_of(tmp_path / "r.json")[0]["frames"][0]["pc"] == f"{power:#x}"


@pytest.mark.parametrize("place", ["0x10", "nothing.so+0x10"])
def test_addresses_of_nothing(place: str, callpath: Run, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("print(1)\n")
    done = callpath("run", "--at", place, script)
    assert done.returncode == 3 and done.stdout == "1\n"
    assert f"nothing in the program matches the probe '{place}'" in done.stderr
