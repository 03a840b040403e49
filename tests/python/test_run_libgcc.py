"""The physical frames of the lambda's stop in the record are those that libgcc's own unwinder finds at the same stop."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment
from test_run_engine import LAMBDAS, LINE, PROGRAM

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "learn1.py"
    path.write_text(PROGRAM.format(line=LINE))
    return path


def libgccs(build: Path, python: str, root: Path, program: Path) -> list[tuple[str, int]]:
    """Module and offset of each frame, innermost first: gdb stops the program in the lambda and sends it a signal, whose handler asks libgcc."""
    library, out, script = program.with_name("frames.so"), program.with_name("frames.txt"), program.with_name("go.gdb")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(root / "tests/data/libgcc/frames_on_signal.c"), "-o", str(library)], check=True)
    source = (root / "tensorlib/native/cpu/PowKernel.cpp").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if text.strip() == "return base * base * base;")
    script.write_text(
        "set pagination off\nset confirm off\nset debuginfod enabled off\nset breakpoint pending on\nhandle SIGUSR1 nostop noprint pass\n"
        f"set environment PYTHONPATH {build}/python\nset environment LD_PRELOAD {library}\nset environment LIBGCC_FRAMES {out}\n"
        "break pow_tensor_scalar_optimized_kernel if exp == 3\nrun\ndelete\n"
        f"break PowKernel.cpp:{line}\ncontinue\ndelete\nqueue-signal SIGUSR1\ncontinue\n"
    )
    command = ["gdb", "-nx", "-batch", "-x", str(script), "--args", python, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=clean_environment())
    assert out.exists(), done.stdout + done.stderr
    return [(name, int(offset, 16)) for name, offset in map(str.split, out.read_text().splitlines())]


def test_physical_frames_are_libgccs(callpath: Run, build: Path, python: str, root: Path, program: Path) -> None:
    record = program.with_name("r.json")
    done = callpath("run", "--quiet", "--at", LAMBDAS, "--if", "exp == 3", "-o", record, program)
    assert done.returncode == 0, done.stderr
    event = json.loads(record.read_text())["events"][0]
    native = [f for f in event["frames"] if f["kind"] == "native"]
    recording = json.loads(record.read_text())
    ours = [(Path(recording["modules"][f["module"]]["path"]).name, int(f["offset"], 16)) for f in native]
    theirs = [(Path(python).resolve().name if name == "python3" else name, offset) for name, offset in libgccs(build, python, root, program)]
    assert len(theirs) > 20
    assert ours == theirs
    assert event["complete"] is True
