"""engine_pow_torch.py DTYPE PAIRS: the engine's pow beside PyTorch's and beside the C library's powl, on pairs drawn stratum by stratum.

Prints a line per form and stratum with the worst error found, and "ok"; or what is wrong, and exits with 1. Run with ATEN_CPU_CAPABILITY=avx2
and one thread, so that PyTorch's bits are those the engine promises. All arrays are whole vectors long: PyTorch computes what is left over
by another function.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import tensorlib
import torch

NAMES = {"float32": np.float32, "float64": np.float64}
WRONG: list[str] = []


class Type:
    """What a floating-point type's numbers are."""

    def __init__(self, name: str) -> None:
        self.dtype = NAMES[name]
        self.info = np.finfo(self.dtype)
        self.bits = np.uint32 if name == "float32" else np.uint64
        self.mantissa = 24 if name == "float32" else 53
        self.top = self.info.maxexp - 0.01
        self.normal = -self.info.minexp
        self.least = self.normal + self.mantissa - 1

    def numbers(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.asarray(values).astype(self.dtype)


def strata(t: Type, n: int, random: np.random.Generator) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, bases, exponents."""

    def bases(low: float, high: float) -> np.ndarray:
        return t.numbers(np.exp2(random.uniform(low, high, n).astype(np.longdouble)))

    def to_reach(base: np.ndarray, low: float, high: float) -> np.ndarray:
        with np.errstate(all="ignore"):
            return t.numbers(random.uniform(low, high, n) / np.log2(base.astype(np.longdouble)))

    def whole(low: float, high: float) -> np.ndarray:
        return t.numbers(np.rint(random.uniform(low, high, n)))

    base = bases(-t.normal, t.top)
    yield "every size, every result", base, to_reach(base, -t.least - 2, t.top + 2)
    base = bases(-t.least, -t.normal)
    yield "subnormal bases", base, to_reach(base, -t.least, t.top)
    yield "ordinary sizes", bases(-8, 8), t.numbers(random.uniform(-8, 8, n))
    base = bases(-0.5, 0.5)
    yield "bases near 1", base, to_reach(base, -t.normal, t.top)
    base = bases(-1e-4, 1e-4)
    yield "bases beside 1, huge exponents", base, to_reach(base, -t.normal, t.top)
    base = bases(-30, 30)
    yield "subnormal results", base, to_reach(base, -t.least - 1, -t.normal + 1)
    yield "negative bases, whole exponents", -bases(-4, 4), whole(-40, 40)
    yield "negative bases, any exponents", -bases(-4, 4), t.numbers(random.uniform(-40, 40, n))
    yield "exponents where only even numbers are left", -bases(-1e-7, 1e-7), whole(2.0 ** (t.mantissa - 2), 2.0 ** (t.mantissa + 1))
    raw = random.integers(0, 2**63, 2 * n, dtype=np.uint64) * np.uint64(2) + random.integers(0, 2, 2 * n, dtype=np.uint64)
    any_bits = raw.astype(t.bits).view(t.dtype)
    yield "any bits", any_bits[:n], any_bits[n:]
    edge = np.array([0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 101, 256, 2.0**t.mantissa, 2.0**t.mantissa - 1, t.info.max, t.info.tiny, t.info.smallest_subnormal, np.inf, np.nan,
                     1 + t.info.eps, 1 - t.info.eps / 2, 2.0 ** (t.mantissa - 1) - 0.5])  # fmt: skip
    edge = t.numbers(np.concatenate([edge, -edge]))
    pairs = np.array(np.meshgrid(edge, edge)).reshape(2, -1)
    pairs = pairs[:, : pairs.shape[1] // 16 * 16].astype(t.dtype)
    yield "edges", pairs[0], pairs[1]


def engine(function: object, *arrays: np.ndarray) -> np.ndarray:
    return function(*(tensorlib.from_numpy(a) for a in arrays)).numpy()  # type: ignore[operator]


def pytorch(function: object, *arrays: np.ndarray) -> np.ndarray:
    return function(*(torch.from_numpy(a) for a in arrays)).numpy()  # type: ignore[operator]


def note(what: str, base: np.ndarray, exp: np.ndarray, ours: np.ndarray, theirs: np.ndarray, bad: np.ndarray) -> None:
    exp = np.broadcast_to(exp, base.shape)
    for i in np.flatnonzero(bad)[:5]:
        WRONG.append(f"{what}: {base[i]!r} ** {exp[i]!r} is {ours[i]!r}, beside {theirs[i]!r}; {np.count_nonzero(bad)} like it")


def error_in_units(t: Type, result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """How far a finite result is from the truth, in distances between neighbours; nan where either is not finite."""
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(exact)[1], t.info.minexp + 1) - t.mantissa
        far = np.abs(np.ldexp(result.astype(np.longdouble) - exact, -exponent)).astype(np.float64)
        return np.where(np.isfinite(result) & np.isfinite(exact), far, np.nan)


def check_values(t: Type, what: str, base: np.ndarray, exp: np.ndarray, ours: np.ndarray) -> tuple[float, float]:
    """Against powl: within 0.6 of a unit where the result is normal, within 1 where it is not. The worst of either."""
    with np.errstate(all="ignore"):
        exact = np.power(base.astype(np.longdouble), np.broadcast_to(exp, base.shape).astype(np.longdouble))
        size = np.abs(exact)
        half_above = np.longdouble(t.info.max) + np.ldexp(np.longdouble(1), t.info.maxexp - t.mantissa - 1)
        certain = size < half_above
        bad = np.isnan(exact) != np.isnan(ours)
        bad |= (size > half_above) & ~(np.isinf(ours) & (np.signbit(ours) == np.signbit(exact)))
        bad |= ~np.isnan(exact) & (np.signbit(ours) != np.signbit(exact))
        far = error_in_units(t, ours, exact)
        normal = size >= np.longdouble(t.info.tiny)
        bad |= certain & ((normal & (far > 0.6)) | (~normal & (far > 1)))
        # The largest number rounded up to infinity is half a unit off at most where `certain` says no.
        bad |= certain & np.isinf(ours) & (size <= t.info.max)
    note(what + ", powl", base, exp, ours, exact.astype(t.dtype), bad)
    worst = [np.nanmax(far[mask & certain], initial=0) for mask in (normal, ~normal)]
    return float(worst[0]), float(worst[1])


def check_kind(t: Type, what: str, base: np.ndarray, exp: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Against PyTorch: the same sign, nan, infinity and zero; else at most 2 units apart where results are normal."""
    with np.errstate(all="ignore"):
        bad = np.isnan(ours) != np.isnan(theirs)
        both = ~np.isnan(ours) & ~np.isnan(theirs)
        bad |= both & (np.signbit(ours) != np.signbit(theirs))
        away = np.abs(ours).view(t.bits).astype(np.int64) - np.abs(theirs).view(t.bits).astype(np.int64)
        # Where the result is subnormal or the last number before infinity, powl alone decides.
        plain = both & (np.abs(ours) > 2 * t.info.tiny) & (np.abs(ours) < t.info.max / 2)
        bad |= plain & (np.abs(away) > 2)
        special = both & ((base == 0) | np.isinf(base) | np.isinf(exp) | (exp == 0) | (base == 1))
        bad |= special & (away != 0)
    note(what + ", torch", base, exp, ours, theirs, bad)


def check_short(t: Type, base: np.ndarray) -> None:
    """The exponents with forms of their own: PyTorch's bits, but where the form gives what C's pow does not."""
    safe = (np.abs(base) >= np.ldexp(t.dtype(1), -62 if t.mantissa == 24 else -510)) & (np.abs(base) <= np.ldexp(t.dtype(1), 63 if t.mantissa == 24 else 511))
    root_differs = (base == 0) & np.signbit(base) | (base == -np.inf)
    differs = {2.0: None, 3.0: None, -1.0: None, 0.0: None, 1.0: None, 0.5: root_differs, -0.5: root_differs, -2.0: ~safe}
    for exponent, where in differs.items():
        ours, theirs = engine(lambda b: b**exponent, base), pytorch(lambda b: b**exponent, base)
        same = (ours.view(t.bits) == theirs.view(t.bits)) | (np.isnan(ours) & np.isnan(theirs))
        note(f"short form {exponent}", base, np.array(exponent), ours, theirs, ~same if where is None else ~same & ~where)
        if where is not None:
            chosen = base[where]
            check_values(t, f"short form {exponent} beside its form", chosen, np.full(chosen.shape, exponent, t.dtype), ours[where])


def main(name: str, pairs: int) -> int:
    torch.set_num_threads(1)
    t, random = Type(name), np.random.default_rng(20)
    count = 0
    piece = min(max(pairs // 11 // 16 * 16, 16), 1 << 18)
    worst: dict[str, list[float]] = {}
    while count < pairs:
        for what, base, exp in strata(t, piece, random):
            ours = engine(lambda b, e: b**e, base, exp)
            found = check_values(t, what, base, exp, ours)
            check_kind(t, what, base, exp, ours, pytorch(lambda b, e: b**e, base, exp))
            scalar = exp[count % len(exp)]
            if np.isfinite(scalar) and float(scalar) not in (0.0, 1.0, 2.0, 3.0, 0.5, -0.5, -1.0, -2.0):
                number = float(scalar)
                by_scalar = engine(lambda b: b**number, base)
                found = tuple(map(max, found, check_values(t, what + ", a number as exponent", base, scalar, by_scalar)))
                check_kind(t, what + ", a number as exponent", base, np.full(base.shape, scalar), by_scalar, pytorch(lambda b: b**number, base))
            check_short(t, base)
            worst[what] = list(map(max, worst.get(what, [0.0, 0.0]), found))
            count += len(base)
        if WRONG:
            break
    for what, (normal, subnormal) in worst.items():
        print(f"{name} {what}: worst {normal:.4f} units where normal, {subnormal:.4f} where subnormal")
    print("\n".join(WRONG[:40]) if WRONG else f"{name}: {count} pairs ok")
    return 1 if WRONG else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
