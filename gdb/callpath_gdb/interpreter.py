"""The CPython in the stopped program: where it is, which version, whether its frames can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

import gdb

from . import modules
from .layout import Layout

KNOWN = ((3, 11),)


@dataclass
class Interpreter:
    runtime: int  # address of _PyRuntime
    hex_version: int
    build: str  # "release" or "debug"
    layout: Layout

    @property
    def version(self) -> str:
        return version_text(self.hex_version)


@dataclass
class Absent:
    """Why Python frames cannot be read, and what would mend it (may be empty). `python` says whether there is an interpreter at all."""

    why: str
    remedy: str = ""
    python: bool = False


def find() -> Interpreter | Absent:
    """Looks symbols up by name only; calls nothing."""
    symbol = gdb.lookup_global_symbol("_PyRuntime")
    if symbol is None:
        return _without_symbols()
    version = _version()
    if version is None:
        return Absent("the interpreter has no Py_Version: it is older than 3.11, whose frames are not known here", python=True)
    if (version >> 24, version >> 16 & 0xFF) not in KNOWN:
        known = ", ".join("%d.%d" % v for v in KNOWN)
        return Absent(f"the program runs Python {version_text(version)}; frames are known for {known}: both stacks unmerged", python=True)
    build = "debug" if gdb.lookup_global_symbol("_Py_RefTotal") or gdb.lookup_static_symbol("_Py_RefTotal") else "release"
    address = int(symbol.value().address)
    return Interpreter(address, version, build, Layout(symbol.symtab.objfile))


def version_text(hex_version: int) -> str:
    level = {0xA: "a", 0xB: "b", 0xC: "rc"}.get(hex_version >> 4 & 0xF)
    text = "%d.%d.%d" % (hex_version >> 24, hex_version >> 16 & 0xFF, hex_version >> 8 & 0xFF)
    return f"{text}{level}{hex_version & 0xF}" if level else text


def _version() -> int | None:
    symbol = gdb.lookup_global_symbol("Py_Version")
    return int(symbol.value()) & 0xFFFFFFFF if symbol else None


def _without_symbols() -> Absent:
    """No debug information for the interpreter: say whose, and what brings it."""
    for objfile in gdb.objfiles():
        name = (objfile.filename or "").rsplit("/", 1)[-1]
        if objfile.owner is None and re.match(r"(lib)?python(?!.*\.so\.debug)", name):
            return Absent(f"{objfile.filename} has no debug information", modules.advice_for(objfile.filename, "dynamic"), python=True)
    if _minimal_symbol("_PyRuntime"):
        return Absent("the Python in this program has no debug information", "", python=True)
    return Absent("there is no Python in this program")


def _minimal_symbol(name: str) -> bool:
    try:
        return bool(gdb.execute(f"info address {name}", to_string=True))
    except gdb.error:
        return False


def in_program() -> bool:
    """Whether the program gdb has loaded is itself the interpreter (it holds _PyRuntime), rather than a small program around a shared libpython."""
    return _minimal_symbol("_PyRuntime")
