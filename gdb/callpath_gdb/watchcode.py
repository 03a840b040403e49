"""`callpath watch code`: the copy that brings a code object's bytecode to its place, caught by a watchpoint in a second run.

Where the bytecode will lie is known only when it lies there. Two runs under the same environment, without address randomisation and with one hash
seed, allocate alike: the first tells the address, the second is watched at it.
"""

from __future__ import annotations

import tempfile

import gdb

from . import compiles, launch, settings, stops, triggers, words
from .assemble import Trigger

_SAME = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


class WatchCode(stops.NameCommand):
    """Stop in the very copy that puts a code object's bytecode in its place.

Usage: callpath watch code NAME [FILE]

Runs the program twice. The first run learns where the bytecode of NAME will
lie and what its first word is; the second, under the same environment, stops
at a hardware watchpoint when that word arrives. Prints the chain from the
copy to the statement. What the program does until then it does twice.

  FILE       Only code of this file: a path, or the last parts of one.
  -by-hand   Print the plain gdb commands that do the same.

Example: callpath watch code Tensor torch/_tensor.py"""

    command, usage = "callpath watch code", "callpath watch code NAME [FILE] [-by-hand]"

    def by_hand(self, name: str, file: str | None, options: set[str]) -> list[str]:
        return by_hand(name, file)

    def go(self, name: str, file: str | None, options: set[str]) -> None:
        with settings.held(confirm=False, pagination=False), same_runs():
            watch(name, file)


def watch(name: str, file: str | None) -> None:
    stop = compiles.CompileStop(name, file, internal=True)
    stop.silent = True
    others = [b for b in gdb.breakpoints() if b.enabled and b is not stop]
    try:
        for other in others:
            other.enabled = False
        _run(stop, name, "first")
        word = _first_word(stop)
        start = _where_it_lands(stop)
        words.write(f"First run: the bytecode of {name} lies at {start:#x}, its first word is {word:#018x}\n")
        _run(stop, name, "second")
        _watch_the_copy(stop, name, start, word)
    finally:
        if stop.is_valid():
            stop.delete()
        for other in others:
            if other.is_valid():
                other.enabled = True


def _run(stop: compiles.CompileStop, name: str, which: str) -> None:
    stop.constructor = 0
    try:
        launch.run()
    except launch.NotReached:
        why = " It comes from a .pyc file." if stop.loaded else ""
        raise gdb.GdbError(f"The {which} run ended, and no code object of the name {name} was compiled.{why}") from None
    if not stop.constructor:
        raise gdb.GdbError(f"The {which} run stopped for another reason: {gdb.selected_frame().name()}")


def _first_word(stop: compiles.CompileStop) -> int:
    reader = stop.reader()
    code = reader.at(stop.constructor, "_PyCodeConstructor", "code")
    return reader.memory.word(code + reader.layout.offset("PyBytesObject", "ob_sval"))


def _where_it_lands(stop: compiles.CompileStop) -> int:
    """_PyCode_New gives the new object; its bytecode stands at its end."""
    stop.enabled = False
    gdb.execute("finish", to_string=True)
    stop.enabled = True
    code = int(gdb.selected_frame().read_register("rax")) & (1 << 64) - 1
    if not code:
        raise gdb.GdbError("_PyCode_New failed in the first run.")
    return code + stop.reader().layout.offset("PyCodeObject", "co_code_adaptive")


def _watch_the_copy(stop: compiles.CompileStop, name: str, start: int, word: int) -> None:
    place = f"*(unsigned long *) {start:#x}"
    stop.enabled = False
    point = gdb.Breakpoint(place, gdb.BP_WATCHPOINT, gdb.WP_WRITE, internal=True)
    try:
        if point.type != gdb.BP_HARDWARE_WATCHPOINT:
            raise gdb.GdbError("This machine gives gdb no hardware watchpoint: without one the run would take hours (`help set can-use-hw-watchpoints`).")
        point.condition = f"{place} == {word:#x}"
        point.silent = True
        end = gdb.newest_frame().older()
        limit = gdb.FinishBreakpoint(end.newer(), internal=True) if end is not None and end.newer() is not None else None
        gdb.execute("continue", to_string=True)
        missed = gdb.selected_inferior().pid == 0 or (limit is not None and limit.is_valid() and limit.hit_count > 0)
        arrived = not missed and stop.reader().memory.word(start) == word
    finally:
        point.delete()
    if not arrived:
        raise gdb.GdbError(f"In the second run the bytecode of {name} did not come to {start:#x}: the two runs differ (threads, time or other input).")
    triggers.set_last(Trigger("watch", f"code:{name}", f"{place} == {word:#x}"))
    words.write(f"Second run: {word:#018x} arrives at {start:#x}\n")
    words.write(chain())


def chain() -> str:
    """From the copy to the statement, as gdb's backtrace has it."""
    lines, frame = [], gdb.newest_frame()
    while frame is not None and len(lines) < 20:
        sal = frame.find_sal()
        place = f" at {sal.symtab.filename.rsplit('/', 1)[-1]}:{sal.line}" if sal.symtab else ""
        lines.append(f"#{frame.level()}  {frame.name()}{place}")
        if (frame.name() or "").startswith(("compiler_visit_stmt", "_PyAST_Compile")):
            break
        frame = frame.older()
    return "\n".join([*lines, compiles.statement()]) + "\n"


class same_runs:
    """The program's environment for runs that allocate alike, put back afterwards."""

    def __enter__(self) -> None:
        self._before = {name: _variable(name) for name in (*_SAME, "PYTHONPYCACHEPREFIX")}
        self._folder = tempfile.TemporaryDirectory(prefix="callpath-")
        for name, value in {**_SAME, "PYTHONPYCACHEPREFIX": self._folder.name}.items():
            gdb.execute(f"set environment {name} = {value}", to_string=True)
        self._settings = settings.held(disable_randomization=True)
        self._settings.__enter__()

    def __exit__(self, *raised: object) -> None:
        self._settings.__exit__(None, None, None)
        self._folder.cleanup()
        for name, value in self._before.items():
            gdb.execute(f"unset environment {name}" if value is None else f"set environment {name} = {value}", to_string=True)


def _variable(name: str) -> str | None:
    text = gdb.execute(f"show environment {name}", to_string=True).rstrip("\n")
    return text.partition(" = ")[2] if text.startswith(f"{name} = ") else None


def by_hand(name: str, file: str | None) -> list[str]:
    """The article's way: learn the address and the first word in one run, watch it in the next."""
    first = [c for c in compiles.by_hand(name, file) if c.startswith(("set environment", "break", "run"))]
    return [
        "set environment PYTHONHASHSEED 0",
        *first,
        "set $word = *(unsigned long *)((PyBytesObject *) con->code)->ob_sval",
        "finish",
        "set $place = (unsigned long *)((PyCodeObject *) $rax)->co_code_adaptive",
        "run",
        "watch *$place if *$place == $word",
        "continue",
        "backtrace -frame-arguments none 12",
    ]
