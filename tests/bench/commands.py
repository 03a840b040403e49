"""Whole commands: what a person waits for."""

from __future__ import annotations

import tempfile

from rows import Report, Row, interleaved
from setting import PYTHON, ROOT, TEACH, environment, seconds

WALK = ROOT / "walkthroughs" / "01_pow_kernel"


def _by_hand() -> float:
    """The same stop in plain gdb: break, bt, py-bt, nothing of ours."""
    program_path = f"set environment PYTHONPATH {TEACH / 'python'}"
    return seconds(["gdb", "-nx", "-batch", "-iex", program_path, "-x", str(WALK / "by_hand.gdb"), "--args", PYTHON, str(WALK / "learn1.py")])


def _walk(route: str, folder: str) -> float:
    return seconds([str(ROOT / "callpath"), "walk", "01", "--route", route, "--out", folder])


def walk_process(report: Report) -> None:
    """`./callpath walk 01 --route process` after set-up, against the same stop by hand in gdb."""
    with tempfile.TemporaryDirectory() as folder:
        took = interleaved(5, ours=lambda: _walk("process", folder), hand=_by_hand)
    report.rows.append(Row("walk_process", "s", took["ours"], "gdb by hand", took["hand"], limit=1.5))


def walk_both(report: Report) -> None:
    """Both routes, compared and written."""
    with tempfile.TemporaryDirectory() as folder:
        took = interleaved(5, ours=lambda: _walk("both", folder), hand=_by_hand)
    report.rows.append(Row("walk_both", "s", took["ours"], "gdb by hand", took["hand"], limit=6.0))


def launcher(report: Report) -> None:
    """What the launcher's look for changes costs before the built program starts, against starting that at once."""
    built = str(TEACH / "bin" / "callpath")
    command = ["walk", "01", "--variants"]
    took = interleaved(21, ours=lambda: seconds([str(ROOT / "callpath"), *command]), direct=lambda: seconds([built, *command]))
    report.rows.append(Row("launcher", "s", took["ours"], "built program", took["direct"], limit=0.05))


def python_start(report: Report) -> None:
    """`callpath python -c pass` against the interpreter itself."""
    built = str(TEACH / "bin" / "callpath")
    took = interleaved(21, ours=lambda: seconds([built, "python", "-c", "pass"]), plain=lambda: seconds([PYTHON, "-c", "pass"], env=environment()))
    report.rows.append(Row("python_start", "s", took["ours"], PYTHON, took["plain"], at_least=0.75))


BENCHMARKS = {f.__name__: f for f in (walk_process, walk_both, launcher, python_start)}
