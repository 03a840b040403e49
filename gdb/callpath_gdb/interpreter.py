"""The CPython in the stopped program: where it is, which version, whether its frames can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

import gdb

from . import modules
from .layout import KnownLayout, Layout

KNOWN = ((3, 11), (3, 12), (3, 13))
_FINAL = 0xF  # alphas, betas and candidates may be laid out differently


@dataclass
class Absent:
    """Why Python frames cannot be read, and what would mend it (may be empty). `python` says whether there is an interpreter at all."""

    why: str
    remedy: str = ""
    python: bool = False


@dataclass
class Interpreter:
    runtime: int  # address of _PyRuntime
    hex_version: int
    build: str  # "release" or "debug"
    layout: Layout
    nameless: Absent | None = None  # without debug information its frames are read all the same, but functions of its own have no names

    @property
    def version(self) -> str:
        return version_text(self.hex_version)

    @property
    def minor(self) -> int:
        return self.hex_version >> 16 & 0xFF

    @property
    def code_member(self) -> str:
        """The member of _PyInterpreterFrame that holds the code object."""
        return "f_executable" if self.minor >= 13 else "f_code"

    @property
    def instruction_member(self) -> str:
        """The member of _PyInterpreterFrame that points at the instruction."""
        return "instr_ptr" if self.minor >= 13 else "prev_instr"


_found: dict[tuple, Interpreter] = {}


def find() -> Interpreter | Absent:
    """Looks symbols up by name only; calls nothing. An interpreter that was found is remembered for its process: names that are not there are dear to look for."""
    symbol = gdb.lookup_global_symbol("_PyRuntime")
    inferior = gdb.selected_inferior()
    key = (inferior.num, inferior.pid, symbol.symtab.objfile.filename if symbol is not None else gdb.current_progspace().filename)
    if key not in _found:
        found = _find(symbol)
        if isinstance(found, Absent):
            return found
        _found[key] = found
    return _found[key]


def _find(symbol: gdb.Symbol | None) -> Interpreter | Absent:
    runtime = int(symbol.value().address) if symbol is not None else _address("_PyRuntime")
    if runtime is None:
        return Absent("there is no Python in this program") if _nameless_python() is None else _without_symbols()
    version = _version()
    if version is None:
        return Absent("the interpreter has no Py_Version: it is older than 3.11, whose frames are not known here", python=True)
    if (version >> 24, version >> 16 & 0xFF) not in KNOWN or version >> 4 & 0xF != _FINAL:
        known = ", ".join("%d.%d" % v for v in KNOWN)
        return Absent(f"the program runs Python {version_text(version)}; frames are known for {known}: both stacks unmerged", python=True)
    for name, what in (("_Py_MergeZeroLocalRefcount", "runs without a GIL"), ("_Py_AddToAllObjects", "was built --with-trace-refs")):
        if _minimal_symbol(name):
            return Absent(f"this Python {version_text(version)} {what}, which lays objects out differently: both stacks unmerged", python=True)
    build = "debug" if _minimal_symbol("_Py_RefTotal") else "release"
    if symbol is not None:
        return Interpreter(runtime, version, build, Layout(symbol.symtab.objfile))
    return Interpreter(runtime, version, build, KnownLayout(version, runtime), _without_symbols())


def by_hand_code(frame: str) -> str:
    """The code object of a frame, for a plain gdb expression; of the newest version where no interpreter is loaded yet."""
    return f"((PyCodeObject *) {frame}->{_member('code_member', 'f_executable')})"


def by_hand_instruction(frame: str) -> str:
    return f"{frame}->{_member('instruction_member', 'instr_ptr')}"


def by_hand_newest(state: str) -> str:
    """The newest frame of a thread state, for a plain gdb expression."""
    found = find()
    return f"{state}->current_frame" if not isinstance(found, Interpreter) or found.minor >= 13 else f"{state}->cframe->current_frame"


def _member(which: str, newest: str) -> str:
    found = find()
    return getattr(found, which) if isinstance(found, Interpreter) else newest


def version_text(hex_version: int) -> str:
    level = {0xA: "a", 0xB: "b", 0xC: "rc"}.get(hex_version >> 4 & 0xF)
    text = "%d.%d.%d" % (hex_version >> 24, hex_version >> 16 & 0xFF, hex_version >> 8 & 0xFF)
    return f"{text}{level}{hex_version & 0xF}" if level else text


def _version() -> int | None:
    symbol = gdb.lookup_global_symbol("Py_Version")
    try:
        value = symbol.value() if symbol else gdb.parse_and_eval("*(unsigned long *) &Py_Version")
        return int(value) & 0xFFFFFFFF
    except gdb.error:
        return None


def _address(name: str) -> int | None:
    try:
        return int(gdb.parse_and_eval(f"(unsigned long) &{name}"))
    except gdb.error:
        return None


def _nameless_python() -> gdb.Objfile | None:
    """The file that holds the interpreter, by its name."""
    for objfile in gdb.objfiles():
        name = (objfile.filename or "").rsplit("/", 1)[-1]
        if objfile.owner is None and re.match(r"(lib)?python(?!.*\.so\.debug)", name):
            return objfile
    return None


def _without_symbols() -> Absent:
    """No debug information for the interpreter: say whose, and what brings it."""
    objfile = _nameless_python()
    if objfile is None:
        return Absent("the Python in this program has no debug information", "", python=True)
    return Absent(f"{objfile.filename} has no debug information", modules.advice_for(objfile.filename, "dynamic"), python=True)


def _minimal_symbol(name: str) -> bool:
    """Not by a command: within a breakpoint's own stop(), gdb 13 loses the stop after one."""
    return _address(name) is not None


def in_program() -> bool:
    """Whether the program gdb has loaded is itself the interpreter (it holds _PyRuntime), rather than a small program around a shared libpython."""
    return _minimal_symbol("_PyRuntime")


def without_names() -> Absent | None:
    """What keeps stops in CPython's own functions from being set, if anything does."""
    found = find()
    return found if isinstance(found, Absent) else found.nameless
