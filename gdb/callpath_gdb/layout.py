"""Where members of CPython's structs lie in the stopped interpreter, as its own debug information says."""

from __future__ import annotations

import gdb


class Layout:
    """Offsets and sizes by type and member. A type or member that is not there raises gdb.error naming it."""

    def __init__(self, objfile: gdb.Objfile | None) -> None:
        self._block = None
        self._types: dict[str, gdb.Type] = {}
        self._offsets: dict[tuple[str, str], int] = {}
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
        *structs, last = path.split(".")
        start = self._find(self.type(name), ".".join(structs)) * 8 if structs else 0
        field = self._field(self._member_type(self.type(name), structs), last)
        return start + field.bitpos, field.bitsize

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
