"""Functions that have no symbol: where they begin and end by their unwind table, whom they call, which table of Python's names them."""

from __future__ import annotations

import bisect
import struct
from typing import TYPE_CHECKING

import gdb

from . import elf
from .errors import READ_ERRORS
from .pyobjects import Memory

if TYPE_CHECKING:
    from .modules import Module, Modules

_LONGEST = 1 << 16
_FLAGS = 0x1FF  # all METH_ flags that there are
_starts: dict[str, list[int]] = {}


def around(address: int, modules: Modules) -> tuple[int, int] | None:
    """Start of the function that holds an address, and where the next one starts. None where the file has no table for it."""
    index = modules.find(address)
    if index is None:
        return None
    module = modules.listed[index]
    starts = _starts_of(module.path)
    at = bisect.bisect_right(starts, address - module.bias) - 1
    if at < 0:
        return None
    start = starts[at] + module.bias
    return start, min(starts[at + 1] + module.bias if at + 1 < len(starts) else address + 1, start + _LONGEST)


def _starts_of(path: str) -> list[int]:
    if path not in _starts:
        try:
            _starts[path] = _read_starts(path)
        except (OSError, ValueError, struct.error):
            _starts[path] = []
    return _starts[path]


def _read_starts(path: str) -> list[int]:
    """The sorted table of .eh_frame_hdr: pairs of 32-bit distances from its own start."""
    with elf.mapped(path) as file:
        table = file.section(".eh_frame_hdr")
        base, _ = file.range(".eh_frame_hdr")
    if table is None or table[0] != 1 or table[2] != 0x03 or table[3] != 0x3B:
        return []
    (count,) = struct.unpack_from("<I", table, 8)
    return [base + start for start, _ in struct.iter_unpack("<ii", table[12 : 12 + 8 * count])]


def called_in(start: int, end: int) -> list[int]:
    """Targets of the direct calls in a stretch of code."""
    found = []
    for instruction in gdb.selected_inferior().architecture().disassemble(start, end - 1):
        words = instruction["asm"].split()
        if "call" in words and words[-1 if not words[-1].startswith("<") else -2].startswith("0x"):
            found.append(int(words[-1 if not words[-1].startswith("<") else -2], 16))
    return found


def python_definition(module: Module, function: int, memory: Memory) -> tuple[str, str, int] | None:
    """What Python calls a function of C: ("method" or "attribute", its name, where the definition lies), from the tables in the library's data."""
    with elf.mapped(module.path) as file:
        ranges = [file.range(name) for name in (".data.rel.ro", ".data")]
    for address, size in ranges:
        position, end = module.bias + address, module.bias + address + size
        while size and position < end:
            at = gdb.selected_inferior().search_memory(position, end - position, struct.pack("<Q", function))
            if at is None:
                break
            found = _definition_at(at - 8, memory)
            if found is not None:
                return (*found, at - 8)
            position = at + 8
    return None


def _definition_at(address: int, memory: Memory) -> tuple[str, str] | None:
    """Both tables begin with a name and a function; a method's flags follow, or an attribute's setter, which is a pointer or none."""
    try:
        text = memory.bytes(memory.word(address), 64).partition(b"\0")[0].decode("ascii")
        after = memory.word(address + 16)
    except (*READ_ERRORS, UnicodeDecodeError):
        return None
    if not text.isidentifier():
        return None
    return ("method" if 0 < after & 0xFFFFFFFF <= _FLAGS else "attribute"), text
