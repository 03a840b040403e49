"""`callpath run --watch`: who touches a piece of memory, against values and addresses that the program itself knows."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

TENSORLIB = "import tensorlib as engine\nengine.manual_seed(0)\nX = engine.randn(10000, 2)\nt = X[:, 1]\ny = t ** 3\nprint(X[2, 1].item(), y[2].item())\n"
TORCH = TENSORLIB.replace("import tensorlib as engine", "import torch as engine\nengine.set_num_threads(1)")

# Runs a program in which perf_event_open fails, as in many containers.
WITHOUT_PERF = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char** arguments) {
  struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NOT_PERMITTED, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {5, filter};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 125;
  execv(arguments[1], arguments + 1);
  return 126;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        (tmp_path / "program.py").write_text(text)
        return tmp_path / "program.py"

    return write


def without(call: str, folder: Path) -> Path:
    """A program that runs another one without perf_event_open and one more system call."""
    (folder / "without.c").write_text(WITHOUT_PERF)
    subprocess.run(["gcc", "-O1", f"-DNOT_PERMITTED={call}", "without.c", "-o", "without"], cwd=folder, check=True)
    return folder / "without"


@pytest.fixture(scope="session")
def without_perf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return without("SYS_perf_event_open", tmp_path_factory.mktemp("seccomp"))


@pytest.fixture(scope="session")
def without_either(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return without("SYS_ptrace", tmp_path_factory.mktemp("seccomp"))


def only_event(record: Path) -> dict:
    (event,) = json.loads(record.read_text())["events"]
    return event


def functions(event: dict) -> list[str]:
    return [re.sub(r"[(<].*|\.lto_priv.*", "", frame["full"]) for frame in event["frames"] if frame["kind"] != "python"]


def watched_value(event: dict) -> float:
    return float(next(fact["value"] for fact in event["facts"] if fact["name"] == "watched"))


def test_an_element_of_the_engine(callpath: Run, program: Callable[[str], Path], tmp_path: Path) -> None:
    record = tmp_path / "r.json"
    done = callpath("run", "--at", "tensorlib::_ops::pow_Tensor_Scalar::call", "--watch", "self[2]", "-o", record, program(TENSORLIB))
    assert done.returncode == 0, done.stderr
    element, cube = (float(x) for x in done.stdout.split())
    event = only_event(record)
    assert watched_value(event) == pytest.approx(element, rel=1e-6) and cube == pytest.approx(element**3, rel=1e-5)
    assert event["trigger"]["kind"] == "watch" and event["trigger"]["spec"] == "self[2]"
    names = functions(event)
    assert any("basic_loop" in name for name in names) and "tensorlib::TensorIteratorBase::for_each" in names
    line = next(frame for frame in event["frames"] if frame["kind"] == "python" and frame["layer"] == "user")
    assert line["source"]["line"] == 5


def test_an_element_in_stripped_torch(callpath: Run, program: Callable[[str], Path], tmp_path: Path) -> None:
    record = tmp_path / "r.json"
    done = callpath("run", "--at", "at::_ops::pow_Tensor_Scalar::call", "--watch", "self[2]", "-o", record, program(TORCH))
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("python3-torch is not installed")
    assert done.returncode == 0, done.stderr
    event = only_event(record)
    assert watched_value(event) == pytest.approx(float(done.stdout.split()[0]), rel=1e-6)
    natives = [frame for frame in event["frames"] if frame["kind"] == "native"]
    modules = json.loads(record.read_text())["modules"]
    # As gdb shows it when a hardware watchpoint stops there: the loop's body has no symbol, its callers are exported.
    assert [functions({"frames": natives})[i] for i in (1, 2, 6, 9)] == [
        "at::TensorIteratorBase::serial_for_each",
        "at::TensorIteratorBase::for_each",
        "at::_ops::pow_Tensor_Scalar::redispatch",
        "at::_ops::pow_Tensor_Scalar::call",
    ]
    assert modules[natives[0]["module"]]["name"].startswith("libtorch_cpu.so") and natives[0]["confidence"] in ("module", "inferred")


@pytest.mark.parametrize("expression", ["*(double*)($rdi+16)", "*(double*)v+16"])
def test_memory_by_address(expression: str, callpath: Run, program: Callable[[str], Path], tmp_path: Path) -> None:
    # float_pow(v, w): the double lies behind the object's head.
    record = tmp_path / "r.json"
    script = program("a, b = 2.5, 3.5\nprint(a ** b)\n")
    done = callpath("run", "--at", "float_pow", "--watch", expression, "-o", record, script)
    assert done.returncode == 0 and done.stdout == f"{2.5**3.5}\n", done.stderr
    event = only_event(record)
    assert watched_value(event) == 2.5
    assert functions(event)[0] == "float_pow"


def test_without_perf_events(build: Path, without_perf: Path, program: Callable[[str], Path], tmp_path: Path) -> None:
    script = program("a, b = 2.5, 3.5\nprint(a ** b)\n")
    for options in (["--at", "float_pow", "--watch", "*(double*)($rdi+16)"], ["--at", f"{script}:2"]):
        record = tmp_path / "r.json"
        command = [without_perf, build / "bin" / "callpath", "run", *options, "-o", record, script]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and done.stdout == f"{2.5**3.5}\n", done.stderr
        events = json.loads(record.read_text())["events"]
        assert any("float_pow" in functions(event) for event in events)


def test_where_nothing_can_be_watched(build: Path, without_either: Path, program: Callable[[str], Path], tmp_path: Path) -> None:
    record = tmp_path / "r.json"
    options = ["--at", "tensorlib::_ops::pow_Tensor_Scalar::call", "--watch", "self[2]", "-o", record]
    done = subprocess.run([without_either, build / "bin" / "callpath", "run", *options, program(TENSORLIB)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    event = only_event(record)
    assert functions(event).index("tensorlib::TensorIteratorBase::for_each") > 0
    assert "perf_event_open" in next(fact["how"] for fact in event["facts"] if fact["name"] == "loop_body")
    script = program("a = 2.5\nprint(a ** 3.5)\n")
    options = ["--at", "float_pow", "--watch", "*(double*)($rdi+16)"]
    done = subprocess.run([without_either, build / "bin" / "callpath", "run", *options, script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == f"{2.5**3.5}\n"
    assert "cannot be watched: perf_event_open: Permission denied; ptrace: Permission denied" in done.stderr


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("self[x]", "'x' is no integer"),
        ("*(colour*)0x10", "'colour' is no type"),
        ("x + 1", "it is neither"),
    ],
)
def test_expressions_that_are_wrong(expression: str, said: str, callpath: Run, program: Callable[[str], Path]) -> None:
    done = callpath("run", "--at", "float_pow", "--watch", expression, program("print('ran')\n"))
    assert done.returncode == 1 and done.stdout == "", done.stdout
    assert said in done.stderr


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("self[0,0,0]", "is no tensor"),
        ("*(double*)($rdi+3)", "is not a multiple of 8"),
        ("*(double*)nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_watched(expression: str, said: str, callpath: Run, program: Callable[[str], Path]) -> None:
    done = callpath("run", "--at", "float_pow", "--watch", expression, program("a = 2.5\nprint(a ** 3.5)\n"))
    assert done.returncode == 3 and done.stdout == f"{2.5**3.5}\n"
    assert "cannot be watched" in done.stderr and said in done.stderr, done.stderr


def test_nobody_touches_it(callpath: Run, program: Callable[[str], Path]) -> None:
    # An address in the first page, where nothing is ever mapped.
    done = callpath("run", "--at", "os_getpid*", "--watch", "*(long*)0x10", program("import os\nos.getpid()\nprint(1)\n"))
    assert done.returncode == 3 and done.stdout == "1\n"
    assert "nothing touched it" in done.stderr
