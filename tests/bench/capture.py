"""Walks of one real stack of CPython's, by our capture and by other unwinders, in one process."""

from __future__ import annotations

import ctypes
import functools
import json
import subprocess
import sys
from pathlib import Path

METHODS = ("trace", "walk", "libgcc", "LLVM libunwind", "nongnu unw_backtrace")


def _measure(library: str) -> dict[str, dict[str, float]]:
    """In a process of its own, from under calls that go through C again and again."""
    own = ctypes.CDLL(library)
    own.capture_frames.restype = ctypes.c_size_t
    out = (ctypes.c_double * len(METHODS))()
    own.capture_merged.restype = ctypes.c_double
    found: dict[str, dict[str, float]] = {"frames": {}, "warm": {}, "disturbed": {}, "merged": {}}

    def at_the_bottom() -> int:
        for kind in ("warm", "disturbed"):
            own.capture_measure(201, int(kind == "disturbed"), out)
            found[kind] = dict(zip(METHODS, out, strict=True))
        native, python = ctypes.c_size_t(), ctypes.c_size_t()
        time = own.capture_merged(201, ctypes.byref(native), ctypes.byref(python))
        found["merged"] = {"time": time, "native": native.value, "python": python.value}
        found["frames"] = {name: own.capture_frames(i) for i, name in enumerate(METHODS)}
        return 0

    def descend(level: int) -> int:
        if level == 0:
            return at_the_bottom()
        if level % 3 == 0:
            return sorted([level], key=lambda one: descend(one - 1))[0]
        if level % 3 == 1:
            return functools.reduce(lambda a, b: descend(b - 1), [0, level])
        return next(map(descend, [level - 1]))

    descend(36)
    return found


def _figures() -> dict[str, dict[str, float]]:
    from setting import PYTHON, RELEASE, Broken, environment

    library = RELEASE / "lib" / "libbench_capture.so"
    if not library.exists():
        raise Broken(f"{library} is not built; ./callpath bench builds it")
    done = subprocess.run([PYTHON, "-I", __file__, library], capture_output=True, text=True, check=True, env=environment())
    figures: dict[str, dict[str, float]] = json.loads(done.stdout)
    return figures


def _rows(report, kind: str, limit: float) -> None:  # type: ignore[no-untyped-def]
    from rows import Row

    figures = _figures()
    a_frame = {name: figures[kind][name] / max(figures["frames"][name], 1) for name in METHODS}
    for rival in METHODS[2:]:
        if not figures["frames"][rival]:
            report.skipped.append(f"capture_{kind} against {rival}: it is not installed")
            continue
        report.rows.append(Row(f"capture_{kind}", "ns", a_frame["trace"], rival, a_frame[rival], limit=limit))
    report.rows.append(Row(f"capture_{kind}_registers", "ns", a_frame["walk"], "libgcc", a_frame["libgcc"], at_least=10.0 if kind == "warm" else None))


def capture_warm(report) -> None:  # type: ignore[no-untyped-def]
    """Nanoseconds a frame, the same stack again and again."""
    _rows(report, "warm", 5.0)


def capture_disturbed(report) -> None:  # type: ignore[no-untyped-def]
    """Nanoseconds a frame, with 8 MB of other memory touched between two walks."""
    _rows(report, "disturbed", 40.0)


def capture_merged(report) -> None:  # type: ignore[no-untyped-def]
    """Microseconds of one capture of native and Python frames, each Python frame with the evaluation that runs it; libgcc sees the native ones alone."""
    from rows import Row

    figures = _figures()
    merged = figures["merged"]
    if not merged["time"]:
        report.skipped.append("capture_merged: the frames of this Python are not known")
        return
    report.rows.append(Row("capture_merged", "us", merged["time"] / 1000, "libgcc, native frames only", figures["warm"]["libgcc"] / 1000, limit=1.5))


BENCHMARKS = {f.__name__: f for f in (capture_warm, capture_disturbed, capture_merged)}

if __name__ == "__main__":
    print(json.dumps(_measure(str(Path(sys.argv[1])))))
