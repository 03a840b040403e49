"""pow: types, special values and bits. What torch itself answers stands beside each row; where torch contradicts IEEE 754's pow, ours does not."""

import math
import struct
from pathlib import Path

import pytest
from engine_support import capabilities, evaluate

inf, nan = math.inf, math.nan


def same(x: object, y: object) -> bool:
    """Equal, the sign of zero included; nan is nan."""
    if isinstance(x, list) and isinstance(y, list):
        return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y))
    if isinstance(x, float) and isinstance(y, float):
        return (math.isnan(x) and math.isnan(y)) or struct.pack("d", x) == struct.pack("d", y)
    return x == y


def f32(x: float) -> float:
    return struct.unpack("f", struct.pack("f", x))[0]


ROWS = [
    # torch keeps -0 and gives nan for -inf; pow of the C standard does not.
    ("t([-0., -inf])**0.5", [0.0, inf]),
    ("t([-0., -inf])**-0.5", [inf, 0.0]),
    ("t([-0., -inf])**t(0.5)", [0.0, inf]),
    ("t([-0., -inf])**t([0.5])", [0.0, inf]),
    ("torch.full((17,), -0.)**(0.5 + 1e-12)", [0.0] * 17),
    ("t([1e20, 2e19])**-2", [f32(9.99994610111476e-41), f32(2.500000538e-39)]),
    ("t([1e20, 2e19])**t(-2.)", [f32(9.99994610111476e-41), f32(2.500000538e-39)]),
    # float32(6e-20) to the -2 is 2.777777954e38: the nearest float32, where torch is two places off.
    ("t([6e-20])**-2", [f32(2.777777954e38)]),
    ("t([1e160], dtype=f64)**-2", [1e-320]),
    ("t([1e-160, 7e-155], dtype=f64)**-2", [inf, inf]),
    ("torch.full((17,), 4.962565898895264)**2.3", [f32(39.82212448)] * 17),
    ("torch.full((17,), -1.)**(2**24 + 1)", [1.0] * 17),
    ("torch.full((17,), -1., dtype=f64)**(2**53 + 1)", [1.0] * 17),
    ("t([nan, inf, -inf, -0.])**0", [1.0] * 4),
    ("t([nan, inf, -inf, -0.])**-0.0", [1.0] * 4),
    ("t([nan, inf, -inf, -0.])**t(0.)", [1.0] * 4),
    ("t([1., -1.])**nan", [1.0, nan]),
    ("t([1., -1., .5, 2.])**inf", [1.0, 1.0, 0.0, inf]),
    ("t([1., -1., .5, 2.])**-inf", [1.0, 1.0, inf, 0.0]),
    ("torch.pow(1, t([nan]))", [1.0]),
    ("1**t([nan])", [1.0]),
    ("t(1.)**t([nan])", [1.0]),
    ("t([0., -0., inf, -inf])**-1", [inf, -inf, 0.0, -0.0]),
    ("t([0., -0., inf, -inf])**-2", [inf, inf, 0.0, 0.0]),
    ("t([0., -0., inf, -inf])**-3", [inf, -inf, 0.0, -0.0]),
    ("t([2., .5, 1.])**1e39", [inf, 0.0, 1.0]),
    ("2**t([-149., -150., 127., 128.])", [f32(1.401298e-45), 0.0, f32(1.7014118e38), inf]),
    ("t([3., -0., nan])**1", [3.0, -0.0, nan]),
    ("t([2.])**True", [2.0]),
]


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_verified_rows(build: Path, capability: str) -> None:
    if capability not in capabilities(build):
        pytest.skip(f"this CPU has no {capability}")
    values = evaluate(build, [f"({row}).tolist()" for row, _ in ROWS], capability=capability)
    wrong = [f"{row} is {value}, not {expected}" for (row, expected), value in zip(ROWS, values) if not same(value, expected)]
    assert not wrong, "\n".join(wrong)


def test_every_capability_gives_the_same_bits(build: Path) -> None:
    exponents = [0, 1, 2, 3, 0.5, -0.5, -1, -2, 2.3, -3, 7.5, 1e39, 16777217]
    expressions = [
        f"bits(X[{view}]**{exponent!r})"
        for exponent in exponents
        for view in (":, 1", ":37", "3", "::3, :", "0, 0", ":0")
    ] + ["bits(X + X[0])", "bits(X[:, 0] * X[:, 1] - 2.5)", "bits(X.add(X[:, 1:], alpha=0.1))", "bits(D**t(0.5) + X)"]
    setup = "torch.manual_seed(0); X = torch.randn(200, 2); D = torch.randn(200, 2, dtype=f64)"
    answers = [evaluate(build, expressions, setup, capability) for capability in capabilities(build)]
    assert all(answer == answers[0] for answer in answers)
    assert not any(isinstance(value, str) and "Error" in value for value in answers[0])


def test_bits_depend_on_the_element_alone(build: Path) -> None:
    setup = """
    torch.manual_seed(1)
    X = torch.randn(100)
    wide = torch.full((100, 3), 0.) + X.unsqueeze(1)
    """
    for exponent in (2, 3, 0.5, -0.5, -1, -2, 2.3):
        whole, strided, single = evaluate(
            build,
            [f"bits(X**{exponent})", f"bits(wide[:, 1]**{exponent})", f"''.join(bits(X[i]**{exponent}) for i in range(100))"],
            setup,
        )
        assert whole == strided == single, exponent


def test_the_short_forms_round_as_they_say(build: Path) -> None:
    values = [0.1, -1.1523602, 3.7, 1e-20, 5e18, 123456.789]
    answers = evaluate(build, [f"(t({values!r})**{e}).tolist()" for e in (2, 3, -1)])
    numbers = [f32(v) for v in values]
    assert answers == [
        [f32(v * v) for v in numbers],
        [f32(f32(v * v) * v) for v in numbers],
        [f32(1 / v) for v in numbers],
    ]


def test_the_articles_cube(build: Path) -> None:
    assert evaluate(build, ["round((t(-1.1523602)**3).item(), 9)"]) == [-1.530258298]


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("t([2.])**t(3., dtype=f64)", "float32"),
        ("t(2.)**t(3., dtype=f64)", "float64"),
        ("t([2.])**t([3.], dtype=f64)", "float64"),
        ("t([2.], dtype=f64)**t(3.)", "float64"),
        ("t(2., dtype=f64)**2", "float64"),
        ("2**t([2.])", "float32"),
        ("t([2.]) + t(1., dtype=f64)", "float32"),
        ("t([2.]) + t([1.], dtype=f64)", "float64"),
        ("t(2.) * 1.5", "float32"),
        ("1 - t([1.], dtype=f64)", "float64"),
    ],
)
def test_the_type_of_a_result(build: Path, expression: str, dtype: str) -> None:
    assert evaluate(build, [f"str(({expression}).dtype)"]) == [f"tensorlib.{dtype}"]


@pytest.mark.parametrize(
    ("expression", "stride"),
    [
        ("torch.ones(3).expand(2, 3)", [3, 1]),
        ("torch.ones(3, 1).expand(3, 2)", [2, 1]),
        ("torch.ones(2, 3, 4)[:, :, ::2]", [6, 2, 1]),
        ("torch.ones(2, 3, 4).permute(2, 0, 1)", [1, 12, 4]),
    ],
)
def test_the_strides_of_a_result(build: Path, expression: str, stride: list[int]) -> None:
    assert evaluate(build, [f"({expression}).pow({e}).stride()" for e in (0, 1, 2, 3, 2.5)]) == [stride] * 5


@pytest.mark.parametrize("exponent", ["'2'", "None", "[2]", "2j", "__import__('decimal').Decimal(2)"])
def test_operands_that_are_no_numbers(build: Path, exponent: str) -> None:
    power, method = evaluate(build, [f"t([2.])**{exponent}", f"t([2.]).pow({exponent})"])
    assert power.startswith("TypeError: unsupported operand type(s) for ** or pow()")
    if exponent == "2j":
        assert method.startswith("TypeError: pow(): complex numbers are not supported")
    else:
        assert method.startswith("TypeError: pow() received an invalid combination of arguments")
        assert "(Tensor exponent)" in method and "(Number exponent)" in method


def test_wrong_calls_of_pow(build: Path) -> None:
    answers = evaluate(build, ["torch.pow(2, 3)", "t([2.]).pow(2, 3)", "torch.pow(t([2.]), 2, 3)", "t([2.]).pow()", "t([2.]).pow(expo=2)"])
    assert all(answer.startswith("TypeError: pow() received an invalid combination of arguments") for answer in answers)
    assert evaluate(build, ["t([2.]).__pow__('x') is NotImplemented", "t([2.]).pow(exponent=2).item()"]) == [True, 4.0]


def test_integers_beyond_64_bits(build: Path) -> None:
    big, fits = evaluate(build, ["t([2.])**2**63", "(t([1.])**-2**63).item()"])
    assert big.startswith("OverflowError") and fits == 1.0


def test_other_number_types(build: Path) -> None:
    pytest.importorskip("numpy")
    setup = "import numpy, fractions"
    values = evaluate(
        build,
        ["(t([4.])**fractions.Fraction(1, 2)).item()", "(t([4.])**numpy.float32(2)).item()", "(t([4.])**numpy.int64(3)).item()"],
        setup,
    )
    assert values == [2.0, 16.0, 64.0]
