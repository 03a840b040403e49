"""pow.py [NAME...]: the kernels of tensorlib/powmath against numpy and, where it is installed, torch, and against what bench_pow knows of.

One thread, 100,000 elements, `out=` given; rounds of each in turn, medians of CPU time. CALLPATH_BENCH_POW is the path of bench_pow
(default: build/release/bin/bench_pow). To be pinned: `taskset -c 1 /usr/bin/python3 tests/bench/powmath/pow.py`.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rows import Report, Row  # noqa: E402
from setting import RELEASE, Broken, environment  # noqa: E402

ELEMENTS = 100_000
ROUNDS = 5

# The row's name in bench_pow, and how many times the rival's speed it is to have: from the project's targets, at the best capability of each.
TARGETS: dict[str, dict[str, float]] = {
    "f32 x^2.5": {"numpy": 1.4, "torch": 4.5},
    "f32 x^y": {"numpy": 1.3, "torch": 4.5, "SLEEF": 4.5, "C library": 1.0},
    "f32 s^x": {"torch": 4.5},
    "f64 x^2.5": {"numpy": 1.0, "torch": 2.4},
    "f64 x^y": {"numpy": 1.0, "torch": 2.4, "SLEEF": 2.4, "C library": 1.0},
    "f32 x^2.5 stride 2": {"torch": 9.0},
}
AVX2_TARGET = 1.8  # f32, against SLEEF or torch with AVX2


def bench_pow() -> dict[str, float]:
    """One round: elements a nanosecond by name."""
    program = os.environ.get("CALLPATH_BENCH_POW", str(RELEASE / "bin" / "bench_pow"))
    if not Path(program).exists():
        raise Broken(f"{program} is not built; configure with -DCALLPATH_BENCH=ON, or name it in CALLPATH_BENCH_POW")
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.02", "--benchmark_enable_random_interleaving=true"]
    done = subprocess.run(command, env=environment(LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", "")), capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"bench_pow: {done.stderr.strip()[-400:]}")
    # The counter is a rate of units of 1e-9 elements a second: elements a nanosecond.
    return {row["name"]: row["el/ns"] for row in json.loads(done.stdout)["benchmarks"]}


def library(name: str) -> ModuleType | None:
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    if name == "torch":
        module.set_num_threads(1)
    return module


def action(module: ModuleType, row: str) -> Callable[[], Any]:
    """What computes a row with numpy or torch, into an array that is there."""
    import numpy

    random = numpy.random.default_rng(1)
    dtype = numpy.float32 if row.startswith("f32") else numpy.float64
    base, exp = random.uniform(0.1, 10, 2 * ELEMENTS).astype(dtype), random.uniform(-3, 3, ELEMENTS).astype(dtype)
    left: Any = base[::2] if "stride" in row else base[:ELEMENTS]
    right: Any = exp
    out: Any = numpy.empty(ELEMENTS, dtype)
    if module.__name__ == "torch":
        left, right, out = module.from_numpy(left), module.from_numpy(right), module.from_numpy(out)
    power = module.power if module.__name__ == "numpy" else module.pow
    if "x^2.5" in row:
        return lambda: power(left, 2.5, out=out)
    if "s^x" in row:
        return lambda: power(1.7, right, out=out)
    return lambda: power(left, right, out=out)


def elements_a_nanosecond(once: Callable[[], Any]) -> float:
    once()
    begin = time.process_time_ns()
    repeats = 0
    while time.process_time_ns() - begin < 20_000_000:
        once()
        repeats += 1
    return ELEMENTS * repeats / (time.process_time_ns() - begin)


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def measured(names: list[str]) -> tuple[dict[str, float], dict[str, float | None]]:
    """Medians: of bench_pow by its names, of numpy and torch by "library row"."""
    ours: dict[str, list[float]] = {}
    theirs: dict[str, list[float] | None] = {}
    actions = {(lib, name): action(module, name) if (module := library(lib)) else None for lib in ("numpy", "torch") for name in names}
    for _ in range(ROUNDS):
        for name, figure in bench_pow().items():
            ours.setdefault(name, []).append(figure)
        for (lib, name), once in actions.items():
            key = f"{lib} {name}"
            if once is None:
                theirs[key] = None
            else:
                theirs[key] = (theirs.get(key) or []) + [elements_a_nanosecond(once)]
    return {k: median(v) for k, v in ours.items()}, {k: median(v) if v else None for k, v in theirs.items()}


def pow_kernels(report: Report, names: list[str] | None = None) -> None:
    """The general pow, kernel by kernel."""
    names = names or list(TARGETS)
    ours, theirs = measured(names)
    best = next(c for c in ("AVX512", "AVX2", "DEFAULT") if f"{names[0]} {c}" in ours)
    for name in names:
        for rival, ratio in TARGETS[name].items():
            if rival in ("numpy", "torch"):
                figure, label = theirs[f"{rival} {name}"], rival
            else:
                label = f"SLEEF {best}" if rival == "SLEEF" else rival
                figure = ours.get(f"{name} {label}")
            if figure is None:
                report.skipped.append(f"{name}: {rival} is not installed")
            else:
                report.rows.append(Row(f"pow {name} {best}", "el/ns", ours[f"{name} {best}"], label, figure, True, at_least=ratio))
    if "f32 x^y SLEEF AVX2" in ours and "f32 x^y" in names:
        report.rows.append(Row("pow f32 x^y AVX2", "el/ns", ours["f32 x^y AVX2"], "SLEEF AVX2", ours["f32 x^y SLEEF AVX2"], True, at_least=AVX2_TARGET))
    for name in names:
        for capability in ("AVX2", "DEFAULT"):
            if f"{name} {capability}" in ours and capability != best:
                report.rows.append(Row(f"pow {name} {capability}", "el/ns", ours[f"{name} {capability}"], more_is_better=True))


BENCHMARKS = {"pow_kernels": pow_kernels}


def main() -> int:
    names = sys.argv[1:]
    unknown = [n for n in names if n not in TARGETS]
    if unknown:
        print(f"pow.py: there is no row '{unknown[0]}'; there are: {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    report = Report()
    try:
        pow_kernels(report, names or None)
    except Broken as problem:
        print(f"pow.py: {problem}", file=sys.stderr)
        return 1
    print(report.as_table(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
