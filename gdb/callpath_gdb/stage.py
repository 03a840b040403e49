"""The annotated path of the stop the program is at, kept until the program goes on: moving through it costs nothing then."""

from __future__ import annotations

import json

import gdb

from . import assemble, pipeline, triggers

_kept: dict[tuple, dict] = {}


def event() -> dict:
    """The selected thread's event, layers and decisions included. Raises gdb.GdbError where nothing is stopped."""
    assemble.require_stopped_thread()
    thread = gdb.selected_thread()
    key = (gdb.selected_inferior().num, thread.num, thread.ptid, gdb.newest_frame().pc())
    if key not in _kept:
        pipeline.binary()  # before the work that would be in vain
        _kept.clear()
        _kept[key] = json.loads(pipeline.annotated(assemble.recording(triggers.last())))
    return _kept[key]["events"][0]


def forget(*_event: object) -> None:
    _kept.clear()


def frames_at(number: int) -> tuple[dict | None, dict | None]:
    """The native frame with gdb's number, and the innermost Python frame that it runs."""
    native = python = None
    for frame in event()["frames"]:
        if frame.get("number") == number:
            if frame["kind"] == "python":
                python = python or frame
            else:
                native = frame
    return native, python


def listen() -> None:
    """Once per load; loading again replaces the listeners of the copy before."""
    before = getattr(gdb, "_callpath_forget", None)
    for name in ("cont", "exited", "new_objfile", "memory_changed", "register_changed"):
        registry = getattr(gdb.events, name, None)
        if registry is None:
            continue
        if before is not None:
            registry.disconnect(before)
        registry.connect(forget)
    gdb._callpath_forget = forget
