"""Functions of Debian's stripped PyTorch are named by the tables through which they are called, each row against a truth of its own."""

import importlib.util
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="python3-torch is not installed")

PROGRAM = "import torch\ntorch.manual_seed(0)\nX = torch.randn(10000, 2)\ny = X[:, 1]**3\n"

# The values that the program itself reads through the loader: what a DispatchStub's member holds, whose kernel a table names.
TRUTH = """
import ctypes, json, torch
library = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libtorch_cpu.so" in line))
base = next(int(line.split("-")[0], 16) for line in open("/proc/self/maps") if "libtorch_cpu.so" in line)
symbols = json.loads(SYMBOLS)
print(json.dumps({name: ctypes.c_void_p.in_dll(library, name).value - base for name in symbols if ctypes.c_void_p.in_dll(library, name).value}))
"""


def library(name: str, python: str) -> Path:
    """The file that `import torch` loads."""
    code = f"import torch\nprint(next(l.split()[-1] for l in open('/proc/self/maps') if '{name}.so' in l))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=clean_environment(), check=True)
    return Path(done.stdout.strip())


def record(callpath: Run, folder: Path, program: str, at: str, **environment: str) -> tuple[list[dict], list[dict]]:
    """Frames from the probe out to the user's line, and the modules."""
    script, out = folder / "program.py", folder / "r.json"
    script.write_text(program)
    done = callpath("run", "--quiet", "--limit", "1", "--at", at, "-o", out, script, env=environment)
    assert done.returncode == 0, done.stderr
    recording = json.loads(out.read_text())
    frames = recording["events"][0]["frames"]
    user = next(i for i, f in enumerate(frames) if f["kind"] == "python" and f["name"] == "<module>")
    return frames[:user], recording["modules"]


@pytest.fixture(scope="module")
def path(callpath: Run, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """X[:, 1]**3 at the iterator, the default capability."""
    return record(callpath, tmp_path_factory.mktemp("torch"), PROGRAM, "at::TensorIteratorBase::serial_for_each")[0]


def test_every_frame_between_the_call_and_the_loop_has_a_name(path: list[dict]) -> None:
    native = [f for f in path if f["kind"] == "native"]
    assert [f["full"] for f in native if f["name"] == "??" or f["layer"] == "unknown"] == []


def test_rows_stand_in_the_order_of_the_article(path: list[dict]) -> None:
    rows = [(f["layer"], f["full"].split("(")[0]) for f in path[: next(i for i, f in enumerate(path) if f["layer"] == "protocol")]]
    assert [(layer, re.sub("DEFAULT|AVX2|AVX512", "CAPABILITY", full)) for layer, full in rows] == [
        ("loop", "at::TensorIteratorBase::serial_for_each"),
        ("loop", "at::TensorIteratorBase::for_each"),
        ("kernel", "CAPABILITY kernel of at::native::pow_tensor_scalar_stub"),
        ("operator", "at::native::structured_pow_Tensor_Scalar_out::impl"),
        ("operator", "structured CPU wrapper of aten::pow.Tensor_Scalar"),
        ("glue", "CPU unboxed wrapper of aten::pow.Tensor_Scalar"),
        ("dispatcher", "at::_ops::pow_Tensor_Scalar::redispatch"),
        ("autograd", "autograd kernel of aten::pow.Tensor_Scalar"),
        ("glue", "autograd unboxed wrapper of aten::pow.Tensor_Scalar"),
        ("dispatcher", "at::_ops::pow_Tensor_Scalar::call"),
        ("binding", "method torch._C._TensorBase.pow"),
    ]


def test_what_left_by_a_jump_is_elided_not_a_frame(path: list[dict]) -> None:
    left = next(f for f in path if f["full"].startswith("at::native::structured_pow_Tensor_Scalar_out::impl"))
    assert left["kind"] == "elided" and "left by" in left["evidence"]


def test_inferred_names_say_how_they_are_known(path: list[dict]) -> None:
    inferred = {f["full"]: f["evidence"] for f in path if f["confidence"] == "inferred"}
    assert len(inferred) == 6
    assert all(inferred.values())
    text = " | ".join(inferred.values())
    for part in ("pow_tensor_scalar_stub>::", "registered at RegisterCPU.cpp", "registered at VariableType", "structured_pow_Tensor_Scalar::meta",
                 "ml_meth of the method_descriptor"):
        assert part in text, part


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_the_kernel_is_the_one_that_the_stub_holds(callpath: Run, python: str, tmp_path: Path, capability: str) -> None:
    if capability == "avx512" and "avx512f" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no AVX-512")
    frames, _ = record(callpath, tmp_path, PROGRAM, "at::TensorIteratorBase::serial_for_each", ATEN_CPU_CAPABILITY=capability)
    kernel = next(f for f in frames if f["layer"] == "kernel")
    file = library("libtorch_cpu", python)
    listing = subprocess.run(["readelf", "--dyn-syms", "-W", file], capture_output=True, text=True, check=True).stdout
    members = re.findall(r"OBJECT .* (_ZN2at6native12DispatchStub\S*pow_tensor_scalar_stub\S*E(?:7DEFAULT|4AVX2|6AVX512)E)", listing)
    assert len(members) == 3
    truth = TRUTH.replace("SYMBOLS", repr(json.dumps(members)))
    values = json.loads(subprocess.run([python, "-c", truth], capture_output=True, text=True, env=clean_environment(), check=True).stdout)
    wanted = next(value for name, value in values.items() if name.endswith(f"{len(capability)}{capability.upper()}E"))
    assert kernel["full"] == f"{capability.upper()} kernel of at::native::pow_tensor_scalar_stub"
    # The frame stands inside the function that begins there.
    assert 0 < int(kernel["offset"], 16) - wanted < 0x4000


@pytest.mark.parametrize("operation, op", [("torch.relu(X)", "aten::relu"), ("X + X", "aten::add.Tensor"), ("torch.exp(X)", "aten::exp"),
                                           ("X.sum(1)", "aten::sum.dim_IntList"), ("torch.where(X > 0, X, X)", "aten::where.self")])
def test_wrappers_name_the_operator_whose_symbol_calls_them(callpath: Run, tmp_path: Path, operation: str, op: str) -> None:
    """An unboxed wrapper's caller is `at::_ops::OPERATOR_OVERLOAD::call` or `::redispatch`, which has a symbol."""
    overload = op.removeprefix("aten::").replace(".", "_")
    program = f"import torch\nX = torch.randn(100, 2)\ntorch.zeros(1)\ny = {operation}\n"
    frames, _ = record(callpath, tmp_path, program, f"at::_ops::{overload}::redispatch")
    inner = next(i for i, f in enumerate(frames) if f["full"].startswith(f"at::_ops::{overload}::redispatch"))
    wrapper = next(f for f in frames[inner + 1 :] if "wrapper of" in f["full"])
    assert wrapper["full"] == f"autograd unboxed wrapper of {op}"


def test_a_loop_is_the_callback_of_the_kernel_that_made_it(callpath: Run, tmp_path: Path) -> None:
    """torch.igamma's scalar code calls lgammaf from inside its loop."""
    program = "import torch\na = torch.rand(100, 2) + 1\nb = torch.igamma(a[:, 0], a[:, 1])\n"
    frames, _ = record(callpath, tmp_path, program, "lgammaf")
    iterator = next(i for i, f in enumerate(frames) if "serial_for_each" in f["full"])
    loop = frames[iterator - 1]
    assert re.fullmatch(r"loop callback of \w+ kernel of at::native::igamma_stub", loop["full"]) and loop["layer"] == "kernel"
    assert [f["full"] for f in frames[:iterator] if f["name"] == "??"] == []
    assert {f["layer"] for f in frames[1:iterator]} == {"kernel"}


def test_gdb_can_ask_for_the_same_names(callpath: Run, python: str, tmp_path: Path, path: list[dict], build: Path) -> None:
    """`callpath names`, given the stack of a process that gdb holds."""
    program, script = tmp_path / "program.py", tmp_path / "names.py"
    program.write_text(PROGRAM)
    script.write_text(f"""
import gdb, json, subprocess
for command in ("set breakpoint pending on", "break at::TensorIteratorBase::serial_for_each", "run"):
    gdb.execute(command, to_string=True)
frame, stack = gdb.newest_frame(), []
while frame is not None and len(stack) < 12:
    if frame.type() == gdb.NORMAL_FRAME:
        stack.append(hex(frame.pc()) + ("" if stack else "!"))
    frame = frame.older()
print("NAMES " + subprocess.run(["{build}/bin/callpath", "names", "--pid", str(gdb.selected_inferior().pid), *stack],
                                capture_output=True, text=True, check=True).stdout)
""")
    done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", script, "--args", python, program],
                          capture_output=True, text=True, env=clean_environment(), stdin=subprocess.DEVNULL)
    line = next((line for line in done.stdout.splitlines() if line.startswith("NAMES ")), None)
    assert line, done.stdout + done.stderr
    names = [name["full"] for name in json.loads(line.removeprefix("NAMES ")) if name]
    assert names == [f["full"] for f in path if f["confidence"] == "inferred"]
