"""engine_worker.py NAME: times one benchmark on each library that is installed and prints {library: figure or null}."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rows import interleaved


def libraries() -> dict[str, ModuleType | None]:
    found: dict[str, ModuleType | None] = {}
    for name in ("tensorlib", "numpy", "torch"):
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            found[name] = None
    if found["torch"] is not None:
        found["torch"].set_num_threads(1)
    return found


def tensor(library: ModuleType, rows: int) -> Any:
    """rows x 2 of float32."""
    if library.__name__ == "numpy":
        return library.random.default_rng(0).standard_normal((rows, 2), dtype=library.float32)
    library.manual_seed(0)
    return library.randn(rows, 2)


def per_call(action: Callable[[], object], repeats: int) -> float:
    """Nanoseconds a call."""
    begin = time.perf_counter_ns()
    for _ in range(repeats):
        action()
    return (time.perf_counter_ns() - begin) / repeats


def cube(values: Any, elements: int | None, repeats: int) -> Callable[[], float]:
    def measure() -> float:
        took = per_call(lambda: values**3, repeats)
        return elements / took if elements else took

    return measure


def method(library: ModuleType) -> Callable[[], float]:
    values = tensor(library, 1)[0, 1:]
    if library.__name__ == "numpy":
        return lambda: per_call(lambda: library.power(values, 3), 20_000)
    return lambda: per_call(lambda: values.pow(3), 20_000)


def measurement(name: str, library: ModuleType) -> Callable[[], float]:
    if name == "engine_cube":
        return cube(tensor(library, 50_000), 100_000, 200)
    if name == "engine_cube_strided":
        return cube(tensor(library, 100_000)[:, 1], 100_000, 200)
    if name == "engine_call_method":
        return method(library)
    return cube(tensor(library, 1)[0, 1:], None, 20_000)


def main(name: str) -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = libraries()
    actions = {n: measurement(name, library) for n, library in found.items() if library is not None}
    for action in actions.values():
        action()
    figures = interleaved(15, **actions)
    json.dump({n: figures.get(n) for n in found}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
