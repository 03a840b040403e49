"""engine_worker.py NAME: times one benchmark on each library that is installed and prints {row: {library: figure}}.

One thread unless the name says otherwise, one core, the libraries in turn. A figure is elements a nanosecond, or nanoseconds a call: of the
thread's CPU time, which other programs take less from, or with several threads of the clock.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rows import interleaved

Action = Callable[[], object]
ELEMENTS = 100_000
ROUNDS = 15
now = time.thread_time_ns


def libraries() -> dict[str, ModuleType]:
    found: dict[str, ModuleType] = {}
    for name in ("tensorlib", "numpy", "torch"):
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            continue
    for name in ("tensorlib", "torch"):
        if name in found:
            found[name].set_num_threads(1)
    return found


def is_numpy(library: ModuleType) -> bool:
    return library.__name__ == "numpy"


def tensor(library: ModuleType, *shape: int) -> Any:
    """Normal float32 numbers."""
    if is_numpy(library):
        return library.random.default_rng(0).standard_normal(shape, dtype=library.float32)
    library.manual_seed(0)
    return library.randn(*shape)


def aligned(dtype: str) -> Any:
    """An array of ELEMENTS at the start of a cache line, as tensors are; NumPy's own may lie anywhere."""
    import numpy

    size = numpy.dtype(dtype).itemsize
    memory = numpy.empty(ELEMENTS * size + 64, numpy.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + ELEMENTS * size].view(dtype)


def positive(library: ModuleType, dtype: str = "float32") -> Any:
    """ELEMENTS numbers from 0.1 to 10, the same in every library."""
    import numpy

    values = aligned(dtype)
    values[:] = numpy.random.default_rng(1).uniform(0.1, 10, ELEMENTS)
    return values if is_numpy(library) else library.from_numpy(values).clone()


def empty_like(library: ModuleType, values: Any) -> Any:
    return aligned(str(values.dtype)) if is_numpy(library) else library.empty_like(values)


def nanoseconds_a_call(action: Action, at_least: int = 5_000_000) -> Callable[[], float]:
    """Repeats as often as fits into that many nanoseconds by the second time's."""
    action()
    begin = now()
    action()
    repeats = max(1, at_least // max(1, now() - begin))

    def measure() -> float:
        start = now()
        for _ in range(repeats):
            action()
        return (now() - start) / repeats

    return measure


def elements_a_nanosecond(action: Action, elements: int = ELEMENTS) -> Callable[[], float]:
    measure = nanoseconds_a_call(action)
    return lambda: elements / measure()


# ---- The benchmarks: {row: {library: measure}}

Table = dict[str, dict[str, Callable[[], float]]]
POWERS: dict[str, float] = {"x^3": 3, "x^2": 2, "x^.5": 0.5, "x^-1": -1, "x^-2": -2, "x^2.5": 2.5}
BY_HAND = {"x^3": "hand_cube", "x^2": "hand_square", "x^.5": "hand_root", "x^-1": "hand_inverse", "x^-2": "hand_inverse_square"}


def each(found: dict[str, ModuleType], make: Callable[[ModuleType], Callable[[], float]]) -> dict[str, Callable[[], float]]:
    return {name: make(library) for name, library in found.items()}


def cube(found: dict[str, ModuleType]) -> Table:
    def action(library: ModuleType) -> Action:
        values = tensor(library, ELEMENTS // 2, 2)
        return lambda: values**3

    return {"x**3": each(found, lambda library: elements_a_nanosecond(action(library)))}


def cube_strided(found: dict[str, ModuleType]) -> Table:
    def action(library: ModuleType) -> Action:
        values = tensor(library, ELEMENTS, 2)[:, 1]
        return lambda: values**3

    return {"x[:, 1]**3": each(found, lambda library: elements_a_nanosecond(action(library)))}


def cube_large(found: dict[str, ModuleType]) -> Table:
    """Ten million elements, and each time a new result."""
    count = 10_000_000

    def action(library: ModuleType) -> Action:
        values = tensor(library, count)
        return lambda: values**3

    return {"x**3 of 1e7": each(found, lambda library: elements_a_nanosecond(action(library), count))}


def loop_of(expression: str, values: Any, repeats: int) -> Callable[[], float]:
    """Nanoseconds that the expression takes in a loop of its own: no function call around it."""
    names: dict[str, Any] = {}
    source = f"def loop(t, repeats):\n for _ in repeats:\n  {expression}"
    exec(source, names)
    loop = names["loop"]

    def measure() -> float:
        turns = itertools.repeat(None, repeats)
        begin = now()
        loop(values, turns)
        return (now() - begin) / repeats

    return measure


def call(found: dict[str, ModuleType]) -> Table:
    return {"t**3 of one": each(found, lambda library: loop_of("t**3", tensor(library, 1, 2)[0, 1:], 20_000))}


def call_method(found: dict[str, ModuleType]) -> Table:
    tensors = {name: library for name, library in found.items() if not is_numpy(library)}
    return {"t.pow(3) of one": each(tensors, lambda library: loop_of("t.pow(3)", tensor(library, 1, 2)[0, 1:], 20_000))}


def power(library: ModuleType, exponent: float) -> Action:
    values = positive(library)
    out = empty_like(library, values)
    function = library.power if is_numpy(library) else library.pow
    return lambda: function(values, exponent, out=out)


def by_hand(name: str) -> Action | None:
    """A loop of hand_written.cpp, called through ctypes."""
    import numpy

    path = os.environ.get("CALLPATH_BENCH_HAND_WRITTEN", "")
    if not os.path.exists(path) or " avx512f " not in open("/proc/cpuinfo", encoding="ascii", errors="replace").read():
        return None
    function = getattr(ctypes.CDLL(path), name)
    values = positive(numpy)
    out = aligned("float32")
    arguments = ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(ELEMENTS)
    action = lambda: function(*arguments)  # noqa: E731
    action.keeps = values, out  # type: ignore[attr-defined]
    return action


def powers(found: dict[str, ModuleType]) -> Table:
    """Through out=."""
    table: Table = {}
    for name, exponent in POWERS.items():
        row = each(found, lambda library: elements_a_nanosecond(power(library, exponent)))
        loop = by_hand(BY_HAND[name]) if name in BY_HAND else None
        if loop:
            row["hand-written"] = elements_a_nanosecond(loop)
        table[f"f32 {name} out="] = row
    return table


def functions(found: dict[str, ModuleType]) -> Table:
    """Through out=, on numbers from -4 to 4 (log: from .1 to 10)."""

    def action(library: ModuleType, name: str, dtype: str) -> Action | None:
        values = positive(library, dtype)
        if name != "log":
            values = (values - 5.05) * (4 / 4.95)
        out = empty_like(library, values)
        function = getattr(library, name, None)
        return (lambda: function(values, out=out)) if function else None

    table: Table = {}
    for dtype, short in (("float32", "f32"), ("float64", "f64")):
        for name in ("exp", "log", "tanh", "sigmoid"):
            actions = {lib: action(library, name, dtype) for lib, library in found.items()}
            table[f"{short} {name} out="] = {lib: elements_a_nanosecond(once) for lib, once in actions.items() if once}
    return table


def matmul(found: dict[str, ModuleType], threads: int) -> Table:
    """Multiplications a nanosecond."""
    size = 768
    tensors = {name: library for name, library in found.items() if not is_numpy(library)}
    for library in tensors.values():
        library.set_num_threads(threads)

    def action(library: ModuleType) -> Action:
        a, b = tensor(library, size, size), tensor(library, size, size)
        return lambda: library.mm(a, b)

    return {f"mm 768, {threads} threads": each(tensors, lambda library: elements_a_nanosecond(action(library), size**3))}


def total(found: dict[str, ModuleType], threads: int) -> Table:
    tensors = {name: library for name, library in found.items() if not is_numpy(library)}
    for library in tensors.values():
        library.set_num_threads(threads)
    count = 4_000_000

    def action(library: ModuleType) -> Action:
        values = tensor(library, count)
        return lambda: values.sum()

    return {f"sum of 4e6, {threads} threads": each(tensors, lambda library: elements_a_nanosecond(action(library), count))}


BENCHMARKS: dict[str, Callable[[dict[str, ModuleType]], Table]] = {
    "cube": cube, "cube_strided": cube_strided, "cube_large": cube_large, "call": call, "call_method": call_method, "powers": powers,
    "functions": functions, "matmul": lambda found: matmul(found, 1), "matmul_threads": lambda found: matmul(found, 2),
    "sum": lambda found: total(found, 1), "sum_threads": lambda found: total(found, 2),
}


def main(name: str) -> None:
    global now
    if name.endswith("_threads"):
        now = time.perf_counter_ns
    else:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    table = BENCHMARKS[name](libraries())
    for actions in table.values():
        for action in actions.values():
            action()
    json.dump({row: interleaved(ROUNDS, **actions) for row, actions in table.items()}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
