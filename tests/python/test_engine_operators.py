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


def test_var_and_std(build: Path) -> None:
    calls = ("var()", "std()", "var(0)", "std(1, keepdim=True)", "var((0, 1))", "var(1, unbiased=False)", "std(False)", "var(dim=1, correction=0)", "std(dim=(0, 1), correction=2, keepdim=True)", "var(dim=0, correction=5)")
    compare(build, for_types(*(f"n(@).{call}" for call in calls)), tolerance=1e-6)
    compare(build, ["T.ones(1).var()", "T.zeros(0).std()", "T.ones(2, 0).var(1)", "T.zeros(0, 2).std(1)", "T.tensor(2.).var()", "T.ones(2, 3).var(2)", "T.var(T.ones(2, 3), 1)", "T.std(f(1., 2., 4.))"])
    compare(build, ["f(float('inf'), 1.).std()", "f(float('nan'), 1.).var()"])


def test_triangles_and_moved_dimensions(build: Path) -> None:
    compare(build, for_types("a(@).tril()", "a(@).triu()", "a(@).tril(1)", "a(@).triu(-1)", "a(@).tril(-5)", "a(@).triu(5)", "T.tril(a(@).t())"))
    compare(build, ["T.ones(2, 3, 3).tril(-1)", "T.ones(0, 3).tril()", "T.ones(2, 3, 4).movedim(0, -1)", "T.ones(2, 3, 4).movedim((0, 1), (1, 2))", "T.movedim(T.ones(2, 3, 4), 2, 0)", "T.tensor(1.).movedim(0, 0)"])
    compare(build, ["T.ones(2, 3).movedim((0, 0), (0, 1))", "T.ones(2, 3).movedim((0, 1), (1, 1))", "T.ones(2, 3).movedim((0,), (0, 1))", "T.ones(2, 3).movedim(2, 0)"])


def test_elements_chosen_by_positions(build: Path) -> None:
    to = "T.tensor([[0, 2], [1, 0]])"
    calls = (f"n(@).take({to})", "n(@).take(T.tensor([-6, 5]))", f"n(@).scatter(1, {to}, a(@))", f"n(@).scatter(1, {to}, 1)", f"n(@).scatter_add(1, {to}, a(@))", f"n(@).clone().scatter_(1, {to}, a(@))",
             f"n(@).clone().scatter_add_(1, {to}, a(@))", "n(@).index_fill(1, T.tensor([0, -1]), 1)", "n(@).clone().index_fill_(0, T.tensor([1]), T.tensor(1))", "n(@).index_add(0, T.tensor([1, 1]), a(@))",
             "n(@).clone().index_add_(1, T.tensor([2]), a(@)[:, :1])", "n(@).masked_fill(n(@) > 1, 1)", "n(@).index_select(1, T.tensor([2, 0]))", "n(@).gather(1, T.tensor([[2], [0]]))")  # fmt: skip
    compare(build, for_types(*calls))
    compare(build, for_types("n(@).index_add(0, T.tensor([1]), a(@)[:1], alpha=2)", types=TYPES[:-1]))
    wrong = ("take(T.tensor([6]))", "take(T.tensor([0.]))", "scatter(1, T.tensor([[3]]), 1.)", "scatter(2, T.tensor([[0]]), 1.)", "scatter(1, T.tensor([0]), 1.)", "scatter(0, T.tensor([[0, 0, 0, 0]]), 1.)",
             "scatter(1, T.tensor([[0]]), a('int64'))", "index_fill(0, T.tensor([2]), 1.)", "index_fill(0, T.tensor([[0]]), 1.)", "index_fill(0, T.tensor([0]), T.ones(2))",
             "index_select(0, T.tensor([2]))", "masked_fill(n('float32') > 1, T.ones(2))", "masked_fill(T.ones(2, 2).bool(), 1)")  # fmt: skip
    compare(build, [f"n('float32').{call}" for call in wrong])
    compare(build, ["T.tensor(1.).index_select(0, T.tensor([0]))", "T.tensor(1.).index_fill(0, T.tensor([0]), 3.)", "T.tensor(1.).scatter(0, T.tensor(0), 3.)", "T.tensor(1.).take(T.tensor([0, 0]))"])
    compare(build, [f"T.ones(3).masked_fill(T.tensor([1, 0, 1], dtype=T.{dtype}), 3)" for dtype in ("bool", "uint8", "int64", "int8", "int32")])


def test_chosen_elements_of_expanded_tensors_are_written(build: Path) -> None:
    mask, first = "T.tensor([True, False, True])", "T.tensor([0])"
    writes = (f"masked_fill_({mask}, 3)", f"index_put_(({first},), T.tensor(3.))", f"index_fill_(0, {first}, 3)", "zero_()", "fill_(3)")
    compare(build, [f"T.ones(1).expand(3).{write}" for write in writes])
    refused = ("copy_(T.ones(3))", "add_(1)", "clamp_(0)", "neg_()", "sqrt_()", "normal_()", f"scatter_(0, {first}, 1.)", f"index_add_(0, {first}, T.ones(1))")
    compare(build, [f"T.ones(1).expand(3).{write}" for write in refused])


def test_the_bits_as_another_type(build: Path) -> None:
    compare(build, for_types("a(@).view(T.uint8)", "a(@).view(T.int8)", "a(@).view(getattr(T, @))", "T.tensor([1, 2, 3, 4, 5, 6, 7, 8]).to(getattr(T, @)).view(T.float64)"))
    compare(build, ["T.tensor(1.).view(T.int32)", "T.tensor(1.).view(f64)", "f(1., 2., 3.).view(f64)", "T.ones(4, 4)[:, ::2].view(f64)", "T.ones(4, 4).t().view(f64)", "T.ones(4, 6)[:, 2:].view(f64)", "T.ones(4, 6)[:, 1:5].view(f64)"])
    compare(build, ["T.ones(4, 4).t().view(T.int32)", "T.zeros(0, 4).view(f64)", "T.ones(2).requires_grad_().view(T.int32).requires_grad", "(lambda x: (x.view(T.int32).fill_(7), x.view(T.int32)))(T.ones(3))"])


def test_matrix_products(build: Path) -> None:
    left, right = "a(@)", "b(@).t()"
    compare(build, for_types(f"{left} @ {right}", f"{left}.mm({right})", f"T.addmm({left} @ {right}, {left}, {right}, beta=2, alpha=3)", f"{left}.mv(b(@)[0])", f"{left}[0] @ b(@)[1]"), 1e-6)
    compare(build, ["T.ones(2, 3, 4) @ T.ones(4, 5)", "T.ones(2, 3, 4) @ T.ones(2, 4, 5)", "T.ones(5, 1, 3, 4) @ T.ones(2, 4, 5)", "T.ones(3) @ T.ones(2, 3, 4)"])
    compare(build, ["T.ones(2, 3) @ T.ones(2, 3)", "T.ones(3).mm(T.ones(3))", "T.tensor(1.) @ T.ones(2)", "T.ones(2, 3) @ T.ones(3).double()", "T.ones(2, 0) @ T.ones(0, 3)"])


def test_wrong_operands_raise_as_there(build: Path) -> None:
    compare(build, ["f(1., 2.) + f(1., 2., 3.)", "a('bool') - b('bool')", "-a('bool')", "a('int64').add(1, alpha=.5)", "a('float32').sum((0, 0))", "T.clamp(a('float32'))"])
    compare(build, ["a('float32').add_(T.ones(4, 2, 3))", "a('int64').add_(1.5)", "a('int64').div_(2)", "a('int64').mul_(2)", "a('float32').mul_(a('float64'))"])
