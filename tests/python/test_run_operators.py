"""`callpath run --events operators`: libraries that tell of their operators by callpath_operator_hook."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Callpath = Callable[..., subprocess.CompletedProcess[str]]

LIBRARY = """
#define CALLPATH_OPERATORS_DEFINE
#include <callpath/operators.h>
#include <pthread.h>
#include <stddef.h>

__attribute__((noinline)) void innermost(const char* name) {
  callpath_tell_operator(name);
  __asm__ volatile("");
}
void add(void) { innermost(WHOSE "::add"); __asm__ volatile(""); }
void multiply(void) { innermost(WHOSE "::multiply"); __asm__ volatile(""); }
static void* in_thread(void* none) { add(); return none; }
void add_in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, in_thread, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}
"""


@pytest.fixture(scope="module")
def libraries(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with first.so and second.so, each with a hook of its own."""
    folder = tmp_path_factory.mktemp("operators")
    (folder / "library.c").write_text(LIBRARY)
    include = root / "tracer" / "api" / "include"
    for name in ("first", "second"):
        command = ["gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-shared", "-fPIC", f"-I{include}", f'-DWHOSE="{name}"']
        subprocess.run([*command, folder / "library.c", "-o", folder / f"{name}.so"], check=True)
    return folder


def record(callpath: Callpath, folder: Path, script: str, *options: str) -> list[dict[str, Any]]:
    (folder / "program.py").write_text("import ctypes, os\n" + script)
    output = folder / "record.json"
    done = callpath("run", "--quiet", *options, "-o", output, folder / "program.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "through\n"
    return list(json.loads(output.read_text())["events"])


def names(event: dict[str, Any]) -> list[str]:
    return [frame["name"] for frame in event["frames"]]


def told(events: list[dict[str, Any]]) -> list[str]:
    return [next(fact["value"] for fact in event["facts"] if fact["name"] == "operator") for event in events]


CALLS = """
first, second = (ctypes.CDLL(f"{FOLDER}/{name}.so", mode=ctypes.RTLD_GLOBAL) for name in ("first", "second"))
def work():
    first.add(); second.add(); first.multiply(); second.multiply()
work()
print("through")
"""


def test_every_call_of_every_library(callpath: Callpath, libraries: Path) -> None:
    events = record(callpath, libraries, f"FOLDER = {str(libraries)!r}\n" + CALLS, "--events", "operators")
    assert told(events) == ["first::add", "second::add", "first::multiply", "second::multiply"]
    for event, function in zip(events, ("add", "add", "multiply", "multiply"), strict=True):
        native = [frame["name"] for frame in event["frames"] if frame["kind"] == "native"]
        assert native[:2] == ["innermost", function]
        assert [f["name"] for f in event["frames"] if f["kind"] == "python"] == ["work", "<module>"]
        assert event["complete"] and event["trigger"]["kind"] == "operator"
        innermost = next(frame for frame in event["frames"] if frame["kind"] == "native")
        assert innermost["source"]["line"] == 8, "the line that tells"


@pytest.mark.parametrize(
    ("glob", "expected"),
    [("*::add", ["first::add", "second::add"]), ("second*", ["second::add", "second::multiply"]), ("f?rst::m*y", ["first::multiply"]), ("[f]irst::add", ["first::add"])],
)
def test_globs(callpath: Callpath, libraries: Path, glob: str, expected: list[str]) -> None:
    assert told(record(callpath, libraries, f"FOLDER = {str(libraries)!r}\n" + CALLS, "--events", f"operators:{glob}")) == expected


def test_after_the_limit_the_program_runs_free(callpath: Callpath, libraries: Path) -> None:
    script = f"""
first = ctypes.CDLL({str(libraries / "first.so")!r})
for _ in range(100_000): first.add()
assert ctypes.c_void_p.in_dll(first, "callpath_operator_hook").value is None, "nobody listens any more"
print("through")
"""
    assert told(record(callpath, libraries, script, "--events", "operators", "--limit", "3")) == ["first::add"] * 3


def test_threads_and_children(callpath: Callpath, libraries: Path) -> None:
    script = f"""
first = ctypes.CDLL({str(libraries / "first.so")!r})
first.add_in_threads()
if (child := os.fork()) == 0:
    first.add()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
first.multiply()
print("through")
"""
    events = record(callpath, libraries, script, "--events", "operators")
    assert told(events) == ["first::add"] * 4 + ["first::multiply"]
    assert len({event["thread"]["tid"] for event in events}) == 5


def test_a_library_that_is_unloaded_and_another_in_its_place(callpath: Callpath, libraries: Path) -> None:
    script = f"""
import _ctypes
for name in ("first", "second") * 3:
    library = ctypes.CDLL(f"{libraries}/{{name}}.so")
    library.add()
    _ctypes.dlclose(library._handle)
print("through")
"""
    assert told(record(callpath, libraries, script, "--events", "operators")) == ["first::add", "second::add"] * 3


def test_the_engines_operators(callpath: Callpath, tmp_path: Path) -> None:
    script = """
import tensorlib as torch
x = torch.ones(2, 3, requires_grad=True)
y = x ** 3
y.sum().backward()
print("through")
"""
    events = record(callpath, tmp_path, script, "--events", "operators:*pow*,operators:*::sum*")
    assert told(events)[:2] == ["tensorlib::pow.Tensor_Scalar", "tensorlib::sum"]
    innermost = next(frame for frame in events[0]["frames"] if frame["kind"] == "native")
    assert "pow_Tensor_Scalar::call" in innermost["full"] and "<module>" in names(events[0])
    assert all(event["complete"] for event in events)


def test_without_a_library_that_tells(callpath: Callpath, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('through')\n")
    done = callpath("run", "--events", "operators", tmp_path / "program.py")
    assert done.returncode == 3 and done.stdout == "through\n"
    assert "no library of the program tells of its operators" in done.stderr
