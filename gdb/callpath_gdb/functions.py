"""Functions that have no symbol: where they begin and end by their file's unwind table."""

from __future__ import annotations

import bisect
import struct
from typing import TYPE_CHECKING

from . import elf

if TYPE_CHECKING:
    from .modules import Modules

_LONGEST = 1 << 16
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
