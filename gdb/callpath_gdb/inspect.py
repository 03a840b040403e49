"""`callpath inspect`, the functions $_py, $_pystr and $_layer for conditions, and printers for values of Python's own types."""

from __future__ import annotations

import gdb
import gdb.printing

from . import assemble, interpreter, stage, words
from .describe import Describer

_OBJECTS = ("PyObject", "PyVarObject", "PyLongObject", "PyUnicodeObject", "PyASCIIObject", "PyCompactUnicodeObject", "PyFloatObject", "PyTupleObject", "PyListObject",
            "PyDictObject", "PyFunctionObject", "PyCodeObject", "PyTypeObject", "PyBytesObject", "PyModuleObject", "PyMethodObject", "PyCFunctionObject")  # fmt: skip


class Inspect(gdb.Command):
    """Say what a Python object is, from memory only.

Usage: callpath inspect EXPR

EXPR is a pointer to an object, as `print EXPR` would take it, or a plain
address. Nothing of the program is called, so it works without the GIL, at
any stop and in core files.

  -by-hand   Print the plain gdb commands that show its type.

Example: callpath inspect args[1]"""

    usage = "callpath inspect EXPR [-by-hand]"

    def __init__(self) -> None:
        super().__init__("callpath inspect", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument: str, from_tty: bool) -> None:
        text = argument.strip()
        by_hand = text.endswith(words.BY_HAND)
        expression = text.removesuffix(words.BY_HAND).strip()
        if not expression:
            raise gdb.GdbError(f"What? Usage: {self.usage}")
        if by_hand:
            words.show([f"print (char *)((PyObject *)({expression}))->ob_type->tp_name", f"print *(PyObject *)({expression})"])
            return
        assemble.require_stopped_thread()
        address = _address(gdb.parse_and_eval(expression))
        words.write(f"{described(address)}\n")


def _address(value: gdb.Value) -> int:
    kind = value.type.strip_typedefs().code
    if kind == gdb.TYPE_CODE_STRUCT and value.address is not None:
        return int(value.address)
    if kind not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_INT):
        raise gdb.GdbError(f"A {value.type} is no pointer to a Python object.")
    if value.is_optimized_out:
        raise gdb.GdbError("That value is optimised out in this frame.")
    return int(value) & (1 << 64) - 1


def _describer() -> Describer:
    found = interpreter.find()
    if isinstance(found, interpreter.Absent):
        raise gdb.GdbError(f"Python objects cannot be read: {found.why}." + (f" To mend it: {found.remedy}" if found.remedy else ""))
    return Describer(found.layout)


def described(address: int) -> str:
    return _describer().text(address)


class Py(gdb.Function):
    """$_py(OBJECT): the text of a Python object, as repr has it, read from memory."""

    def __init__(self) -> None:
        super().__init__("_py")

    def invoke(self, value: gdb.Value) -> str:
        return words.for_value(described(_address(value)))


class PyStr(gdb.Function):
    """$_pystr(OBJECT): the text of a str object, the number of an int or a float; for conditions: if $_streq($_pystr(name), "Tensor")."""

    def __init__(self) -> None:
        super().__init__("_pystr")

    def invoke(self, value: gdb.Value) -> object:
        plain = _describer().plain(_address(value))
        return words.for_value(plain) if isinstance(plain, str) else plain


class Layer(gdb.Function):
    """$_layer(): the layer of the selected frame, such as "kernel" or "protocol"."""

    def __init__(self) -> None:
        super().__init__("_layer")

    def invoke(self) -> str:
        level = gdb.selected_frame().level()
        native, python = stage.frames_at(level)
        found = python or native
        return found["layer"] if found else "unknown"


class _Printer:
    """A pointer to an object prints as its address and the object."""

    def __init__(self, value: gdb.Value) -> None:
        self._value = value

    def to_string(self) -> str:
        address = int(self._value) & (1 << 64) - 1
        return words.for_printer(f"{address:#x} {described(address)}") if address else "0x0"


class _Printers(gdb.printing.PrettyPrinter):
    def __init__(self) -> None:
        super().__init__("callpath")

    def __call__(self, value: gdb.Value) -> _Printer | None:
        kind = value.type.strip_typedefs()
        if kind.code != gdb.TYPE_CODE_PTR:
            return None
        target = kind.target().unqualified()
        if (target.name or str(target)).removeprefix("struct ") not in _OBJECTS and str(target.strip_typedefs()).removeprefix("struct ") not in ("_object",):
            return None
        return _Printer(value)


def register() -> None:
    for function in (Py, PyStr, Layer):
        function()
    gdb.printing.register_pretty_printer(None, _Printers(), replace=True)
