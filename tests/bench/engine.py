"""The engine against numpy and, where it is installed, torch: one process, one thread, in turn (engine_worker.py)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from rows import Report, Row
from setting import PYTHON, RELEASE, Broken, environment


def _measured(what: str) -> dict[str, float | None]:
    if not (RELEASE / "python" / "tensorlib").exists():
        raise Broken(f"{RELEASE}/python/tensorlib is not built; ./callpath bench builds it")
    env = environment(PYTHONPATH=str(RELEASE / "python"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run([PYTHON, str(Path(__file__).with_name("engine_worker.py")), what], env=env, capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"engine_worker.py {what}: {done.stderr.strip()[-400:]}")
    return dict(json.loads(done.stdout))


def _rows(report: Report, name: str, unit: str, more_is_better: bool, at_least: dict[str, float]) -> None:
    figures = _measured(name)
    ours = figures["tensorlib"]
    assert ours is not None
    for rival, ratio in at_least.items():
        if figures[rival] is None:
            report.skipped.append(f"{name}: {rival} is not installed")
        else:
            report.rows.append(Row(name, unit, ours, rival, figures[rival], more_is_better, at_least=ratio))


def engine_cube(report: Report) -> None:
    """x**3 of 100,000 contiguous float32, elements a nanosecond."""
    _rows(report, "engine_cube", "el/ns", True, {"numpy": 1.0, "torch": 1.0})


def engine_cube_strided(report: Report) -> None:
    """The same with a stride of two, as X[:, 1]**3 has it."""
    _rows(report, "engine_cube_strided", "el/ns", True, {"numpy": 1.0, "torch": 1.0})


def engine_call(report: Report) -> None:
    """One element: what the way through all layers costs."""
    _rows(report, "engine_call", "ns", False, {"numpy": 1.0, "torch": 4.0})


def engine_call_method(report: Report) -> None:
    """The same by x.pow(3), which has no Python function around it."""
    _rows(report, "engine_call_method", "ns", False, {"torch": 6.0})


BENCHMARKS = {f.__name__: f for f in (engine_cube, engine_cube_strided, engine_call, engine_call_method)}
