"""Breakpoints that decide in Python whether a hit is a stop, reading memory and registers only, and what they share."""

from __future__ import annotations

import gdb

from . import interpreter, words
from .assemble import Trigger
from .errors import READ_ERRORS
from .pyobjects import Memory, Objects


class Reader:
    """The interpreter's layout and objects, looked up once per breakpoint: a hit that is no stop must cost next to nothing."""

    def __init__(self, found: interpreter.Interpreter) -> None:
        self.layout = found.layout
        self.memory = Memory()
        self.objects = Objects(self.memory, found.layout)
        self.version = found.hex_version
        self.code_member = found.code_member

    def text(self, address: int) -> str:
        """Of a str object; not remembered, for its memory may be another's by the next hit."""
        return self.objects._string(address)

    def is_text(self, address: int, text: str) -> bool:
        return self.objects.is_string(address, text)

    def at(self, address: int, struct_name: str, member: str) -> int:
        return self.memory.word(address + self.layout.offset(struct_name, member))


class PythonStop(gdb.Breakpoint):
    """A breakpoint in a function of CPython's. `matches` decides; `said` is what is printed at the stop."""

    def __init__(self, function: str, trigger: Trigger, temporary: bool = False, internal: bool = False) -> None:
        super().__init__(function, internal=internal, temporary=temporary)
        self.callpath_trigger = trigger
        self._reader: Reader | None = None
        self.hits = 0
        self.problem = ""

    def reader(self) -> Reader:
        if self._reader is None:
            found = interpreter.find()
            if isinstance(found, interpreter.Absent):
                raise ValueError(found.why)
            self._reader = Reader(found)
        return self._reader

    def stop(self) -> bool:
        self.hits += 1
        try:
            return self.matches()
        except READ_ERRORS as error:
            if not self.problem:
                self.problem = str(error)
                words.write(f"callpath: a hit in {self.location} could not be read: {error}\n", gdb.STDERR)
            return False

    def matches(self) -> bool:
        raise NotImplementedError


class NameCommand(gdb.Command):
    """A command that takes NAME [FILE] and options: what all of those do with their words."""

    command, usage, options = "", "", ()

    def __init__(self) -> None:
        super().__init__(self.command, gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        given = words.split(argument, self.usage, self.options, least=1, most=2)
        name, file = given.plain[0], given.at(1)
        if given.by_hand:
            words.show(self.by_hand(name, file, given.options))
            return
        require_interpreter()
        self.go(name, file, given.options)

    def complete(self, text: str, word: str) -> list[str]:
        return words.completed(text, self.options)

    def by_hand(self, name: str, file: str | None, options: set[str]) -> list[str]:
        """Plain gdb commands that do the same."""
        raise NotImplementedError

    def go(self, name: str, file: str | None, options: set[str]) -> None:
        raise NotImplementedError


_cheapest: dict[tuple[int, int, str], str] = {}


def argument(name: str, register: str) -> int:
    """An argument of the newest frame at its function's entry, as the debug information says, else from the register that the calling convention gives it.

    Reading a frame's variable makes gdb unwind, twenty times the price of a stop. What is found at the first hit at an address therefore tells what to
    read at the next ones: the register if it holds the same, else the name.
    """
    at = (gdb.selected_inferior().pid, int(gdb.parse_and_eval("$pc")), name)
    if at not in _cheapest:
        value, _cheapest[at] = _argument(name, register)
        return value
    return int(gdb.parse_and_eval(_cheapest[at])) & (1 << 64) - 1


def _argument(name: str, register: str) -> tuple[int, str]:
    held = int(gdb.parse_and_eval(f"${register}")) & (1 << 64) - 1
    try:
        value = gdb.newest_frame().read_var(name)
        if not value.is_optimized_out and int(value) != held:
            return int(value), name
    except READ_ERRORS:
        pass
    return held, f"${register}"


def require_interpreter() -> None:
    """Before anything runs: a Python whose objects can be read, or what is missing and what brings it."""
    found = interpreter.without_names()
    if found is not None:
        if not found.python and not interpreter.in_program() and gdb.current_progspace().filename is None:
            raise gdb.GdbError("No program is loaded: start gdb as `gdb --args python3 PROGRAM`.")
        remedy = f" To mend it: {found.remedy}" if found.remedy else ""
        raise gdb.GdbError(f"{found.why}.{remedy}")


def same_file(seen: str, wanted: str) -> bool:
    """Whether a code object's file is the one that was asked for: a whole path, or its last parts."""
    return seen == wanted or seen.endswith("/" + wanted.lstrip("/"))

