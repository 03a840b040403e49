"""`callpath break kernel` on the engine: the article's lambda, past the other power of the same line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from gdb_support import PYTHON, answers, backtrace

PROGRAM = """import tensorlib
tensorlib.manual_seed(0)
X = tensorlib.randn(100, 2)
y = X[:, 0]**2 + X[:, 1]**3
"""
SCRIPT = {
    "which": "callpath break kernel",
    "break": "callpath break kernel pow if exp == 3",
    "run": "run",
    "bt": "bt -frame-arguments none 1",
    "base": "output base",
    "source": "frame",
    "record": "callpath record kernel.json",
    "layer": "print $_layer()",
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


def test_the_stops_are_taken_away_together(said: tuple[dict[str, str], Path]) -> None:
    answer, _ = said
    assert "is not being run" in answer["gone"]  # a hundred elements, and no stop at any


def test_plain_gdb_comes_to_the_same_lambda(said: tuple[dict[str, str], Path]) -> None:
    answer, _ = said
    base = re.search(r"^base = (\S+)$", answer["by hand"], re.M)
    assert base and base[1] == answer["base"]
