#!/usr/bin/python3
"""Derives the tables and polynomials of tensorlib/powmath and writes them as tables.h.

Needs mpmath (Debian: python3-mpmath). Run it from anywhere: `/usr/bin/python3 generate_tables.py` rewrites tables.h beside it;
`--check` only compares. Every property that the C++ relies on (exact differences, ordered sums) is asserted here.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 400
LOG2_E = 1 / mp.log(2)


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: its name in C++, bits of the significand, and how to pack it."""

    name: str
    bits: int
    packing: str
    integer_packing: str

    def round(self, value: mpf) -> mpf:
        """The nearest number of this format, ties to even; no subnormals are needed here."""
        if value == 0:
            return mpf(0)
        _, exponent = mp.frexp(value)
        unit = mp.ldexp(1, int(exponent) - self.bits)
        return mp.nint(value / unit) * unit

    def pattern(self, value: mpf) -> int:
        """The bits of a number of this format."""
        number = float(value)
        assert mpf(number) == value, value
        return struct.unpack(self.integer_packing, struct.pack(self.packing, number))[0]

    def number(self, pattern: int) -> mpf:
        """The number that these bits are."""
        return mpf(struct.unpack(self.packing, struct.pack(self.integer_packing, pattern))[0])


FLOAT = Format("float", 24, "<f", "<I")
DOUBLE = Format("double", 53, "<d", "<Q")


def round_to(value: mpf, unit: mpf) -> mpf:
    """The nearest multiple of `unit`."""
    return mp.nint(value / unit) * unit


def fit(function: Callable[[mpf], mpf], powers: list[int], low: mpf, high: mpf, relative_to: int) -> list[mpf]:
    """Coefficients of `powers` for which the error over x^relative_to is least in squares on Chebyshev points: near the best of all."""
    count = 6 * len(powers) + 8  # even, so that no point is 0
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    matrix = mp.matrix(count, len(powers))
    right = mp.matrix(count, 1)
    for row, point in enumerate(points):
        right[row] = function(point) / point**relative_to
        for column, power in enumerate(powers):
            matrix[row, column] = (point / high) ** power / point**relative_to
    return [c / high**p for c, p in zip(mp.lu_solve(matrix, right), powers)]


def fit_rounded(
    function: Callable[[mpf], mpf], powers: list[int], low: mpf, high: mpf, kind: Format, relative_to: int = 0
) -> list[mpf]:
    """Like `fit`, with coefficients of `kind`: each is rounded in turn, lowest power first, and the rest is fitted anew around it."""
    fixed: list[mpf] = []
    for position in range(len(powers)):
        def rest(point: mpf) -> mpf:
            return function(point) - sum(c * point**p for c, p in zip(fixed, powers))

        fixed.append(kind.round(fit(rest, powers[position:], low, high, relative_to)[0]))
    return fixed


def largest_error(function: Callable[[mpf], mpf], powers: list[int], coefficients: list[mpf], low: mpf, high: mpf) -> mpf:
    """The largest absolute difference on a grid of 2,001 points."""
    points = (low + (high - low) * i / 2000 for i in range(2001))
    return max(abs(function(p) - sum(c * p**k for c, k in zip(coefficients, powers))) for p in points)


class Header:
    """Collects the C++ text."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def text(self, line: str = "") -> None:
        self.lines.append(line)

    def constant(self, kind: Format, name: str, value: mpf) -> None:
        self.text(f"constexpr {kind.name} {name} = {self.literal(kind, value)};")

    def table(self, kind: Format, name: str, values: list[mpf]) -> None:
        self.text(f"alignas(64) constexpr {kind.name} {name}[{len(values)}] = {{")
        self.rows([self.literal(kind, v) for v in values])

    def integers(self, kind: Format, name: str, values: list[int]) -> None:
        width = 32 if kind is FLOAT else 64
        self.text(f"alignas(64) constexpr int{width}_t {name}[{len(values)}] = {{")
        self.rows([f"0x{v:0{width // 4}x}" for v in values])

    def rows(self, items: list[str]) -> None:
        per_row = 4
        for start in range(0, len(items), per_row):
            self.text("    " + ", ".join(items[start : start + per_row]) + ",")
        self.text("};")

    @staticmethod
    def literal(kind: Format, value: mpf) -> str:
        number = float(value)
        assert mpf(number) == value and kind.round(value) == value, value
        digits, exponent = number.hex().split("p")
        return f"{digits.rstrip('0').rstrip('.')}p{exponent}{'f' if kind is FLOAT else ''}"


@dataclass(frozen=True)
class Intervals:
    """How [z, 2z) around 1 is cut into `count` equal pieces of the bit pattern, 1 inside of one of them, one third below and two above in bits."""

    kind: Format
    count: int

    @property
    def width(self) -> int:
        return 2 ** (self.kind.bits - 1) // self.count

    @property
    def offset(self) -> int:
        """The pattern at which the first interval starts."""
        one = self.kind.pattern(mpf(1))
        below_one = self.width * 2 // 3
        start = one - int((1 - mp.sqrt(0.5)) * mp.ldexp(1, self.kind.bits))
        whole = (one - below_one - start) // self.width
        return one - below_one - whole * self.width

    def bounds(self, index: int) -> tuple[mpf, mpf]:
        start = self.offset + index * self.width
        return self.kind.number(start), self.kind.number(start + self.width - 1)

    def holds_one(self, index: int) -> bool:
        low, high = self.bounds(index)
        return low <= 1 <= high


def float_log(header: Header) -> None:
    """log2(m) = high + low + log2(1 + r), u = m * scale - log2_e = log2_e * r, polynomial in u."""
    pieces = Intervals(FLOAT, 32)
    log2_e = FLOAT.round(LOG2_E)
    shift = mpf(384)
    scales, highs, lows = [], [], []
    widest = mpf(0)
    for index in range(pieces.count):
        low, high = pieces.bounds(index)
        scale = log2_e if pieces.holds_one(index) else FLOAT.round(log2_e * 2 / (low + high))
        logarithm = mp.log(log2_e / scale, 2)
        coarse = round_to(logarithm, mp.ldexp(1, -15))
        scales.append(scale)
        highs.append(shift + coarse)
        lows.append(FLOAT.round(logarithm - coarse))
        widest = max(widest, abs(low * scale - log2_e), abs(high * scale - log2_e))
    powers = [1, 2, 3, 4, 5]

    def rest(u: mpf) -> mpf:
        return mp.log(1 + u / log2_e, 2) - u if u else mpf(0)

    coefficients = fit_rounded(rest, powers, -widest, widest, FLOAT)
    error = largest_error(rest, powers, coefficients, -widest, widest)
    header.text(f"// |u| <= {mp.nstr(widest, 4)}; the polynomial is within 2^{mp.nstr(mp.log(error, 2), 4)}.")
    header.text(f"constexpr int32_t kLogOffset = 0x{pieces.offset:08x};")
    header.constant(FLOAT, "kLog2E", log2_e)
    header.constant(FLOAT, "kLogShift", shift)
    for power, coefficient in zip(powers, coefficients):
        header.constant(FLOAT, f"kLog{power}", coefficient)
    header.table(FLOAT, "kLogScale", scales)
    header.text("// kLogShift is in them already; multiples of 2^-15.")
    header.table(FLOAT, "kLogHigh", highs)
    header.table(FLOAT, "kLogLow", lows)


def exp_tables(header: Header, kind: Format, count: int, degree: int) -> None:
    """2^(k/count + r) = 2^(k/count) * (1 + polynomial(r)), |r| <= 1/(2 count) and a little more."""
    powers = list(range(1, degree + 1))
    bound = mpf(1) / (2 * count) * (1 + mpf(2) ** -8)

    def rest(r: mpf) -> mpf:
        return mp.power(2, r) - 1

    coefficients = fit_rounded(rest, powers, -bound, bound, kind)
    error = largest_error(rest, powers, coefficients, -bound, bound)
    header.text(f"// The polynomial is within 2^{mp.nstr(mp.log(error, 2), 4)}.")
    for power, coefficient in zip(powers, coefficients):
        header.constant(kind, f"kExp{power}", coefficient)
    shift = kind.bits - 1 - (count.bit_length() - 1)
    exact = [mp.power(2, mpf(j) / count) for j in range(count)]
    rounded = [kind.round(v) for v in exact]
    header.text(f"// Bits of 2^(j/{count}) less j << {shift}, so that adding k << {shift} gives those of 2^(k/{count}).")
    header.integers(kind, "kExpBits", [kind.pattern(v) - (j << shift) for j, v in enumerate(rounded)])
    header.text("// What rounding took from them, relative.")
    header.table(kind, "kExpRest", [kind.round(e / r - 1) for e, r in zip(exact, rounded)])


def inverse_of(pieces: Intervals, index: int) -> tuple[mpf, mpf]:
    """The inverse of an interval's middle of so few bits that m * inverse - 1 is exact, and the largest such difference."""
    if pieces.holds_one(index):
        low, high = pieces.bounds(index)
        return mpf(1), max(1 - low, high - 1)
    low, high = pieces.bounds(index)
    unit = mp.ldexp(1, -8 if low >= 1 else -7)
    middle = 2 / (low + high)
    candidates = [round_to(middle, unit) + step * unit for step in (-1, 0, 1)]
    best = min(candidates, key=lambda c: max(abs(low * c - 1), abs(high * c - 1)))
    reach = max(abs(low * best - 1), abs(high * best - 1))
    grain = unit * mp.ldexp(1, -52 if low >= 1 else -53)
    assert reach / grain <= 2**53, (index, reach)
    return best, reach


def double_log(header: Header) -> None:
    """log2(m) = high + low + log2(1 + r), r = m * inverse - 1 exactly, log2(1 + r) = r * (log2_e + second * r + ...)."""
    pieces = Intervals(DOUBLE, 128)
    log2_e = DOUBLE.round(LOG2_E)
    inverses, highs, lows = [], [], []
    widest = mpf(0)
    for index in range(pieces.count):
        inverse, reach = inverse_of(pieces, index)
        logarithm = -mp.log(inverse, 2)
        coarse = round_to(logarithm, mp.ldexp(1, -40))
        assert inverse == 1 or reach * LOG2_E < abs(coarse) * 2, (index, reach, coarse)
        inverses.append(inverse)
        highs.append(coarse)
        lows.append(DOUBLE.round(logarithm - coarse))
        widest = max(widest, reach)
    second = DOUBLE.round(-LOG2_E / 2)
    powers = [1, 2, 3, 4, 5, 6, 7, 8]

    def rest(r: mpf) -> mpf:
        return mp.log(1 + r, 2) - log2_e * r - second * r * r if r else mpf(0)

    coefficients = fit_rounded(rest, powers, -widest, widest, DOUBLE, relative_to=1)
    error = largest_error(lambda r: rest(r) / r if r else coefficients[0], [p - 1 for p in powers], coefficients, -widest, widest)
    header.text(f"// |r| <= {mp.nstr(widest, 4)}; the polynomial is within 2^{mp.nstr(mp.log(error, 2), 4)} of its place, relative to r.")
    header.text(f"constexpr int64_t kLogOffset = 0x{pieces.offset:016x};")
    header.constant(DOUBLE, "kLog2E", log2_e)
    header.constant(DOUBLE, "kLogSecond", second)
    for power, coefficient in zip(powers, coefficients):
        header.constant(DOUBLE, f"kLog{power}", coefficient)
    header.table(DOUBLE, "kLogInverse", inverses)
    header.text("// Multiples of 2^-40.")
    header.table(DOUBLE, "kLogHigh", highs)
    header.table(DOUBLE, "kLogLow", lows)


def generate() -> str:
    """The whole of tables.h."""
    header = Header()
    header.text("// Written by generate_tables.py: change that, not this.")
    header.text("// clang-format off")
    header.text("#pragma once")
    header.text()
    header.text("#include <cstdint>")
    header.text()
    header.text("namespace tensorlib::powmath {")
    header.text("namespace {")
    header.text()
    header.text("namespace float_tables {")
    float_log(header)
    exp_tables(header, FLOAT, 32, 3)
    header.text("}  // namespace float_tables")
    header.text()
    header.text("namespace double_tables {")
    double_log(header)
    exp_tables(header, DOUBLE, 128, 5)
    header.text("}  // namespace double_tables")
    header.text()
    header.text("}  // namespace")
    header.text("}  // namespace tensorlib::powmath")
    return "\n".join(header.lines) + "\n"


def main() -> int:
    """Writes or checks tables.h."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with tables.h instead of writing it")
    arguments = parser.parse_args()
    target = Path(__file__).with_name("tables.h")
    text = generate()
    if arguments.check:
        return 0 if target.read_text() == text else print(f"{target} is not what generate_tables.py writes; run it", file=sys.stderr) or 1
    target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
