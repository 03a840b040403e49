"""What `callpath run` says when something is wrong: a sentence, an exit status, and no file."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text("import sys\nprint('ran')\nx = 2.5\nx ** 3.5\nsys.exit(4)\n")
    return path


def test_a_probe_that_matches_nothing(callpath: Run, program: Path, tmp_path: Path) -> None:
    done = callpath("run", "--at", "flaot_pow", "-o", tmp_path / "r.json", program)
    assert done.returncode == 3
    assert done.stdout == "ran\n"
    assert "flaot_pow" in done.stderr and "float_pow" in done.stderr, "the nearest names are given"
    assert "exit status 4" in done.stderr
    assert not (tmp_path / "r.json").exists()


def test_a_probe_that_is_not_reached(callpath: Run, program: Path, tmp_path: Path) -> None:
    done = callpath("run", "--at", "PyObject_CopyData", "-o", tmp_path / "r.json", program)
    assert done.returncode == 3
    assert "none was reached" in done.stderr
    assert not (tmp_path / "r.json").exists()


def test_a_condition_that_never_holds(callpath: Run, program: Path, tmp_path: Path) -> None:
    done = callpath("run", "--at", "float_pow", "--if", "iv == 17.5", "-o", tmp_path / "r.json", program)
    assert done.returncode == 3
    assert "never held" in done.stderr or "cannot be told" in done.stderr
    assert not (tmp_path / "r.json").exists()


def test_a_condition_on_a_variable_that_is_not_there(callpath: Run, program: Path) -> None:
    done = callpath("run", "--at", "float_pow", "--if", "exponent == 3", program)
    assert done.returncode == 3
    assert "exponent" in done.stderr and "cannot be told" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--at", "float_pow", "--if", "exp = 3"], 1, "character 5"),
        (["--at", "program.py:3"], 1, "line of Python"),
        (["--at", ""], 1, "the probe is empty"),
        (["--at", "float_pow", "--limit", "0"], 2, "limit"),
        (["--at", "float_pow", "--lmit", "2"], 2, "--lmit"),
        ([], 2, "--at"),
        (["--at", "float_pow", "--python", "/nonexistent/python"], 1, "/nonexistent/python"),
        (["--at", "float_pow", "-o", "/nonexistent/folder/r.json"], 1, "/nonexistent/folder"),
        (["--at", "float_pow", "-o", "/"], 1, "cannot be written"),
    ],
)
def test_wrong_arguments_before_the_program_runs(arguments: list[str], status: int, said: str, callpath: Run, program: Path) -> None:
    done = callpath("run", *arguments, program)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert done.stdout == "", "the program did not run"


def test_no_program(callpath: Run, tmp_path: Path) -> None:
    assert callpath("run", "--at", "float_pow").returncode == 2
    missing = callpath("run", "--at", "float_pow", tmp_path / "nothing.py")
    assert missing.returncode == 1
    assert "nothing.py" in missing.stderr


def test_a_program_that_blocks_sigtrap_is_neither_ended_nor_deceived(callpath: Run, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, threading\n"
        "trap = {signal.SIGTRAP}\n"
        "got = []\n"
        "signal.signal(signal.SIGTRAP, lambda *_: got.append('trap'))\n"
        "print(signal.pthread_sigmask(signal.SIG_BLOCK, trap))\n"
        "import _ctypes\n"
        "print(signal.pthread_sigmask(signal.SIG_BLOCK, []) == trap)\n"
        "signal.pthread_kill(threading.get_ident(), signal.SIGTRAP)\n"
        "print(got)\n"
        "signal.pthread_sigmask(signal.SIG_UNBLOCK, trap)\n"
        "print(got, signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
    )
    done = callpath("run", "--quiet", "--at", "PyInit__ctypes", "-o", tmp_path / "r.json", program)
    assert done.stdout == "set()\nTrue\n[]\n['trap'] set()\n"
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "r.json").exists()


def test_a_library_loaded_later_gets_its_probe(callpath: Run, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('before')\nimport _ctypes\nprint('after')\n")
    done = callpath("run", "--quiet", "--at", "PyInit__ctypes", "-o", tmp_path / "r.json", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "before\nafter\n", "")
    assert (tmp_path / "r.json").exists()


def test_a_program_under_a_debugger(build: Path, program: Path) -> None:
    command = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set follow-fork-mode child", "-ex", "run", "--args"]
    command += [str(build / "bin/callpath"), "run", "--at", "float_pow", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=clean_environment())
    assert "under a debugger" in done.stderr
    assert "ran" not in done.stdout.splitlines()
