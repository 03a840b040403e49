"""gdb's own `bt`, told as `callpath bt` tells it: Python functions stand for the evaluations that run them, CPython's machinery is elided under them.

gdb prints what is elided indented, and leaves it out with `bt -hide`. A filter that raises would cost every frame after that one, so each frame is
prepared by itself before gdb gets it, and is gdb's own where that fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import gdb
from gdb.FrameDecorator import FrameDecorator

from . import interpreter, stage, words
from .errors import READ_ERRORS

_FOLDED = ("protocol", "eval", "startup", "runtime", "import", "glue")


class Filter:
    """Enabled only where there is a path to tell: gdb then prints its own backtrace, which it prints otherwise than filtered frames."""

    def __init__(self) -> None:
        self.name, self.priority = "callpath", 100
        self._wanted = True

    @property
    def enabled(self) -> bool:
        return self._wanted and bool(_told())

    @enabled.setter
    def enabled(self, wanted: bool) -> None:
        self._wanted = wanted

    def filter(self, frames: Iterable[FrameDecorator]) -> Iterable[FrameDecorator]:
        return _folded(frames, _told())


def _told() -> dict[int, list[dict]]:
    """Nothing where there is no Python, or no path of it to be had: a backtrace is no place for complaints."""
    try:
        thread = gdb.selected_thread()
        if thread is None or thread.is_running() or isinstance(interpreter.find(), interpreter.Absent):
            return {}
        return _by_number()
    except (gdb.GdbError, *READ_ERRORS, KeyError, OSError):
        return {}


def _by_number() -> dict[int, list[dict]]:
    """Frames of the record by gdb's number: Python frames before the evaluation that runs them."""
    found: dict[int, list[dict]] = {}
    for frame in stage.event()["frames"]:
        if frame.get("number") is not None:
            found.setdefault(frame["number"], []).append(frame)
    return found


def _folded(frames: Iterable[FrameDecorator], told: dict[int, list[dict]]) -> Iterator[FrameDecorator]:
    last: Shown | None = None
    failed, first = 0, True
    for raw in frames:
        try:
            prepared = _prepared(raw, told, first)
        except Exception:  # whatever it is, the frame must stay
            prepared, failed = [Shown(raw)], failed + 1
        first = False
        if not prepared and last is not None:
            last.under.append(raw)
            continue
        for shown in prepared or [Shown(raw)]:
            if last is not None:
                yield last
            last = shown
    if last is not None:
        yield last
    if failed:
        words.write(f"callpath: {failed} frame{'s' if failed > 1 else ''} could not be told better than gdb tells them.\n", gdb.STDERR)


def _prepared(raw: FrameDecorator, told: dict[int, list[dict]], first: bool) -> list[Shown]:
    """What is shown of one of gdb's frames: itself, the Python functions that it runs, or nothing."""
    known = told.get(raw.inferior_frame().level(), [])
    python = [frame for frame in known if frame["kind"] == "python" and frame["layer"] not in _FOLDED]
    if python and not first:
        shown = [PythonShown(raw, frame, times) for frame, times in _repeats(python)]
        shown[-1].under.append(raw)
        return shown
    native = next((frame for frame in known if frame["kind"] != "python"), None)
    if native is not None and native["layer"] in _FOLDED and not first:
        return []
    name = native["name"] if native is not None and native["confidence"] == "inferred" else None
    return [Shown(raw, name)]


def _repeats(frames: list[dict]) -> list[tuple[dict, int]]:
    """A recursion in Python alone is one evaluation: calls of one function at one line are told once, with their number."""
    runs: list[tuple[dict, int]] = []
    for frame in frames:
        last = runs[-1][0] if runs else None
        if last is not None and last["full"] == frame["full"] and last.get("source") == frame.get("source"):
            runs[-1] = (last, runs[-1][1] + 1)
        else:
            runs.append((frame, 1))
    return runs


class Shown(FrameDecorator):
    """A frame of gdb's, under a better name if there is one, with what is elided after it."""

    def __init__(self, raw: FrameDecorator, name: str | None = None) -> None:
        super().__init__(raw)
        self.under: list[FrameDecorator] = []
        self._name = name

    def function(self) -> str | int | None:
        return words.for_printer(self._name) if self._name else super().function() or "??"

    def elided(self) -> list[FrameDecorator] | None:
        return self.under or None


class PythonShown(Shown):
    """A Python function, where it stands."""

    def __init__(self, raw: FrameDecorator, frame: dict, times: int) -> None:
        name = frame["full"] or frame["name"]
        super().__init__(raw, name if times == 1 else f"{name} × {times:,}")
        source = frame.get("source") or {}
        self._file, self._line = source.get("file"), source.get("line")

    def filename(self) -> str | None:
        return self._file and words.for_printer(self._file)

    def line(self) -> int | None:
        return self._line

    def address(self) -> int | None:
        """None keeps gdb from printing where in the evaluation; its debug adapter takes every frame to have one."""
        return super().address() if "gdb.dap" in sys.modules else None

    def frame_args(self) -> None:
        return None

    def frame_locals(self) -> None:
        return None


def register() -> None:
    """For every program; loading again takes the place of the copy before."""
    gdb.frame_filters["callpath"] = Filter()
