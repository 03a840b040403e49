"""What `callpath run` says when something is wrong: a sentence, an exit status, and no file."""

import json
import os
import shutil
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


def test_a_member_that_is_not_there_is_named_though_other_frames_lack_the_variable(callpath: Run, program: Path) -> None:
    done = callpath("run", "--at", "float_pow", "--if", "v.nonsense == 3", program)
    assert done.returncode == 3
    assert "cannot be told" in done.stderr and "there is no variable v here" not in done.stderr


@pytest.mark.parametrize("stream", ["/dev/full", "closed"])
def test_standard_error_that_cannot_be_written_changes_no_exit_status(stream: str, build: Path, program: Path) -> None:
    redirection = "2>&-" if stream == "closed" else f"2>{stream}"
    for arguments, status in (('run --at float_pow "$1"', 4), ('run --at nosuchfunction "$1"', 3), ("report /nonexistent", 1), ("nosuch", 2)):
        command = f'"$0" {arguments} {redirection}'
        done = subprocess.run(["sh", "-c", command, build / "bin/callpath", program], env=clean_environment(), stdout=subprocess.DEVNULL)
        assert done.returncode == status, arguments


def test_closed_standard_streams_do_not_become_files_of_ours(build: Path, program: Path, tmp_path: Path) -> None:
    command = '"$0" run --at float_pow -o "$1" "$2" <&- >&- 2>&-'
    program.write_text("import os\nx = 2.5\nx ** 3.5\nos._exit(sum(os.path.exists(f'/proc/self/fd/{n}') for n in range(3)))\n")
    done = subprocess.run(["sh", "-c", command, build / "bin/callpath", tmp_path / "r.json", program], env=clean_environment())
    alone = subprocess.run(["sh", "-c", '/usr/bin/python3 "$0" <&- >&- 2>&-', program], env=clean_environment())
    assert done.returncode == alone.returncode
    assert json.loads((tmp_path / "r.json").read_text())["format"] == "callpath/1"


def test_a_file_size_limit_is_an_error_and_leaves_nothing(build: Path, program: Path, tmp_path: Path) -> None:
    command = 'ulimit -f 1; "$0" run --quiet --at float_pow -o "$1" "$2"'
    done = subprocess.run(["bash", "-c", command, build / "bin/callpath", tmp_path / "r.json", program], env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 1 and "File too large" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


@pytest.mark.parametrize("descriptors", range(6, 13))
def test_too_few_descriptors_are_called_that(descriptors: int, build: Path, program: Path) -> None:
    command = f'ulimit -n {descriptors}; "$0" run --quiet --at float_pow "$1"'
    done = subprocess.run(["bash", "-c", command, build / "bin/callpath", program], env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 4 or (done.returncode == 1 and "Too many open files" in done.stderr), done.stderr


def test_an_agent_that_is_not_there_is_told_before_the_program_runs(build: Path, program: Path, tmp_path: Path) -> None:
    copy = tmp_path / "bin" / "callpath"
    copy.parent.mkdir()
    os.link(build / "bin/callpath", copy) if copy.parent.stat().st_dev == build.stat().st_dev else shutil.copy(build / "bin/callpath", copy)
    done = subprocess.run([copy, "run", "--at", "float_pow", program], env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert "agent" in done.stderr


def test_a_name_that_is_too_long_is_told_before_the_program_runs(callpath: Run, program: Path, tmp_path: Path) -> None:
    for length in (250, 300):
        done = callpath("run", "--at", "float_pow", "-o", tmp_path / ("x" * length), program)
        assert done.returncode == 1 and done.stdout == ""
        assert "cannot be written" in done.stderr and "internal" not in done.stderr


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
        (["--at", "program.py:3", "--at", "other.py:3"], 1, "two lines of Python"),
        (["--at", "program.py:3", "--if", "exp == 3"], 1, "line of Python"),
        (["--at", "program.py:0"], 1, "lines count from 1"),
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


@pytest.mark.parametrize("probe", ["start_thread", "clone3", "__GI___clone3", "__spawni_child", "vfork"])
def test_where_a_breakpoint_would_end_the_program_none_is_set(callpath: Run, tmp_path: Path, probe: str) -> None:
    """The C library begins threads and children with all signals blocked: the program below needs each of them, and is not started."""
    program = tmp_path / "threads.py"
    program.write_text("import subprocess, threading\nthreading.Thread(target=print, args=('thread',)).start()\nsubprocess.run(['true'])\nprint('done')\n")
    done = callpath("run", "--at", probe, "-o", tmp_path / "r.json", program)
    assert (done.returncode, done.stdout) == (1, "")
    assert probe.lstrip("_").removeprefix("GI___") in done.stderr and "signal blocked" in done.stderr
    assert not (tmp_path / "r.json").exists()
