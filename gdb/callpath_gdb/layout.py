"""Where members of CPython's structs lie in the stopped interpreter: as its own debug information says, else as it says itself (from 3.13 on, at the
start of _PyRuntime), else as a table says that was written from that version's headers."""

from __future__ import annotations

import struct

import gdb

from . import debug_offsets, layout_tables
from .errors import READ_ERRORS


class Layout:
    """Offsets and sizes by type and member. A type or member that is not there raises gdb.error naming it."""

    source = "its debug information"

    def __init__(self, objfile: gdb.Objfile | None) -> None:
        self._block = None
        self._types: dict[str, gdb.Type] = {}
        self._offsets: dict[tuple[str, str], int] = {}
        self._bits: dict[tuple[str, str], tuple[int, int]] = {}
        self._objfile = objfile

    def type(self, name: str) -> gdb.Type:
        if name not in self._types:
            self._types[name] = self._look_up(name).strip_typedefs()
        return self._types[name]

    def _look_up(self, name: str) -> gdb.Type:
        """By its typedef, or by its tag: C keeps the two apart."""
        try:
            return gdb.lookup_type(name)
        except gdb.error:
            try:
                return gdb.lookup_type(f"struct {name}")
            except gdb.error:
                raise gdb.error(f"No type named {name}.") from None

    def size(self, name: str) -> int:
        return self.type(name).sizeof

    def offset(self, name: str, path: str) -> int:
        """Byte offset of a member; `path` may go through members that are structs: 'interpreters.head'."""
        key = (name, path)
        if key not in self._offsets:
            self._offsets[key] = self._find(self.type(name), path)
        return self._offsets[key]

    def bits(self, name: str, path: str) -> tuple[int, int]:
        """Bit position from the start of the struct, and width, of a bit field."""
        key = (name, path)
        if key not in self._bits:
            *structs, last = path.split(".")
            start = self._find(self.type(name), ".".join(structs)) * 8 if structs else 0
            field = self._field(self._member_type(self.type(name), structs), last)
            self._bits[key] = start + field.bitpos, field.bitsize
        return self._bits[key]

    def has(self, name: str, member: str) -> bool:
        try:
            return any(field.name == member for field in self.type(name).fields())
        except gdb.error:
            return False

    def _find(self, kind: gdb.Type, path: str) -> int:
        position = 0
        for member in path.split("."):
            field = self._field(kind, member)
            position += field.bitpos
            kind = field.type.strip_typedefs()
        return position // 8

    def _member_type(self, kind: gdb.Type, members: list[str]) -> gdb.Type:
        for member in members:
            kind = self._field(kind, member).type.strip_typedefs()
        return kind

    def _field(self, kind: gdb.Type, member: str) -> gdb.Field:
        for field in kind.fields():
            if field.name == member:
                return field
        raise gdb.error(f"{kind} has no member {member}")


class KnownLayout(Layout):
    """Of an interpreter without debug information: what frames, code and strings need, and little more."""

    def __init__(self, hex_version: int, runtime: int) -> None:
        minor = hex_version >> 16 & 0xFF
        known, self._sizes, self._positions = layout_tables.LAYOUTS[minor]
        told = _told(minor, hex_version, runtime)
        self._known = {**known, **told}
        self.source = "the offsets that it tells itself (_Py_DebugOffsets)" if told else f"a table written from the headers of 3.{minor}"

    def offset(self, name: str, path: str) -> int:
        return self._in(self._known, (name, path))

    def size(self, name: str) -> int:
        return self._in(self._sizes, name)

    def bits(self, name: str, path: str) -> tuple[int, int]:
        return self._in(self._positions, (name, path))

    def has(self, name: str, member: str) -> bool:
        return any(kind == name and path.split(".")[0] == member for kind, path in self._known)

    def _in(self, table: dict, key: object) -> object:
        if key not in table:
            wanted = ".".join(key) if isinstance(key, tuple) else key
            raise gdb.error(f"only debug information tells where {wanted} lies, and this interpreter has none")
        return table[key]


def _told(minor: int, hex_version: int, runtime: int) -> dict[tuple[str, str], int]:
    """The interpreter's own offsets; none if it has none, or if what stands there is not of this very version."""
    places = debug_offsets.TOLD.get(minor)
    if places is None:
        return {}
    try:
        block = bytes(gdb.selected_inferior().read_memory(runtime, max(places.values()) + 8))
    except READ_ERRORS:
        return {}  # no process yet
    numbers = {key: struct.unpack_from("<Q", block, at)[0] for key, at in places.items()}
    if block[:8] != b"xdebugpy" or numbers.pop(("version", "")) != hex_version:
        return {}
    numbers.pop(("free_threaded", ""))
    return numbers
