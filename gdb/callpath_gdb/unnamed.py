"""Frames that no symbol names, named by `callpath names` from the tables through which the program calls them: the same for every route.

It reads the stopped process itself. A core file is no process, and its frames stay as they are.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import gdb

from . import pipeline

if TYPE_CHECKING:
    from .modules import Modules
    from .native import Entry

_MOST = 2_000  # frames that are handed on; recursions of nameless functions tell nothing new further out
_kept: dict[tuple, list[dict | None]] = {}


def name(entries: list[Entry], modules: Modules) -> None:
    """Gives names to the physical entries that have none. Nothing that goes wrong here costs a frame."""
    physical = [entry for entry in entries if entry.physical and entry.pc is not None][:_MOST]
    pid = gdb.selected_inferior().pid
    if not any(_nameless(entry, modules) for entry in physical) or not os.path.exists(f"/proc/{pid}/mem") or not _is_live():
        return
    points = [f"{entry.pc:#x}{'!' if entry.lookup == entry.pc else ''}" for entry in physical]
    for entry, told in zip(physical, _told(pid, points)):
        if told is not None and _nameless(entry, modules):
            entry.name, entry.full, entry.confidence, entry.evidence = told["name"], told["full"], told["confidence"], told["evidence"]


def _nameless(entry: Entry, modules: Modules) -> bool:
    return entry.confidence == "module" and entry.lookup is not None and modules.find(entry.lookup) is not None


def _is_live() -> bool:
    """Not a core file, whose process may still run or have its number taken by another."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "native"


def _told(pid: int, points: list[str]) -> list[dict | None]:
    """Remembered for the stack as it stands: a path is looked at more than once."""
    key = (pid, *points)
    if key not in _kept:
        _kept.clear()
        try:
            _kept[key] = json.loads(pipeline.run(["names", "--pid", str(pid), *points], ""))
        except (gdb.GdbError, ValueError):
            _kept[key] = []
    return _kept[key]
