"""Any Python object in words, read from memory only. Depth, width and length are capped, what was met is remembered: circles end."""

from __future__ import annotations

import struct

from . import enginetensor, torchtensor
from .errors import READ_ERRORS
from .layout import Layout
from .pyobjects import Memory, Objects

_DEEPEST, _WIDEST, _LONGEST = 4, 20, 200
_FLAGS = {24: "int", 25: "list", 26: "tuple", 27: "bytes", 28: "str", 29: "dict", 31: "type"}
_SINGLE = {"NoneType": "None", "ellipsis": "Ellipsis", "NotImplementedType": "NotImplemented"}
_TENSOR_BASES = {"torch._C._TensorBase": "torch", "torch._C.TensorBase": "torch", "tensorlib._C.TensorBase": "tensorlib"}


class Describer:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._memory = Memory()
        self._objects = Objects(self._memory, layout)

    def type_name(self, address: int) -> str:
        return self._tp_name(self._type(address))

    def text(self, address: int) -> str:
        """As repr would have it, as far as memory tells."""
        return self._text(address, 0, ())

    def plain(self, address: int) -> object:
        """The object's value for a condition: str, int, float, bool; else its text."""
        kind = self._kind(address)
        if kind == "str":
            return self._objects.string(address)
        if kind == "int":
            number = self._int(address)
            return number if abs(number) < 1 << 63 else str(number)
        if self.type_name(address) == "float":
            return self._float(address)
        return self.text(address)

    def _word(self, address: int, struct_name: str, member: str) -> int:
        return self._memory.word(address + self._layout.offset(struct_name, member))

    def _type(self, address: int) -> int:
        return self._word(address, "PyObject", "ob_type")

    def _tp_name(self, kind: int) -> str:
        """A C string; of a class made in Python it is the name alone."""
        data, address = b"", self._word(kind, "PyTypeObject", "tp_name")
        while len(data) < _LONGEST:
            part = self._memory.bytes(address + len(data), 1)  # a name may end where its page does
            if part == b"\0":
                break
            data += part
        return data.decode("utf-8", "backslashreplace")

    def _kind(self, address: int) -> str:
        flags = self._word(self._type(address), "PyTypeObject", "tp_flags")
        return next((name for bit, name in _FLAGS.items() if flags >> bit & 1), "")

    def _text(self, address: int, depth: int, above: tuple[int, ...]) -> str:
        try:
            if address == 0:
                return "NULL"
            if address in above or depth > _DEEPEST:
                return "..."
            return self._known(address, depth, above)
        except READ_ERRORS as error:
            return f"<no object at {address:#x}: {error}>"

    def _known(self, address: int, depth: int, above: tuple[int, ...]) -> str:
        name = self.type_name(address)
        if name in _SINGLE:
            return _SINGLE[name]
        special = {"bool": self._bool, "float": self._real, "function": self._function, "code": self._code, "method": self._method,
                   "builtin_function_or_method": self._builtin, "module": self._module, "method_descriptor": self._descriptor}.get(name)  # fmt: skip
        if special:
            return special(address)
        kind = self._kind(address)
        inner = (*above, address)
        if kind == "str":
            return _cut(repr(self._objects.string(address)))
        if kind == "bytes":
            return _cut(repr(self._objects.bytes(address)))
        if kind == "int":
            return _cut(str(self._int(address)))
        if kind == "type":
            return f"<class '{self._tp_name(address)}'>"
        if kind in ("tuple", "list"):
            return self._sequence(address, kind, depth, inner)
        if kind == "dict":
            return self._dict(address, depth, inner)
        return self._tensor(address, name) or f"<{name} at {address:#x}>"

    def _bool(self, address: int) -> str:
        return str(bool(self._int(address)))

    def _int(self, address: int) -> int:
        if self._layout.has("PyLongObject", "long_value"):
            tag = self._word(address, "PyLongObject", "long_value.lv_tag")
            count, sign = tag >> 3, (1, 0, -1, 1)[tag & 3]
            start = address + self._layout.offset("PyLongObject", "long_value.ob_digit")
        else:
            size = self._memory.signed(address + self._layout.offset("PyVarObject", "ob_size"))
            count, sign = abs(size), -1 if size < 0 else 1
            start = address + self._layout.offset("PyLongObject", "ob_digit")
        if count > 1000:
            raise ValueError(f"an int of {count} digits of 30 bits")
        digits = struct.unpack(f"<{count}I", self._memory.bytes(start, 4 * count))
        return sign * sum(digit << 30 * i for i, digit in enumerate(digits))

    def _float(self, address: int) -> float:
        return struct.unpack("<d", self._memory.bytes(address + self._layout.offset("PyFloatObject", "ob_fval"), 8))[0]

    def _real(self, address: int) -> str:
        return repr(self._float(address))

    def _string_at(self, address: int, struct_name: str, member: str) -> str:
        return self._objects.string(self._word(address, struct_name, member))

    def _function(self, address: int) -> str:
        code = self._word(address, "PyFunctionObject", "func_code")
        return f"<function {self._string_at(address, 'PyFunctionObject', 'func_qualname')}, {self._where(code)}>"

    def _code(self, address: int) -> str:
        return f"<code {self._string_at(address, 'PyCodeObject', 'co_qualname')}, {self._where(address)}>"

    def _where(self, code: int) -> str:
        line = self._memory.int32(code + self._layout.offset("PyCodeObject", "co_firstlineno"))
        return f"{self._string_at(code, 'PyCodeObject', 'co_filename')}:{line}"

    def _method(self, address: int) -> str:
        return f"<bound method {self._text(self._word(address, 'PyMethodObject', 'im_func'), 1, ())}>"

    def _c_string(self, address: int) -> str:
        data = b""
        while len(data) < _LONGEST and (part := self._memory.bytes(address + len(data), 1)) != b"\0":
            data += part
        return data.decode("utf-8", "backslashreplace")

    def _builtin(self, address: int) -> str:
        method = self._word(address, "PyCFunctionObject", "m_ml")
        return f"<built-in {self._c_string(self._word(method, 'PyMethodDef', 'ml_name'))} at {self._word(method, 'PyMethodDef', 'ml_meth'):#x}>"

    def _descriptor(self, address: int) -> str:
        method = self._word(address, "PyMethodDescrObject", "d_method")
        return f"<method {self._c_string(self._word(method, 'PyMethodDef', 'ml_name'))} at {self._word(method, 'PyMethodDef', 'ml_meth'):#x}>"

    def _module(self, address: int) -> str:
        return f"<module {self._string_at(address, 'PyModuleObject', 'md_name')}>"

    def _sequence(self, address: int, kind: str, depth: int, above: tuple[int, ...]) -> str:
        size = self._memory.signed(address + self._layout.offset("PyVarObject", "ob_size"))
        if size < 0:
            raise ValueError(f"a {kind} of {size} items")
        start = self._word(address, "PyListObject", "ob_item") if kind == "list" else address + self._layout.offset("PyTupleObject", "ob_item")
        shown = [self._text(self._memory.word(start + 8 * i), depth + 1, above) for i in range(min(size, _WIDEST))]
        more = f", ... {size - _WIDEST} more" if size > _WIDEST else ""
        text = ", ".join(shown) + more
        if kind == "list":
            return f"[{text}]"
        return f"({text},)" if size == 1 else f"({text})"

    def _dict(self, address: int, depth: int, above: tuple[int, ...]) -> str:
        keys, values = self._word(address, "PyDictObject", "ma_keys"), self._word(address, "PyDictObject", "ma_values")
        byte = lambda member: self._memory.bytes(keys + self._layout.offset("PyDictKeysObject", member), 1)[0]  # noqa: E731
        entries = keys + self._layout.offset("PyDictKeysObject", "dk_indices") + (1 << byte("dk_log2_index_bytes"))
        count = self._memory.signed(keys + self._layout.offset("PyDictKeysObject", "dk_nentries"))
        if not 0 <= count < 1 << 32:
            raise ValueError(f"a dict of {count} entries")
        step, key_at = (24, 8) if byte("dk_kind") == 0 else (16, 0)
        if values:
            values += self._layout.offset("PyDictValues", "values") if self._layout.has("PyDictValues", "values") else 0
        shown: list[str] = []
        used = self._memory.signed(address + self._layout.offset("PyDictObject", "ma_used"))
        for i in range(count):
            if len(shown) == _WIDEST:
                shown.append(f"... {used - _WIDEST} more" if used > _WIDEST else "")
                break
            key = self._memory.word(entries + step * i + key_at)
            value = self._memory.word(values + 8 * i) if values else self._memory.word(entries + step * i + key_at + 8)
            if value:
                shown.append(f"{self._text(key, depth + 1, above)}: {self._text(value, depth + 1, above)}")
        return "{" + ", ".join(part for part in shown if part) + "}"

    def _tensor(self, address: int, name: str) -> str | None:
        """Of a class that comes from an engine's own base class of tensors."""
        engine = self._engine(self._type(address))
        if engine is None:
            return None
        if engine == "tensorlib":
            said = enginetensor.text(address)
        else:
            # After the object's head: a flag, then the pointer to the implementation.
            tensor = torchtensor.read(self._memory.word(address + self._layout.size("PyObject") + 8), self._memory)
            said = tensor.text() if tensor is not None else None
        return f"<{name} {said} at {address:#x}>" if said is not None else f"<{name} at {address:#x}, whose content is laid out in a way not known here>"

    def _engine(self, kind: int) -> str | None:
        for _ in range(_DEEPEST * 4):
            if not kind:
                return None
            engine = _TENSOR_BASES.get(self._tp_name(kind))
            if engine is not None:
                return engine
            kind = self._word(kind, "PyTypeObject", "tp_base")
        return None


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}... ({len(text)} characters)"
