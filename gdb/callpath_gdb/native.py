"""The native stack as gdb unwinds it, innermost first."""

from __future__ import annotations

from dataclasses import dataclass, field

import gdb

from . import names, unnamed
from .errors import READ_ERRORS
from .modules import Modules
from .tailcalls import TailCalls

_STARTS = ("_start", "clone", "clone3", "__clone3", "__clone")  # where a thread begins; their callers are no frames, whatever gdb makes of it
_MOST_FRAMES = 10_000  # a recursion through C of 5,000 has 60,000: minutes, and nothing new in them
NATIVE, INLINED, ELIDED = "native", "inlined", "elided"


@dataclass
class Entry:
    """One frame of gdb's, or one that ran and left none. Everything but `kind` may be missing: a frame that cannot be read keeps its place."""

    kind: str
    gdb_frame: gdb.Frame | None = None
    level: int | None = None
    pc: int | None = None
    lookup: int | None = None  # pc, or one less where pc is a return address
    sp: int | None = None
    cfa: int | None = None
    name: str = "??"
    full: str = ""
    file: str | None = None
    line: int | None = None
    confidence: str = "exact"
    evidence: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def physical(self) -> bool:
        return self.kind == NATIVE


@dataclass
class Stack:
    entries: list[Entry]
    complete: bool
    reason: str  # why it is not complete
    cut: bool = False


def walk(modules: Modules) -> Stack:
    """Every frame of the selected thread. A frame that raises becomes an entry with its problem; only gdb's refusal to unwind ends the walk."""
    entries: list[Entry] = []
    frame: gdb.Frame | None = gdb.newest_frame()
    last, reason = frame, ""
    while frame is not None:
        if len(entries) == _MOST_FRAMES:
            reason = f"cut after {_MOST_FRAMES:,} frames: the stack is deeper"
            break
        entries.append(_read(frame, entries))
        last = frame
        try:
            frame = frame.older()
        except gdb.error as error:
            reason = str(error)
            frame = None
    _set_bounds(entries)
    guessed = next((e for e in entries if e.physical and not e.full and e.pc is not None and modules.find(e.lookup or e.pc) is None), None)
    unnamed.name(entries, modules)
    complete, reason = _ending(last, reason)
    if complete and guessed is not None:
        complete, reason = False, f"frame {guessed.level} is at {guessed.pc:#x}, where no code is known: the frames outward of it are gdb's guess"
    return Stack(TailCalls(modules).insert(entries), complete, reason, cut=frame is not None)


def _read(frame: gdb.Frame, before: list[Entry]) -> Entry:
    entry = Entry(NATIVE, gdb_frame=frame)
    for step in (_read_place, _read_names, _read_line):
        try:
            step(entry, frame, before)
        except READ_ERRORS as error:
            entry.problems.append(str(error))
    return entry


def _read_place(entry: Entry, frame: gdb.Frame, before: list[Entry]) -> None:
    entry.level = frame.level() if hasattr(frame, "level") else len(before)
    kind = frame.type()
    if kind == gdb.INLINE_FRAME:
        entry.kind = INLINED
    elif kind == gdb.TAILCALL_FRAME:
        entry.kind, entry.confidence = ELIDED, "elided"
        entry.evidence = "gdb: the only way from the call below to the function above leads through this one, which left by a jump"
    entry.pc = frame.pc()
    entry.lookup = _lookup_address(frame, entry.pc)
    if entry.kind == NATIVE:
        entry.sp = int(frame.read_register("rsp")) & (1 << 64) - 1


def _lookup_address(frame: gdb.Frame, pc: int) -> int:
    """pc as it is in frame 0 and in a frame that a signal interrupted; one less, once, where pc is a return address."""
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    if newer is None or newer.type() == gdb.SIGTRAMP_FRAME:
        return pc
    return max(pc - 1, 0)


def _read_names(entry: Entry, frame: gdb.Frame, _before: list[Entry]) -> None:
    function = frame.function()
    if frame.type() == gdb.SIGTRAMP_FRAME:
        entry.name = entry.full = "<signal handler called>"
        return
    if entry.kind == INLINED:
        full = names.demangled(function) if function else frame.name()
    else:
        full = names.physical(entry.lookup if entry.lookup is not None else entry.pc, function)
    if full is None:
        entry.confidence, entry.full = "module", ""
        return
    entry.full, entry.name = full, names.short(full)
    if function is None and entry.confidence == "exact":
        entry.confidence = "symbol"


def _read_line(entry: Entry, frame: gdb.Frame, _before: list[Entry]) -> None:
    sal = frame.find_sal()
    if sal.symtab is None:
        return
    entry.file = sal.symtab.fullname() or sal.symtab.filename
    entry.line = sal.line or None


def _set_bounds(entries: list[Entry]) -> None:
    """A frame's CFA is the stack pointer of the next older frame that has a frame of its own."""
    cfa = None
    for entry in reversed(entries):
        if entry.physical:
            entry.cfa, cfa = cfa, entry.sp


def _ending(last: gdb.Frame, reason: str) -> tuple[bool, str]:
    if reason:
        return False, reason
    why = last.unwind_stop_reason()
    if why not in (gdb.FRAME_UNWIND_OUTERMOST, gdb.FRAME_UNWIND_NO_REASON) and last.name() not in _STARTS:
        return False, gdb.frame_stop_reason_string(why)
    if last.name() is None:
        return False, f"the walk ends at {last.pc():#x}, where no function is known: the stack is damaged, or that code has no unwind information"
    return True, ""
