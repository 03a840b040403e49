"""pow, row by row: what PyTorch 1.13 and 2.6 were seen to answer at every capability, and where they contradict each other or IEEE 754, the answer
that was chosen (the comments say which). Every row is asked at every capability of the machine.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from engine_support import capabilities, evaluate
from test_engine_pow import f32, same

inf, nan = math.inf, math.nan
BOOL = "\"pow\" not implemented for 'Bool'"
NEGATIVE = "RuntimeError: Integers to negative integer powers are not allowed."
OVERLAP = "RuntimeError: unsupported operation"
NO_OPERAND = "TypeError: unsupported operand type(s) for ** or pow()"
NO_CALL = "TypeError: pow() received an invalid combination of arguments"

SETUP = """
import numpy, warnings, decimal, fractions
warnings.simplefilter("ignore")
i64, i32, i16, i8, u8, f32 = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.float32
def full(*a, **k): return torch.full(*a, **k)
def out(n, dtype): return torch.zeros(n, dtype=dtype)
def error(f):
    try: f()
    except Exception as e: return f"{'RuntimeError' if isinstance(e, RuntimeError) else type(e).__name__}: {e}"
def after(x, f):
    error(f)
    return x
def inplace_power(x, e):
    x **= e
    return x
def A(f): return f(torch.full((2, 2), 2.))
"""

F, D, L, I, S, B, U = "float32", "float64", "int64", "int32", "int16", "int8", "uint8"
Answer = Any
# (row, expression, values, type): type None for what is no tensor; a text as the value is how an error begins.
ROWS: list[tuple[int, str, Answer, str | None]] = [
    # torch keeps -0 and gives nan for -inf: C's pow does not.
    (1, "t([-0., -inf])**0.5", [0.0, inf], F),
    (1, "t([-0., -inf]).pow_(0.5)", [0.0, inf], F),
    (1, "torch.pow(t([-0., -inf]), 0.5, out=out(2, f32))", [0.0, inf], F),
    (1, "t([-0., -inf], dtype=f64)**0.5", [0.0, inf], D),
    (2, "t([-0., -inf])**-0.5", [inf, 0.0], F),
    (3, "t([-0., -inf])**t(0.5)", [0.0, inf], F),
    (3, "t([-0., -inf])**t([0.5])", [0.0, inf], F),
    (4, "full((17,), -0.)**(0.5 + 1e-12)", [0.0] * 17, F),
    # torch overflows on the way.
    (5, "t([1e20, 2e19])**-2", [f32(9.99994610111476e-41), f32(2.500000538e-39)], F),
    (6, "t([1e20, 2e19])**t(-2.)", [f32(9.99994610111476e-41), f32(2.500000538e-39)], F),
    # The nearest number to 1 / float32(6e-20)^2 = 2.777777954e38; torch is two places off.
    (7, "t([6e-20])**-2", [f32(2.777777954e38)], F),
    (8, "t([1e160], dtype=f64)**-2", [1e-320], D),
    (9, "t([1e-160, 7e-155], dtype=f64)**-2", [inf, inf], D),
    # torch's remainder at default and AVX2 differs from its vectors.
    (10, "full((17,), 4.962565898895264)**2.3", [f32(39.82212448)] * 17, F),
    (11, "full((17,), -1.)**(2**24 + 1)", [1.0] * 17, F),
    (12, "full((17,), -1., dtype=f64)**(2**53 + 1)", [1.0] * 17, D),
    (13, "t([nan, inf, -inf, -0.])**0", [1.0] * 4, F),
    (13, "t([nan, inf, -inf, -0.])**-0.0", [1.0] * 4, F),
    (13, "t([nan, inf, -inf, -0.])**t(0.)", [1.0] * 4, F),
    (14, "t([1., -1.])**nan", [1.0, nan], F),
    (15, "t([1., -1., .5, 2.])**inf", [1.0, 1.0, 0.0, inf], F),
    (15, "t([1., -1., .5, 2.])**-inf", [1.0, 1.0, inf, 0.0], F),
    (16, "torch.pow(1, t([nan]))", [1.0], F),
    (16, "1**t([nan])", [1.0], F),
    (16, "t(1.)**t([nan])", [1.0], F),
    (17, "t([0., -0., inf, -inf])**-1", [inf, -inf, 0.0, -0.0], F),
    (17, "t([0., -0., inf, -inf])**-2", [inf, inf, 0.0, 0.0], F),
    (17, "t([0., -0., inf, -inf])**-3", [inf, -inf, 0.0, -0.0], F),
    (18, "t([2., .5, 1.])**1e39", [inf, 0.0, 1.0], F),
    (19, "error(lambda: t([2.])**2**64)", "OverflowError: int too big to convert", None),
    (19, "error(lambda: t([2.])**2**63)", "OverflowError", None),
    (20, "2**t([-149., -150., 127., 128.])", [f32(1.401298e-45), 0.0, f32(1.7014118e38), inf], F),
    *((21, f"error(lambda: {call})", NEGATIVE, None) for call in (
        "t([2])**-1", "t([2], dtype=u8)**-1", "t([True])**-1", "t([], dtype=i64)**-1", "t([2]).pow_(-1)", "torch.pow(t([2]), -1, out=out(1, i64))")),
    (21, "(lambda x: after(x, lambda: x.pow_(-1)))(t([2, 3]))", [2, 3], L),
    (22, "t([2])**-1.0", [0.5], F),
    (22, "t([0])**-1.0", [inf], F),
    (23, "t([0, 1, -1, 2, -2])**t([-1] * 5)", [0, 1, -1, 0, 0], L),
    (23, "t([0, 1, -1, 2, -2])**t([-2] * 5)", [0, 1, 1, 0, 0], L),
    (24, "torch.pow(0, t(-1))", 0, L),
    (24, "t([0])**t([0])", [1], L),
    (25, "t([2])**63", [-(2**63)], L),
    (25, "t([2])**64", [0], L),
    (25, "t([3])**41", [-420491770248316829], L),
    (25, "t([-2])**63", [-(2**63)], L),
    (26, "t([2], dtype=i8)**7", [-128], B),
    (26, "t([-128], dtype=i8)**2", [0], B),
    (26, "t([2], dtype=u8)**8", [0], U),
    (26, "t([3], dtype=i16)**11", [-19461], S),
    (26, "t([46341], dtype=i32)**2", [-2147479015], I),
    (27, "t([1, -1, 2, 0])**2**62", [1, 1, 0, 0], L),
    (27, "t([1, -1, 2, 0])**(2**62 + 1)", [1, -1, 0, 0], L),
    (27, "t([1, -1, 2, 0])**t(2**62 + 1)", [1, -1, 0, 0], L),
    (28, "t([3], dtype=i8)**127", [-85], B),
    (28, "error(lambda: t([3], dtype=i8)**128)", "RuntimeError: value cannot be converted to type int8_t without overflow", None),
    (28, "t([3], dtype=u8)**255", [171], U),
    (28, "error(lambda: t([3], dtype=u8)**256)", "RuntimeError: value cannot be converted to type uint8_t without overflow", None),
    (28, "error(lambda: t([3], dtype=i32)**2**31)", "RuntimeError: value cannot be converted to type int", None),
    # A 0-dim exponent of a wider type does not widen the result, so it wraps.
    (29, "t([3], dtype=i8)**t(300)", [113], B),
    (29, "t([3], dtype=i32)**t(2**31)", [0], I),
    (30, "t([3], dtype=i32)**t([2**31])", [-7977717197575290879], L),
    (31, "t([2**62 + 1])**1", [2**62 + 1], L),
    (31, "t([2**62 + 1])**t([1])", [2**62 + 1], L),
    (32, "t([2**24 + 1])**1.0", [16777216.0], F),
    (33, "error(lambda: t([True])**t([True]))", f"RuntimeError: {BOOL}", None),
    (33, "error(lambda: torch.pow(True, t([True])))", f"RuntimeError: {BOOL}", None),
    # 2.6 gives the base back.
    (34, "error(lambda: t([True])**True)", f"RuntimeError: {BOOL}", None),
    (35, "t([True, False])**2", [1, 0], L),
    (35, "t([True, False])**0", [1, 1], L),
    (35, "t([True, False])**1", [1, 0], L),
    (35, "t([True])**0.5", [1.0], F),
    (35, "2**t([True, False])", [2, 1], L),
    (35, "t([2, 3])**t([True, False])", [2, 1], L),
    (36, "t([2], dtype=i32)**2.5", [f32(2**2.5)], F),
    (36, "2.5**t([2], dtype=i32)", [6.25], F),
    (36, "t([2], dtype=i32)**t(.5, dtype=f64)", [math.sqrt(2)], D),
    (36, "t([2], dtype=i32)**t([.5], dtype=f64)", [math.sqrt(2)], D),
    (37, "t([2], dtype=i32)**t(3)", [8], I),
    (37, "t([2], dtype=i32)**t([3])", [8], L),
    (37, "t(2, dtype=i32)**t([3])", [8], L),
    (38, "t([2.])**t(3., dtype=f64)", [8.0], F),
    (38, "t(2.)**t(3., dtype=f64)", 8.0, D),
    (38, "t([2.])**t([3])", [8.0], F),
    (39, "(2**40)**t([1], dtype=i32)", [0], I),
    (39, "300**t([1], dtype=u8)", [44], U),
    (40, "torch.pow(2, t([17], dtype=u8), out=out(1, i64))", [0], L),
    (41, "error(lambda: t([4]).pow_(0.5))", "RuntimeError: result type Float can't be cast to the desired output type Long", None),
    (41, "error(lambda: inplace_power(t([4]), 2.0))", "RuntimeError: result type Float can't be cast to the desired output type Long", None),
    (41, "(lambda x: after(x, lambda: x.pow_(0.5)))(t([4]))", [4], L),
    (41, "(lambda x: [inplace_power(x, 2) is x, x.tolist()])(t([3]))", [True, [9]], None),
    (42, "t([4.]).pow_(t([.5], dtype=f64))", [2.0], F),
    (42, "t([4], dtype=i32).pow_(t([2]))", [16], I),
    # 1.13 refuses another type of out.
    (43, "torch.pow(t([2]), 2, out=out(1, f32))", [4.0], F),
    (43, "torch.pow(t([3.]), 2, out=out(1, f64))", [9.0], D),
    (43, "torch.pow(t([3.]), 0, out=out(1, f64))", [1.0], D),
    (43, "torch.pow(t([3.]), 1, out=out(1, f64))", [3.0], D),
    (43, "error(lambda: torch.pow(t([2.5]), 2, out=out(1, i64)))", "RuntimeError: result type Float can't be cast to the desired output type Long", None),
    (44, "error(lambda: torch.ones(1).pow_(torch.ones(3)))",
     "RuntimeError: output with shape [1] doesn't match the broadcast shape [3]", None),
    (45, "error(lambda: torch.ones(1).expand(3).pow_(2))", OVERLAP, None),
    (45, "error(lambda: (lambda a: a[1:].pow_(a[:-1]))(torch.ones(4)))", OVERLAP, None),
    (45, "error(lambda: A(lambda a: a.pow_(a.t())))", OVERLAP, None),
    (45, "A(lambda a: a.pow_(a))", [[4.0, 4.0], [4.0, 4.0]], F),
    (45, "A(lambda a: torch.pow(a, 3, out=a))", [[8.0, 8.0], [8.0, 8.0]], F),
    (46, "error(lambda: torch.pow(t([2.]).requires_grad_(), 2, out=out(1, f32)))",
     "RuntimeError: pow(): functions with out=... arguments don't support automatic differentiation", None),
    *((47, f"error(lambda: t([2.])**{e})", NO_OPERAND, None) for e in ("'2'", "None", "[2]", "decimal.Decimal(2)")),
    (47, "error(lambda: pow(t([2.]), 2, 3))", NO_OPERAND, None),
    (47, "t([2.]).__pow__('x') is NotImplemented", True, None),
    (48, "t([4.])**fractions.Fraction(1, 2)", [2.0], F),
    (48, "t([4.])**numpy.float64(2)", [16.0], F),
    (48, "t([4.])**numpy.array([2.])", [16.0], D),
    (48, "error(lambda: numpy.array([2.])**t([4.]))", NO_OPERAND, None),
    (49, "error(lambda: torch.pow(2, 3))", NO_CALL, None),
    (49, "error(lambda: t([2.]).pow('2'))", NO_CALL, None),
    (49, "error(lambda: t([2.]).pow(2, 3))", NO_CALL, None),
    # The strides of out stay, those of a wrong shape are its own.
    (43, "list(torch.pow(t([2., 3., 4.]), 2, out=torch.zeros(6)[::2]).stride())", [2], None),
    (43, "torch.pow(t([2., 3., 4.]), 2, out=torch.zeros(2))", [4.0, 9.0, 16.0], F),
]  # fmt: skip


@pytest.fixture(scope="module")
def answers(build: Path) -> dict[str, list[Any]]:
    pytest.importorskip("numpy")

    def typed(expression: str) -> str:
        return f"(lambda r: [r.tolist(), str(r.dtype)] if isinstance(r, torch.Tensor) else [r, None])({expression})"

    return {c: evaluate(build, [typed(row[1]) for row in ROWS], SETUP, c) for c in capabilities(build)}


@pytest.mark.parametrize("index", range(len(ROWS)), ids=[f"row{row[0]}-{row[1]}" for row in ROWS])
def test_row(answers: dict[str, list[Any]], index: int) -> None:
    _, expression, expected, dtype = ROWS[index]
    for capability, values in answers.items():
        assert isinstance(values[index], list), f"{capability}: {expression} raised {values[index]}"
        value, found = values[index]
        assert found == (dtype and f"tensorlib.{dtype}"), capability
        if isinstance(expected, str):
            assert isinstance(value, str) and value.startswith(expected), f"{capability}: {value}"
        else:
            assert same(value, expected), f"{capability}: {expression} is {value}, not {expected}"


def test_integers_equal_pythons_modulo_their_size(build: Path) -> None:
    """Every base of eight bits and many of more, with exponents up to 300 as elements of a tensor of the same type."""
    program = """
    [(lambda b, e: [b, e, (t(b, dtype=getattr(torch, name)).view(-1, 1) ** t(e, dtype=getattr(torch, name))).tolist()])(bases, exponents)
     for name, bases, exponents in cases]
    """
    cases = [
        ("int8", list(range(-128, 128)), list(range(128))),
        ("uint8", list(range(256)), list(range(256))),
        ("int16", list(range(-32768, 32768, 1021)), list(range(0, 300, 7))),
        ("int32", [-(2**31), -46341, -3, 7, 65537, 2**31 - 1], list(range(0, 300, 7))),
        ("int64", [-(2**63), -3037000501, -3, 10, 2**32 + 1, 2**63 - 1], [*range(0, 300, 7), 2**40 + 1, 2**63 - 1]),
    ]
    for capability in capabilities(build):
        (results,) = evaluate(build, ["".join(line.strip() for line in program.splitlines())], f"cases = {cases!r}", capability)
        for (name, _, _), (bases, exponents, values) in zip(cases, results):
            bits = 8 if name == "uint8" else int(name[3:])
            for base, row in zip(bases, values):
                whole = [pow(base, e, 2**bits) for e in exponents]
                signed = whole if name == "uint8" else [w - 2**bits if w >> (bits - 1) else w for w in whole]
                assert row == signed, f"{capability} {name} {base}"
