"""The few facts of an ELF file that gdb's Python does not give: entry point, sections, load segments."""

from __future__ import annotations

import contextlib
import functools
import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Elf:
    """Headers of a 64-bit little-endian ELF file. `sections` maps a name to its address (0 for those not loaded)."""

    entry: int = 0
    sections: dict[str, int] = field(default_factory=dict)
    segments: list[tuple[int, int]] = field(default_factory=list)  # (address, size in memory) of each PT_LOAD


def read(path: str) -> Elf | None:
    """None where the file is gone, unreadable or no such ELF file: callers then know less, they do not fail. Read again only when it has changed."""
    try:
        state = os.stat(path)
        return _read(path, state.st_ino, state.st_size, state.st_mtime_ns)
    except (OSError, struct.error, ValueError, IndexError):
        return None


@functools.lru_cache(maxsize=64)
def _read(path: str, *_state: int) -> Elf | None:
    with open(path, "rb") as file:
        return _parse(file)


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


class Mapped:
    """A file whose sections are read where they lie, without a copy of the whole."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        table, size, count, names_index = (*struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HHH", data, 58))
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
        names_at = headers[names_index][4]
        self._sections: dict[str, tuple[int, int, int]] = {}  # file position, size, address
        for name_at, kind, _, address, at, length, *_ in headers:
            end = data.find(b"\0", names_at + name_at)
            self._sections[data[names_at + name_at : end].decode("utf-8", "replace")] = (at, length if kind != 8 else 0, address)

    def section(self, name: str) -> bytes | None:
        at, size, _ = self._sections.get(name, (0, 0, 0))
        return self.data[at : at + size] if size else None

    def range(self, name: str) -> tuple[int, int]:
        """Address and size in the file's own numbering; of .bss too little, for the file does not hold it."""
        _, size, address = self._sections.get(name, (0, 0, 0))
        return address, size


@contextlib.contextmanager
def mapped(path: str) -> Iterator[Mapped]:
    """Raises OSError or ValueError for what is no such ELF file."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no 64-bit ELF file")
        yield Mapped(data)
