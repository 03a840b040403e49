"""Strings, bytes and tuples of Python objects, read from memory. Lengths are capped; nothing of the program is called."""

from __future__ import annotations

import struct

import gdb

from .layout import Layout

_LONGEST_STRING = 1 << 16
_LONGEST_BYTES = 1 << 24
_MOST_ITEMS = 1 << 14


class Memory:
    """The stopped program's memory. What cannot be read raises gdb.MemoryError."""

    def __init__(self) -> None:
        self._inferior = gdb.selected_inferior()

    def bytes(self, address: int, size: int) -> bytes:
        return bytes(self._inferior.read_memory(address, size)) if size else b""

    def word(self, address: int) -> int:
        return struct.unpack("<Q", self.bytes(address, 8))[0]

    def signed(self, address: int) -> int:
        return struct.unpack("<q", self.bytes(address, 8))[0]

    def int32(self, address: int) -> int:
        return struct.unpack("<i", self.bytes(address, 4))[0]


class Objects:
    """Reads objects by the interpreter's own layout."""

    def __init__(self, memory: Memory, layout: Layout) -> None:
        self._memory = memory
        self._layout = layout
        self._strings: dict[int, str] = {}

    def string(self, address: int) -> str:
        """A str object's text. Lone surrogates are escaped, so that the text can be written as UTF-8."""
        if address not in self._strings:
            self._strings[address] = self._string(address)
        return self._strings[address]

    def _string(self, address: int) -> str:
        layout, memory = self._layout, self._memory
        head = memory.bytes(address, layout.size("PyASCIIObject"))
        (length,) = struct.unpack_from("<q", head, layout.offset("PyASCIIObject", "length"))
        if not 0 <= length <= _LONGEST_STRING:
            raise ValueError(f"a string at {address:#x} claims {length} characters")
        kind, compact, is_ascii = (self._state(head, name) for name in ("kind", "compact", "ascii"))
        if not compact:
            data = memory.word(address + layout.offset("PyUnicodeObject", "data"))
        elif is_ascii:
            data = address + len(head)
        else:
            data = address + layout.size("PyCompactUnicodeObject")
        encoding = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}.get(kind)
        if encoding is None:
            raise ValueError(f"a string at {address:#x} has characters of {kind} bytes")
        text = memory.bytes(data, length * kind).decode(encoding, "surrogatepass")
        return text if is_ascii else text.encode("utf-8", "backslashreplace").decode("utf-8")

    def is_string(self, address: int, text: str) -> bool:
        """Whether a str object has that text; where not even the length is the same, one read tells."""
        length = self._memory.signed(address + self._layout.offset("PyASCIIObject", "length"))
        return length == len(text) and self._string(address) == text

    def _state(self, head: bytes, name: str) -> int:
        position, width = self._layout.bits("PyASCIIObject", f"state.{name}")
        (word,) = struct.unpack_from("<I", head, position // 32 * 4)
        return word >> position % 32 & (1 << width) - 1

    def bytes(self, address: int) -> bytes:
        """A bytes object's content."""
        size = self._memory.signed(address + self._layout.offset("PyVarObject", "ob_size"))
        if not 0 <= size <= _LONGEST_BYTES:
            raise ValueError(f"a bytes object at {address:#x} claims {size} bytes")
        return self._memory.bytes(address + self._layout.offset("PyBytesObject", "ob_sval"), size)

    def tuple(self, address: int) -> list[int]:
        """Addresses of a tuple's items."""
        size = self._memory.signed(address + self._layout.offset("PyVarObject", "ob_size"))
        if not 0 <= size <= _MOST_ITEMS:
            raise ValueError(f"a tuple at {address:#x} claims {size} items")
        items = self._memory.bytes(address + self._layout.offset("PyTupleObject", "ob_item"), size * 8)
        return list(struct.unpack(f"<{size}Q", items))
