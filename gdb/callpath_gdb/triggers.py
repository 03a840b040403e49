"""Why the program stopped, remembered from gdb's stop events for the next record."""

from __future__ import annotations

import gdb

from .assemble import Trigger

_WATCHES = tuple(getattr(gdb, name) for name in ("BP_WATCHPOINT", "BP_HARDWARE_WATCHPOINT", "BP_READ_WATCHPOINT", "BP_ACCESS_WATCHPOINT"))
_last = Trigger()


def _stopped(event: gdb.Event) -> None:
    global _last
    _last = Trigger()
    if isinstance(event, gdb.BreakpointEvent) and event.breakpoints:
        _last = of_breakpoint(event.breakpoints[0])


def of_breakpoint(breakpoint: gdb.Breakpoint) -> Trigger:
    """What a stop of ours says of itself, else what gdb says of the breakpoint."""
    own = getattr(breakpoint, "callpath_trigger", None)
    if own is not None:
        return own
    kind = "watch" if breakpoint.type in _WATCHES else "probe"
    return Trigger(kind, breakpoint.location or breakpoint.expression or "", breakpoint.condition or "")


def set_last(trigger: Trigger) -> None:
    """For a command that goes on by itself and knows better why it stopped."""
    global _last
    _last = trigger


def last() -> Trigger:
    return _last


def listen() -> None:
    """Once per load; loading again replaces the listener of the copy before."""
    before = getattr(gdb, "_callpath_stop_listener", None)
    if before is not None:
        gdb.events.stop.disconnect(before)
    gdb.events.stop.connect(_stopped)
    gdb._callpath_stop_listener = _stopped
