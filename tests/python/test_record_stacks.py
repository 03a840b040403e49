"""Python stacks read from another, stopped process equal the stacks that the program itself reports."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from debian import BUILDS, NAME

from conftest import other_pythons

# `stop()` reports its callers as the program sees them and then waits in C. The innermost frame's offset moves on between the two.
PRELUDE = """
import json as _json, os as _os, sys as _sys, threading as _threading

def stop():
    _report(_sys._getframe()); _os.read(0, 1)

def _report(frame):
    stack = []
    while frame is not None:
        code = frame.f_code
        stack.append([code.co_qualname, code.co_filename, code.co_firstlineno, frame.f_lineno, frame.f_lasti])
        frame = frame.f_back
    print(_json.dumps({"tid": _threading.get_native_id(), "stack": stack}), flush=True)
"""

INTERPRETERS = ["/usr/bin/python3", BUILDS["debug"], *other_pythons()]


def wait_until_blocked(pid: int, tid: int) -> None:
    """Until the thread sleeps in a system call."""
    for _ in range(2_000):
        stat = Path(f"/proc/{pid}/task/{tid}/stat").read_text()
        call = Path(f"/proc/{pid}/task/{tid}/syscall").read_text().split()[0]
        if stat.rpartition(")")[2].split()[0] == "S" and call == "0":  # read
            return
        time.sleep(0.005)
    raise AssertionError("the program did not come to its stop")


@contextmanager
def stopped(file: Path, source: str, python: str, *arguments: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """A program that called stop(), stopped there: its pid and what it said."""
    file.write_text(PRELUDE + textwrap.dedent(source), encoding="utf-8", errors="surrogateescape")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"PYTHONUTF8": "1"}
    child = subprocess.Popen([python, *arguments, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    try:
        assert child.stdout
        said = json.loads(child.stdout.readline())
        wait_until_blocked(child.pid, said["tid"])
        os.kill(child.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
        yield child.pid, said
    finally:
        child.kill()
        child.communicate()


def read_stack(build: Path, pid: int, tid: int) -> dict[str, Any]:
    probe = build / "bin" / "callpath_python_probe"
    answer = subprocess.run([probe, "stack", str(pid), str(tid)], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(answer.stdout)


def spelled_out(text: str) -> str:
    """Lone surrogates as the record spells them."""
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text)


def check(build: Path, pid: int, said: dict[str, Any]) -> dict[str, Any]:
    stack = read_stack(build, pid, said["tid"])
    frames = [frame for run in stack["runs"] for frame in run["frames"]]
    ours = [[f["qualname"], f["file"], f["first_line"], f["line"], f["offset"]] for f in frames]
    theirs = [[spelled_out(row[0]), spelled_out(row[1]), *row[2:]] for row in said["stack"]]
    ours[0][4] = theirs[0][4]  # it has moved on from _report to read
    assert ours == theirs
    assert stack["found"] and stack["note"] == ""
    anchors = [run["anchor"] for run in stack["runs"]]
    assert anchors == sorted(set(anchors)), "innermost first: the stack grows downwards"
    for run in stack["runs"]:
        assert [frame["entry"] for frame in run["frames"]] == [False] * (len(run["frames"]) - 1) + [True]
    return stack


SOURCES = {
    "nested functions": """
        def outer():
            def inner(x):
                return middle(lambda: stop())
            def middle(f):
                return f()
            return inner(
                1,
            )
        outer()
        """,
    "generators": """
        def suspended():
            yield 1
            yield 2
        def running():
            stop()
            yield 1
        def delegating():
            yield from running()
        waiting = suspended()
        next(waiting)
        next(delegating())
        """,
    "comprehensions": """
        def f():
            return [[stop() for _ in range(1)] for _ in {1: 2}]
        list(f() for _ in range(1))
        """,
    "class bodies": """
        class A:
            class B:
                def __init_subclass__(cls):
                    stop()
            class C(B):
                pass
        """,
    "exec": """
        exec(compile("eval('stop()')", "made up", "exec"))
        """,
    "callbacks from C": """
        class Odd:
            def __lt__(self, other):
                return sorted([1], key=lambda _: stop())
        min(Odd(), Odd())
        """,
    "decorators": """
        import functools
        def deco(f):
            @functools.wraps(f)
            def inner(*a, **k):
                return f(*a, **k)
            return inner
        @deco
        @deco
        def real():
            stop()
        real()
        """,
    "names in every width": """
        def ascii(): stop()
        def café(): ascii()
        def 名前(): café()
        def 𝒳_𝒴(): 名前()
        def made(name, f):
            namespace = {"f": f}
            exec(compile("def _(): f()", name, "exec"), namespace)
            return namespace["_"]
        made("\\ud800 lone \\udcff.py", made("\\U0001f600.py", made("latin é.py", 𝒳_𝒴)))()
        """,
    "coroutines": """
        import asyncio
        async def leaf():
            stop()
        async def tree():
            await leaf()
        async def main():
            await asyncio.create_task(tree())
        asyncio.run(main())
        """,
    "deleting": """
        class D:
            def __del__(self):
                stop()
        def f():
            d = D()
            del d
        f()
        """,
    "a changed line table": """
        def f():
            stop()
        f.__code__ = f.__code__.replace(co_linetable=b"")
        f()
        """,
    "extended arguments": f"""
        def take(*_):
            stop()
        take({", ".join(f"*[{i}.5][1:]" for i in range(600))})
        """,
    "other thread": """
        import threading
        def work(depth):
            work(depth - 1) if depth else stop()
        thread = threading.Thread(target=work, args=(3,))
        thread.start()
        thread.join()
        """,
}


@pytest.mark.parametrize("python", INTERPRETERS)
@pytest.mark.parametrize("what", SOURCES)
def test_a_stack_equals_the_programs_own(build: Path, tmp_path: Path, what: str, python: str) -> None:
    with stopped(tmp_path / "program.py", SOURCES[what], python) as (pid, said):
        stack = check(build, pid, said)
    assert stack["build"] == ("debug" if "dbg" in python else "release")
    assert stack["version"] == subprocess.run([python, "-c", "import platform; print(platform.python_version())"], capture_output=True, text=True).stdout.strip()


def test_a_running_generator_says_so_and_a_suspended_one_is_absent(build: Path, tmp_path: Path) -> None:
    with stopped(tmp_path / "program.py", SOURCES["generators"], INTERPRETERS[0]) as (pid, said):
        frames = [frame for run in check(build, pid, said)["runs"] for frame in run["frames"]]
    owners = {frame["name"]: frame["owner"] for frame in frames}
    assert owners == {"stop": "thread", "running": "generator", "delegating": "generator", "<module>": "thread"}


@pytest.mark.parametrize("python", INTERPRETERS)
def test_a_recursion_of_5000_is_complete(build: Path, tmp_path: Path, python: str) -> None:
    source = """
        import sys
        sys.setrecursionlimit(6_000)
        def f(n):
            f(n - 1) if n else stop()
        f(4_999)
        """
    with stopped(tmp_path / "program.py", source, python) as (pid, said):
        stack = check(build, pid, said)
    assert len(stack["runs"]) == 1 and len(stack["runs"][0]["frames"]) == 5_002


def test_a_recursion_through_c_has_a_run_for_each_evaluation(build: Path, tmp_path: Path) -> None:
    source = """
        import sys
        sys.setrecursionlimit(2_000)
        def f(n):
            [*map(f, [n - 1])] if n else stop()
        f(900)
        """
    with stopped(tmp_path / "program.py", source, INTERPRETERS[0]) as (pid, said):
        assert len(check(build, pid, said)["runs"]) == 901


def test_a_file_name_that_is_not_utf8(build: Path, tmp_path: Path) -> None:
    with stopped(tmp_path / os.fsdecode(b"caf\xe9.py"), "stop()\n", INTERPRETERS[0]) as (pid, said):
        file = check(build, pid, said)["runs"][0]["frames"][0]["file"]
    assert file.endswith("caf\\udce9.py")


def test_a_subinterpreter_stands_within_the_call_that_entered_it(build: Path, tmp_path: Path) -> None:
    (tmp_path / "within.py").write_text(PRELUDE + "def within():\n    stop()\nwithin()\n")
    source = f"""
        import _xxsubinterpreters as interpreters
        def enter():
            interpreters.run_string(interpreters.create(), open({str(tmp_path / "within.py")!r}).read())
        enter()
        """
    with stopped(tmp_path / "program.py", source, INTERPRETERS[0]) as (pid, said):
        stack = read_stack(build, pid, said["tid"])
    names = [frame["qualname"] for run in stack["runs"] for frame in run["frames"]]
    assert names == [row[0] for row in said["stack"]] + ["enter", "<module>"]


def test_a_thread_that_python_does_not_know(build: Path, tmp_path: Path) -> None:
    with stopped(tmp_path / "program.py", "stop()\n", INTERPRETERS[0]) as (pid, _):
        stack = read_stack(build, pid, 1)
    assert (stack["found"], stack["runs"], stack["note"]) == (False, [], "no Python thread state")


def test_a_program_without_an_interpreter(build: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    try:
        assert read_stack(build, child.pid, child.pid) == {"error": "no interpreter"}
    finally:
        child.kill()
        child.wait()


def test_an_interpreter_in_a_shared_library(build: Path, tmp_path: Path) -> None:
    source = '#include <Python.h>\nint main(int argc, char** argv) { return Py_BytesMain(argc, argv); }\n'
    (tmp_path / "embed.c").write_text(source)
    include = subprocess.run(["/usr/bin/python3-config", "--includes"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["gcc", *include, tmp_path / "embed.c", f"-l{NAME}", "-o", tmp_path / "embed"], check=True)
    with stopped(tmp_path / "program.py", SOURCES["nested functions"], str(tmp_path / "embed")) as (pid, said):
        check(build, pid, said)
