"""Operators give what PyTorch gives: values, element types, shapes and errors, for every element type. Skips where PyTorch is not installed."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import clean_environment

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="python3-torch is not installed: nothing to compare with")

TYPES = ("float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool")

# Runs with either library as T: one JSON line an expression, [dtype, shape, values] or the error's type.
ASK = """
import json, sys
T = __import__(sys.argv[1])
def a(dtype): return T.tensor([[3, 1, 0], [2, 7, 5]]).to(getattr(T, dtype))
def b(dtype): return T.tensor([[1, 2, 4], [2, 3, 1]]).to(getattr(T, dtype))
def n(dtype): return T.tensor([[-3, 1, 0], [2, -7, 5]]).to(getattr(T, dtype))
f32, f64 = T.float32, T.float64
def f(*values): return T.tensor(values)
def tell(value):
    if isinstance(value, (tuple, list)): return [tell(v) for v in value]
    if isinstance(value, T.Tensor): return [str(value.dtype).split(".")[1], list(value.shape), value.tolist()]
    return value
for line in sys.stdin:
    try:
        answer = tell(eval(line))
    except Exception as error:
        # PyTorch 2 has the subclass where 1.13 has RuntimeError: an operator that has no kernel for a type.
        answer = {"error": type(error).__name__.replace("NotImplementedError", "RuntimeError")}
    print(json.dumps(answer))
"""


def ask(library: str, build: Path, expressions: list[str]) -> list[Any]:
    environment = clean_environment(PYTHONPATH=str(build / "python"), OMP_NUM_THREADS="1")
    done = subprocess.run(
        ["/usr/bin/python3", "-W", "ignore", "-c", ASK, library], input="\n".join(expressions) + "\n", capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(close(x, y, tolerance) for x, y in zip(ours, theirs, strict=True))
    if isinstance(ours, float) and isinstance(theirs, float):
        if math.isnan(theirs) or math.isinf(theirs) or tolerance == 0:
            return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
        return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
    return ours == theirs


def compare(build: Path, expressions: list[str], tolerance: float = 0) -> None:
    differing = [
        f"{expression}: ours {ours}, PyTorch's {theirs}"
        for expression, ours, theirs in zip(expressions, ask("tensorlib", build, expressions), ask("torch", build, expressions), strict=True)
        if not close(ours, theirs, tolerance)
    ]
    assert not differing, "\n".join(differing[:20])


def for_types(*templates: str, types: tuple[str, ...] = TYPES) -> list[str]:
    return [template.replace("@", repr(dtype)) for template in templates for dtype in types]


def test_arithmetic_of_every_type(build: Path) -> None:
    compare(build, for_types("a(@) + b(@)", "a(@) * b(@)", "a(@) / b(@)", "a(@) + 2", "2 - a(@)", "a(@) * 2.5", "a(@) / 2", "3 / b(@)", "-a(@)", "a(@) + True"))
    compare(build, for_types("a(@) - b(@)", "a(@) // b(@)", "a(@) % b(@)", "n(@) // b(@)", "n(@) % b(@)", "n(@) // -2", "n(@) % 3", "T.fmod(n(@), b(@))"))
    compare(build, [f"a({x!r}) + b({y!r})" for x in TYPES for y in TYPES])
    compare(build, [f"(a({x!r}) / b({y!r})).dtype == (b({y!r}) / a({x!r}).add(1)).dtype" for x in TYPES for y in TYPES])


def test_rounding_divisions(build: Path) -> None:
    modes = ("'floor'", "'trunc'", "None")
    compare(build, for_types(*(f"T.div(n(@), b(@), rounding_mode={mode})" for mode in modes)))
    specials = "f(7., -7., 0., -0., 1., -1., float('inf'), float('nan'))"
    divisors = ("f(2.)", "f(-2.)", "f(0.)", "f(float('inf'))", "f(-float('inf'))", "f(.1)")
    compare(build, [f"{specials} {op} {d}" for op in ("//", "%") for d in divisors])
    compare(build, [f"T.div({specials}, {d}, rounding_mode='trunc')" for d in divisors])
    compare(build, for_types("a(@) // (b(@) - b(@))", types=("int64", "int8", "uint8")))


def test_comparisons_and_logic(build: Path) -> None:
    operators = ("==", "!=", "<", "<=", ">", ">=")
    compare(build, for_types(*(f"a(@) {op} b(@)" for op in operators), *(f"n(@) {op} 1" for op in operators), *(f"2.5 {op} a(@)" for op in operators)))
    compare(build, [f"f(1., float('nan'), -0.) {op} f(1., float('nan'), 0.)" for op in operators])
    compare(build, for_types("a(@) & b(@)", "a(@) | b(@)", "a(@) ^ b(@)", "~a(@)", types=TYPES[2:]))
    compare(build, for_types("T.logical_and(a(@), n(@))", "T.logical_or(a(@), n(@))", "T.logical_xor(a(@), n(@))", "T.logical_not(a(@))"))
    compare(build, for_types("a(@) & b(@)", types=("float32",)))


def test_functions_of_one_tensor(build: Path) -> None:
    exact = ("abs", "sqrt", "reciprocal", "floor", "ceil", "round", "trunc", "sign", "square", "relu", "neg")
    compare(build, for_types(*(f"T.{name}(n(@))" for name in exact)))
    close_to = ("exp", "log", "tanh", "sigmoid", "sin", "cos", "log1p", "expm1", "rsqrt", "exp2", "log2", "log10")
    compare(build, for_types(*(f"T.{name}(a(@))" for name in close_to)), tolerance=3e-7)
    specials = "f(0., -0., float('inf'), -float('inf'), float('nan'), 1e-40, -1e-40, 88.8, -104.)"
    compare(build, [f"T.{name}({specials})" for name in (*exact, *close_to)], tolerance=3e-7)
    compare(build, [f"T.{name}({specials})" for name in ("isnan", "isinf", "isfinite")])
    compare(build, for_types("n(@).clamp(min=-1)", "n(@).clamp(max=2)", "n(@).clamp(-1, 2)", "n(@).clamp(0.5, 2.5)"))
    nan = "float('nan')"
    compare(build, [f"f(1., 2.).clamp({limits})" for limits in (f"{nan}, 1", f"0, {nan}", f"min={nan}", f"max={nan}")])


def test_reductions(build: Path) -> None:
    compare(build, for_types("a(@).sum()", "a(@).sum(0)", "a(@).sum(1, keepdim=True)", "a(@).sum((0, 1))", "a(@).prod()", "a(@).prod(1)"))
    compare(build, for_types("n(@).max()", "n(@).min()", "n(@).max(0)", "n(@).min(1, keepdim=True)", "n(@).amax(1)", "n(@).amin((0, 1))"))
    compare(build, for_types("n(@).argmax()", "n(@).argmin(1)", "n(@).argmax(0, keepdim=True)", "n(@).any()", "n(@).all(1)", "a(@).any(0)"))
    compare(build, for_types("a(@).mean()", "a(@).mean(0)", "a(@).mean((0, 1), keepdim=True)"), tolerance=1e-7)
    compare(build, for_types("a(@).sum(dtype=f64)", "a(@).mean(dtype=f32)"), tolerance=1e-7)
    nan = "f(1., float('nan'), 3., float('nan'))"
    compare(build, [f"{nan}.{name}()" for name in ("max", "min", "argmax", "argmin", "sum", "amax", "amin")])
    compare(build, ["T.zeros(0).sum()", "T.zeros(0).max()", "T.zeros(2, 0).sum(1)", "T.zeros(2, 0).max(1)", "T.zeros(0, 2).argmax(1)", "T.tensor(3.).sum(0)", "a('float32').sum(2)"])


def test_matrix_products(build: Path) -> None:
    left, right = "a(@)", "b(@).t()"
    compare(build, for_types(f"{left} @ {right}", f"{left}.mm({right})", f"T.addmm({left} @ {right}, {left}, {right}, beta=2, alpha=3)", f"{left}.mv(b(@)[0])", f"{left}[0] @ b(@)[1]"), 1e-6)
    compare(build, ["T.ones(2, 3, 4) @ T.ones(4, 5)", "T.ones(2, 3, 4) @ T.ones(2, 4, 5)", "T.ones(5, 1, 3, 4) @ T.ones(2, 4, 5)", "T.ones(3) @ T.ones(2, 3, 4)"])
    compare(build, ["T.ones(2, 3) @ T.ones(2, 3)", "T.ones(3).mm(T.ones(3))", "T.tensor(1.) @ T.ones(2)", "T.ones(2, 3) @ T.ones(3).double()", "T.ones(2, 0) @ T.ones(0, 3)"])


def test_wrong_operands_raise_as_there(build: Path) -> None:
    compare(build, ["f(1., 2.) + f(1., 2., 3.)", "a('bool') - b('bool')", "-a('bool')", "a('int64').add(1, alpha=.5)", "a('float32').sum((0, 0))", "T.clamp(a('float32'))"])
    compare(build, ["a('float32').add_(T.ones(4, 2, 3))", "a('int64').add_(1.5)", "a('int64').div_(2)", "a('int64').mul_(2)", "a('float32').mul_(a('float64'))"])
