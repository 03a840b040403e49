"""Running Python programs with the engine, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import clean_environment

PYTHON = "/usr/bin/python3"
PRELUDE = """
import ctypes, hashlib, json, math, sys
import tensorlib as torch
t, f64, inf, nan = torch.tensor, torch.float64, math.inf, math.nan
def raw(x): return ctypes.string_at(x.data_ptr(), x.numel() * x.element_size())
def md5(x): return hashlib.md5(raw(x)).hexdigest()
def bits(x): return raw(x.contiguous()).hex()
"""


def engine_environment(build: Path, **changes: str | None) -> dict[str, str]:
    return clean_environment(PYTHONPATH=str(build / "python"), TENSORLIB_CPU_CAPABILITY=changes.pop("capability", None), **changes)


def run_engine(build: Path, program: str, capability: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program after PRELUDE."""
    return subprocess.run(
        [PYTHON, "-c", PRELUDE + textwrap.dedent(program)],
        env=engine_environment(build, capability=capability),
        capture_output=True,
        text=True,
        timeout=120,
        check=check,
    )


def evaluate(build: Path, expressions: list[str], setup: str = "", capability: str | None = None) -> list[Any]:
    """The values of expressions (as JSON sees them); an exception is "TypeError: text"."""
    program = textwrap.dedent(setup) + textwrap.dedent(f"""
        values = []
        for expression in {expressions!r}:
            try:
                values.append(eval(expression))
            except Exception as error:
                values.append(f"{{type(error).__name__}}: {{error}}")
        print(json.dumps(values))
        """)
    return json.loads(run_engine(build, program, capability).stdout)


def capabilities(build: Path) -> list[str]:
    """Those this machine has, as TENSORLIB_CPU_CAPABILITY names them."""
    best = evaluate(build, ["torch.get_cpu_capability()"])[0]
    every = ["default", "avx2", "avx512"]
    return every[: every.index(best.lower()) + 1]


def torch_values(expressions: list[str], setup: str = "") -> list[Any]:
    """The same of PyTorch, which the expressions call `torch`; the test is skipped where it is not installed."""
    program = "import json, math, sys, warnings\nwarnings.simplefilter('ignore')\nimport torch\nt, f64, inf, nan = torch.tensor, torch.float64, math.inf, math.nan\n"
    program += textwrap.dedent(setup) + textwrap.dedent(f"""
        values = []
        for expression in {expressions!r}:
            try:
                values.append(eval(expression))
            except Exception as error:
                values.append(f"{{type(error).__name__}}: {{error}}")
        print(json.dumps(values))
        """)
    result = subprocess.run([PYTHON, "-c", program], env=clean_environment(), capture_output=True, text=True, timeout=120)
    if "No module named 'torch'" in result.stderr:
        pytest.skip("python3-torch is not installed")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def as_torch_says(text: object) -> object:
    """A text of the engine's with the names of PyTorch's module."""
    return text.replace("tensorlib.", "torch.") if isinstance(text, str) else text
