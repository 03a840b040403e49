"""The same event by two routes: recorded in the process and under gdb, then compared by `callpath diff`, which exits with 0 for the same path only."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gdb_support import PYTHON, answers

Run = Callable[..., subprocess.CompletedProcess[str]]

SHAPES = """class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        return {}


class Other:
    pass


def make():
    class Tensor(Other, metaclass=Meta):
        x = 1

        def norm(self):
            return self.x
    return Tensor


make()
"""
KERNEL = """import tensorlib
tensorlib.manual_seed(0)
X = tensorlib.randn(100, 2)
y = X[:, 0]**2 + X[:, 1]**3
"""
TORCH = """import torch
X = torch.ones(100, 2)
y = X[:, 1].pow(3)
"""
ITERATOR = "at::TensorIteratorBase::serial_for_each"
LAMBDA = "*::pow_*kernel<*>(*)::{lambda(*)#*}::operator()(*) const"
KINDS = {
    "class": (SHAPES, ["--events", "class:Tensor"], "callpath break class Tensor shapes.py"),
    "compile a class": (SHAPES, ["--events", "compile:Tensor"], "callpath break compile Tensor shapes.py"),
    "compile a function": (SHAPES, ["--events", "compile:norm"], "callpath break compile norm"),
    "kernel": (KERNEL, ["--at", LAMBDA, "--if", "exp == 3"], "callpath break kernel pow if exp == 3"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_both_routes_record_the_same_path(kind: str, callpath: Run, build: Path, tmp_path: Path) -> None:
    program, options, stop = KINDS[kind]
    (tmp_path / "shapes.py").write_text(program)
    (tmp_path / "program.py").write_text("import shapes\n")
    fresh = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(build / "python")}
    ran = callpath("run", "--quiet", "--python", PYTHON, *options, "-o", tmp_path / "process.json", "program.py", env=fresh, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    *_, wrote = answers([stop, "run", "callpath record gdb.json"], [PYTHON, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath"), **fresh})
    assert wrote.startswith("Wrote"), wrote
    routes = [json.loads((tmp_path / name).read_text()) for name in ("process.json", "gdb.json")]
    assert [route["producer"]["route"] for route in routes] == ["process", "gdb"]
    compared = callpath("diff", tmp_path / "process.json", tmp_path / "gdb.json")
    assert compared.returncode == 0, compared.stdout
    assert len({event["trigger"]["kind"] for route in routes for event in route["events"]}) == 1


def test_a_stripped_pytorch_is_told_alike(callpath: Run, build: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "program.py").write_text(TORCH)
    ran = callpath("run", "--quiet", "--python", PYTHON, "--at", ITERATOR, "--limit", "3", "-o", tmp_path / "process.json", "program.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    whole = f"{ITERATOR}(c10::function_ref<void (char**, long const*, long, long)>, at::Range) const"
    script = [f"break {whole}", "run", "callpath record gdb.json", "continue", "callpath record gdb2.json"]
    answers(script, [PYTHON, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    for number, name in enumerate(("gdb.json", "gdb2.json"), 1):
        compared = callpath("diff", tmp_path / "process.json", tmp_path / name, "--event-a", str(number))
        assert compared.returncode == 0, compared.stdout


def test_code_from_a_pyc_is_no_compile_event_by_either_route(callpath: Run, build: Path, tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "program.py").write_text("import shapes\n")
    subprocess.run([PYTHON, "-m", "compileall", "-q", "shapes.py"], cwd=tmp_path, check=True)
    ran = callpath("run", "--quiet", "--python", PYTHON, "--events", "compile:Tensor", "-o", tmp_path / "process.json", "program.py", cwd=tmp_path)
    assert ran.returncode != 0 and not (tmp_path / "process.json").exists()
    *_, ended = answers(["callpath break compile Tensor", "run", "info program"], [PYTHON, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    assert "not being run" in ended
