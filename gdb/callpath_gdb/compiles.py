"""`callpath break compile`: stops when the compiler makes the code object of a function or class."""

from __future__ import annotations

import gdb

from . import stops, words
from .assemble import Trigger
from .errors import READ_ERRORS

_NOT_THE_COMPILER = ("r_object", "code_new", "code_replace", "_PyCode_Replace", "PyCode_New", "PyCode_NewWithPosOnlyArgs", "code_new_impl", "code_replace_impl",
                     "PyUnstable_Code_New", "PyUnstable_Code_NewWithPosOnlyArgs")  # fmt: skip


class BreakCompile(stops.NameCommand):
    """Stop when the compiler makes the code object of a function or class.

Usage: callpath break compile NAME [FILE]

The stop is in _PyCode_New, called by the compiler; code objects that come
from a .pyc file are not stopped at. The statement that is being compiled is
shown with its lines.

  FILE       Only code of this file: a path, or the last parts of one.
  -by-hand   Print the plain gdb commands that do the same.

Where .pyc files exist nothing is compiled: give the program an empty
PYTHONPYCACHEPREFIX (`set environment PYTHONPYCACHEPREFIX /tmp/empty`).

Example: callpath break compile Tensor torch/_tensor.py"""

    command, usage = "callpath break compile", "callpath break compile NAME [FILE] [-by-hand]"

    def by_hand(self, name: str, file: str | None, options: set[str]) -> list[str]:
        return by_hand(name, file)

    def go(self, name: str, file: str | None, options: set[str]) -> None:
        CompileStop(name, file)


class CompileStop(stops.PythonStop):
    """_PyCode_New(con): everything that the new code object will hold."""

    def __init__(self, name: str, file: str | None, internal: bool = False) -> None:
        super().__init__("_PyCode_New", Trigger("compile", f"compile:{name}"), internal=internal)
        self._name, self._file = name, file
        self.constructor = 0
        self.loaded = 0  # code objects of that name that came from a .pyc

    def matches(self) -> bool:
        reader = self.reader()
        con = stops.argument("con", "rdi")
        if not reader.is_text(reader.at(con, "_PyCodeConstructor", "name"), self._name):
            return False
        file = reader.text(reader.at(con, "_PyCodeConstructor", "filename"))
        if self._file and not stops.same_file(file, self._file):
            return False
        if _caller() in _NOT_THE_COMPILER:
            self.loaded += 1
            if self.loaded == 1:
                words.write(f"{self._name} of {file} comes from a .pyc file: it is not compiled. Give the program an empty PYTHONPYCACHEPREFIX.\n")
            return False
        self.constructor = con
        if self.visible:
            words.write(f"The code object of {self._name} is made, {file}\n{statement()}\n")
        return True


def _caller() -> str:
    older = gdb.newest_frame().older()
    while older is not None and older.type() == gdb.INLINE_FRAME:
        older = older.older()
    return (older.name() or "").split(".")[0] if older is not None else ""


def statement() -> str:
    """The innermost statement under compilation and its lines, from the frame that holds it: compiler_visit_stmt, else the nearest one."""
    frame: gdb.Frame | None = gdb.newest_frame()
    nearest = None
    for _ in range(40):
        if frame is None:
            break
        name = frame.name() or ""
        if name == "compiler_visit_stmt" or (nearest is None and name.startswith("compiler_")):
            nearest = _lines(frame) or nearest
            if nearest and name == "compiler_visit_stmt":
                break
        frame = frame.older()
    return nearest or "No frame holds the statement: this build keeps it in registers that are gone."


def _lines(frame: gdb.Frame) -> str | None:
    try:
        s = frame.read_var("s")
        if s.is_optimized_out or "stmt" not in str(s.type):
            return None
        kind = str(s["kind"]).removesuffix("_kind")
        return f"#{frame.level()} {frame.name()} holds the statement: {kind}, s->lineno = {int(s['lineno'])}, s->end_lineno = {int(s['end_lineno'])}"
    except READ_ERRORS:
        return None


def by_hand(name: str, file: str | None) -> list[str]:
    """The same with gdb's own breakpoint. The compiler calls _PyCode_New from makecode, a .pyc file is read by r_object. Which of the compiler's
    frames holds the statement differs from build to build: those that have it answer."""
    text = "(char *)((PyASCIIObject *) con->{} + 1)"
    condition = f"$_streq({text.format('name')}, {words.quoted(name)}) && !$_caller_is(\"r_object\")"
    if file:
        condition += f" && $_regex({text.format('filename')}, {words.quoted(words.file_pattern(file))})"
    return [
        "set environment PYTHONPYCACHEPREFIX /nonexistent",
        f"break _PyCode_New if {condition}",
        "run",
        f"print {text.format('name')}",
        "backtrace -frame-arguments none 8",
        "frame apply 12 -s print {s->lineno, s->end_lineno}",
    ]
