"""The few facts of an ELF file that gdb's Python does not give: entry point, sections, load segments."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field


@dataclass
class Elf:
    """Headers of a 64-bit little-endian ELF file. `sections` maps a name to its address (0 for those not loaded)."""

    entry: int = 0
    sections: dict[str, int] = field(default_factory=dict)
    segments: list[tuple[int, int]] = field(default_factory=list)  # (address, size in memory) of each PT_LOAD


def read(path: str) -> Elf | None:
    """None where the file is gone, unreadable or no such ELF file: callers then know less, they do not fail."""
    try:
        with open(path, "rb") as file:
            return _parse(file)
    except (OSError, struct.error, ValueError, IndexError):
        return None


def _parse(file) -> Elf | None:
    head = file.read(64)
    if head[:6] != b"\x7fELF\x02\x01":
        return None
    entry, program_at, sections_at = struct.unpack_from("<QQQ", head, 24)
    program_size, program_count, section_size, section_count, names_index = struct.unpack_from("<HHHHH", head, 54)
    elf = Elf(entry=entry)
    file.seek(program_at)
    for i in range(program_count):
        kind, _, _, address, _, _, size, _ = struct.unpack_from("<IIQQQQQQ", file.read(program_size))
        if kind == 1:
            elf.segments.append((address, size))
    if not sections_at or not section_count:
        return elf
    file.seek(sections_at)
    headers = [struct.unpack_from("<IIQQQQ", file.read(section_size)) for _ in range(section_count)]
    _, _, _, _, names_at, names_length = headers[names_index]
    file.seek(names_at)
    names = file.read(names_length)
    for name_at, _, _, address, _, _ in headers:
        end = names.index(b"\0", name_at)
        elf.sections[names[name_at:end].decode("utf-8", "replace")] = address
    return elf
