"""Python frames under gdb, against what the program itself says of its stack; native frames, against gdb's own backtrace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gdb_support import BUILDS, MINOR, PYTHON, ROOT, backtrace, compile_standin, event, file_name, gdb, native, pass_through, python_frames

# Each program ends in a call of stop(): it writes its own stack to stack.json and calls os.getpgrp, where gdb stops.
STOP = """
import json, os, sys
def stop():
    stack, frame = [], sys._getframe(1)
    while frame:
        stack.append([frame.f_code.co_name, frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno, frame.f_lasti])
        frame = frame.f_back
    with open("stack.json", "w") as file:
        json.dump(stack, file)
    os.getpgrp()
"""

PROGRAMS = {
    "functions": """
def outer(n):
    def inner():
        stop()
    return inner() if n == 0 else outer(n - 1)
outer(3)
""",
    "generators": """
def other():
    yield 1
suspended = other(); next(suspended)
def g():
    yield stop()
def h():
    yield from g()
list(h())
""",
    "comprehension, lambda and class body": """
f = lambda: [stop() for _ in range(1)]
class K:
    class L:
        v = {i: f() for i in (1,)}
""",
    "through C and back": """
import functools
class Loud:
    def __repr__(self):
        return "x" + str(stop())
    def __lt__(self, other):
        return bool(repr(self))
sorted([Loud(), Loud()])
""",
    "exec, eval and odd file names": """
exec(compile("def made():\\n\\n    stop()\\neval('made()')", "<generated-7>", "exec"))
""",
    "decorated": """
import functools
def d(f):
    @functools.wraps(f)
    def inner(*a):
        return f(*a)
    return inner
@d
@d
def real(x):
    stop()
real(1)
""",
    "names of every width": """
def café(): stop()
def 函数(): café()
def 𝒻𝓃(): 函数()
𝒻𝓃()
""",
    "async": """
import asyncio
async def leaf():
    stop()
async def root():
    await leaf()
asyncio.run(root())
""",
    "call over lines": """
def many(a, b):
    stop()
r = many(
    1,
    (lambda: 2)(),
)
""",
}


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_standin(tmp_path_factory.mktemp("standin"))


def run_to_stop(folder: Path, program: str, *more: str, python: str = PYTHON) -> tuple[dict, list, str]:
    """Stops in os.getpgrp; gives the event, the stack as the program wrote it, and gdb's own backtrace."""
    (folder / "program.py").write_text(STOP + program, encoding="utf-8")
    session = gdb(
        ["run", *more, "callpath record out.json", "bt -frame-arguments none"],
        [python, "program.py"],
        folder,
        env={"CALLPATH_BIN": pass_through(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        load=breaks_at_stop(folder),
    )
    assert "Wrote" in session.out, session.out + session.err
    return event(folder / "out.json"), json.loads((folder / "stack.json").read_text()), session.out


def breaks_at_stop(folder: Path) -> Path:
    path = folder / "setup.gdb"
    path.write_text(f"source {ROOT / 'gdb' / 'load.py'}\nbreak os_getpgrp\n")
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_python_frames_are_those_the_program_saw(name: str, tmp_path: Path) -> None:
    recorded, own, _ = run_to_stop(tmp_path, PROGRAMS[name])
    frames = python_frames(recorded["frames"])
    assert frames[0]["name"] == "stop"
    seen = [[f["name"], f["full"], f["source"]["file"], f["source"]["line"]] for f in frames[1:]]
    assert seen == [[name, qualname, file, line] for name, qualname, file, line, _ in own]
    # f_lasti counts in bytes on 3.11 and stands at the instruction or in its caches, as the frame's own pointer does
    assert [f["python"]["code"]["instruction_offset"] for f in frames[1:]] == [lasti for *_, lasti in own]


@pytest.mark.parametrize("name", ["functions", "generators", "through C and back"])
def test_native_frames_are_those_of_gdbs_backtrace(name: str, tmp_path: Path) -> None:
    recorded, _, said = run_to_stop(tmp_path, PROGRAMS[name])
    theirs = backtrace(said)
    ours = native(recorded["frames"])
    assert len(theirs) > 10
    assert [(f["number"], f["name"]) for f in ours] == [(t.level, t.function) for t in theirs]
    assert [(file_name(f), f["source"]["line"]) for f in ours if f.get("source")] == [(t.file, t.line) for t in theirs if t.file]
    assert recorded["complete"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_python_frame_stands_just_inside_the_evaluation_that_runs_it(name: str, tmp_path: Path) -> None:
    recorded, _, _ = run_to_stop(tmp_path, PROGRAMS[name])
    frames = recorded["frames"]
    evaluations = [i for i, f in enumerate(frames) if f["name"] == "_PyEval_EvalFrameDefault"]
    for i, frame in enumerate(frames):
        if frame["kind"] == "python":
            following = next(j for j in evaluations if j > i)
            assert all(f["kind"] == "python" for f in frames[i:following])
            assert frame["number"] == frames[following]["number"]
    assert recorded["thread"]["note"] == ""


def test_deep_python_recursion_is_complete(tmp_path: Path) -> None:
    recorded, own, _ = run_to_stop(tmp_path, "sys.setrecursionlimit(9000)\ndef r(n):\n    return r(n - 1) if n else stop()\nr(5000)\n")
    assert [f["name"] for f in python_frames(recorded["frames"])].count("r") == 5001
    assert len(own) + 1 == len(python_frames(recorded["frames"]))


def test_recursion_through_c_pairs_each_frame_with_its_own_evaluation(extension: Path, tmp_path: Path) -> None:
    program = f"sys.path.insert(0, {str(extension)!r})\nimport standin\ndef r(n=[400]):\n    n[0] -= 1\n    return standin.callback(r) if n[0] else stop()\nr()\n"
    recorded, own, _ = run_to_stop(tmp_path, program)
    frames = python_frames(recorded["frames"])
    assert [f["name"] for f in frames] == ["stop"] + [name for name, *_ in own]
    numbers = [f["number"] for f in frames if f["name"] == "r"]
    assert len(numbers) == 400 and len(set(numbers)) == 400


def test_each_thread_has_its_own_frames(tmp_path: Path) -> None:
    """The thread that waits for the GIL is found by its kernel id, not by who is current."""
    program = """
import threading
def first():
    ready.set()
    done.wait()
ready, done = threading.Event(), threading.Event()
t = threading.Thread(target=first); t.start(); ready.wait()
def second():
    stop()
second()
done.set()
"""
    recorded, own, _ = run_to_stop(tmp_path, program)
    assert [f["name"] for f in python_frames(recorded["frames"])] == ["stop", "second", "<module>"]
    recorded, _, _ = run_to_stop(tmp_path, program, "thread 2")
    names = [f["name"] for f in python_frames(recorded["frames"])]
    assert "first" in names and "second" not in names and names[-1] == "_bootstrap"


def test_a_debug_build_is_read_by_its_own_layout(tmp_path: Path) -> None:
    debug = Path(BUILDS["debug"])
    if not debug.exists():
        pytest.skip(f"{debug} is not installed")
    recorded, own, _ = run_to_stop(tmp_path, PROGRAMS["comprehension, lambda and class body"], python=str(debug))
    assert [[f["name"], f["source"]["line"]] for f in python_frames(recorded["frames"])[1:]] == [[name, line] for name, _, _, line, _ in own]
    assert json.loads((tmp_path / "out.json").read_text())["target"]["python_build"] == "debug"


def test_a_thread_that_python_never_saw_has_native_frames_and_says_so(extension: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"import sys; sys.path.insert(0, {str(extension)!r})\nimport standin\nstandin.in_thread()\n")
    session = gdb(["break pow_tensor_scalar_optimized_kernel", "run", "callpath record out.json"], [PYTHON, "program.py"], tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    recorded = event(tmp_path / "out.json")
    assert not recorded["thread"]["has_python"]
    assert "no Python thread state" in recorded["thread"]["note"]
    assert "pow_tensor_scalar_optimized_kernel" == recorded["frames"][0]["name"], session.err
    assert not python_frames(recorded["frames"])


# Who holds the GIL: up to 3.11 the runtime keeps it, later each thread itself.
CURRENT_STATE = "print (long)_PyRuntime.gilstate.tstate_current._value" if MINOR == 11 else "print (long)_Py_tss_tstate"


def test_frames_are_found_while_the_gil_is_released(extension: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"import sys; sys.path.insert(0, {str(extension)!r})\nimport standin\ndef go():\n    standin.power(3.0)\ngo()\n")
    session = gdb(
        ["break pow_tensor_scalar_optimized_kernel", "run", CURRENT_STATE, "callpath record out.json"],
        [PYTHON, "program.py"], tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)},
    )  # fmt: skip
    assert "$1 = 0" in session.out
    assert [f["name"] for f in python_frames(event(tmp_path / "out.json")["frames"])] == ["go", "<module>"]
