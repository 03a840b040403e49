"""`callpath break kernel` on the engine: the article's lambda, past the other power of the same line."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from gdb_support import MINOR, PYTHON, answers, backtrace

PROGRAM = """import tensorlib
tensorlib.manual_seed(0)
X = tensorlib.randn(100, 2)
y = X[:, 0]**2 + X[:, 1]**3
"""
# Where an optimised interpreter still has the tensor.
HOLDER, TENSOR = ("method_vectorcall_VARARGS_KEYWORDS", "args[0]") if MINOR == 11 else ("PyObject_Call", "((PyTupleObject *) args)->ob_item[0]")
SCRIPT = {
    "which": "callpath break kernel",
    "break": "callpath break kernel pow if exp == 3",
    "run": "run",
    "bt": "bt -frame-arguments none 1",
    "base": "output base",
    "source": "frame",
    "record": "callpath record kernel.json",
    "layer": "print $_layer()",
    "binding": f"frame function {HOLDER}",
    "tensor": f"callpath inspect {TENSOR}",
    "its class": f"@by-hand callpath inspect {TENSOR}",
    "delete": "callpath break kernel -delete",
    "on": "continue",
    "gone": "info program",
    "by hand": "@by-hand callpath break kernel pow if exp == 3",
}


@pytest.fixture(scope="module")
def said(build: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Path]:
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "program.py").write_text(PROGRAM)
    found = answers(list(SCRIPT.values()), [PYTHON, "program.py"], folder, {"CALLPATH_BIN": str(build / "bin" / "callpath"), "PYTHONPATH": str(build / "python")})
    return dict(zip(SCRIPT, found, strict=True)), folder


def test_the_stop_is_in_the_lambda_of_that_exponent(said: tuple[dict[str, str], Path]) -> None:
    answer, _ = said
    assert "Usage: callpath break kernel" in answer["which"] and "is looked for in each one" in answer["break"]
    (only,) = backtrace(answer["bt"])
    assert "pow_tensor_scalar_optimized_kernel" in only.function and "lambda(float)" in only.function and only.file == "PowKernel.cpp"
    assert float(answer["base"]) == pytest.approx(-1.1523602, rel=1e-7)  # X[0, 1] of the article
    assert re.search(r"return base \* base \* base;", answer["source"])


def test_the_record_says_why_it_stopped(said: tuple[dict[str, str], Path]) -> None:
    answer, folder = said
    (only,) = json.loads((folder / "kernel.json").read_text())["events"]
    assert only["trigger"] == {"kind": "probe", "spec": "kernel:pow", "condition": "exp == 3"}
    assert only["frames"][0]["layer"] == "kernel" and '"kernel"' in answer["layer"]


def test_the_tensor_is_told_from_memory(said: tuple[dict[str, str], Path]) -> None:
    """X[:, 1] of a contiguous X of 100 rows and two columns."""
    answer, _ = said
    assert re.fullmatch(r"<Tensor float32 sizes \[100\] strides \[2\] offset 1 at 0x\w+>\n", answer["tensor"])
    assert '"Tensor"' in answer["its class"]


def test_an_optimised_engine_is_told_at_once(build: Path, tmp_path: Path) -> None:
    """A library whose kernel has no lambda of its own: nothing would ever stop there."""
    (tmp_path / "inlined.cpp").write_text(
        "namespace native { __attribute__((noinline)) double pow_scalar_kernel(double x) { auto cube = [](double b) { return b * b * b; }; return cube(x); } }\n"
        'extern "C" double cube(double x) { return native::pow_scalar_kernel(x); }\n'
    )
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", "inlined.so", "inlined.cpp"], cwd=tmp_path, check=True)
    (tmp_path / "program.py").write_text("import ctypes\nctypes.CDLL('./inlined.so')\nid('loaded')\n")
    script = ["break builtin_id if $_streq($_py(v), \"'loaded'\")", "run", "callpath break kernel pow"]
    *_, told = answers(script, [PYTHON, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    assert "inlined.so has kernels of pow, but their lambdas are inlined" in told and "preset teach" in told


def test_the_stops_are_taken_away_together(said: tuple[dict[str, str], Path]) -> None:
    answer, _ = said
    assert "is not being run" in answer["gone"]  # a hundred elements, and no stop at any


def test_plain_gdb_comes_to_the_same_lambda(said: tuple[dict[str, str], Path]) -> None:
    answer, _ = said
    base = re.search(r"^base = (\S+)$", answer["by hand"], re.M)
    assert base and base[1] == answer["base"]
