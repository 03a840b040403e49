"""Operators of a PyTorch library that has no symbols but its exported ones: their dispatcher entries, schemas, and where arguments lie.

The library tells all of it: `at::_ops::OP_OVERLOAD::call` is exported, and the schema that it registers is text in its read-only data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import elf

_INTEGER_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
_ONE_REGISTER = re.compile(r"[*&]$|^(long|int|short|bool|char|signed char|unsigned \w+|c10::(ScalarType|Layout|MemoryFormat|DispatchKeySet|SymInt))$")
_TWO_REGISTERS = re.compile(r"^c10::(ArrayRef<.*>|basic_string_view<char>)$")


@dataclass
class Parameter:
    name: str
    type: str  # in the schema: Tensor, Scalar, int, float, bool, ...
    register: str = ""  # empty where only the compiler knows


@dataclass
class Operator:
    """One overload. `symbol` is the linkage name of its dispatcher entry."""

    name: str
    overload: str
    schema: str
    parameters: list[Parameter]
    symbol: str

    @property
    def full(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name


def find(path: str, name: str) -> list[Operator]:
    """Overloads of an operator (`pow`, or one of them: `pow.Tensor_Scalar`) that a library exports an entry for. Raises OSError."""
    base, _, overload = name.partition(".")
    with elf.mapped(path) as library:
        names, text = library.section(".dynstr"), library.section(".rodata")
        if names is None or text is None or not re.search(rb"_ZN2at4_ops\d+", names):
            return []
        found = []
        for schema in _schemas(text, base):
            operator = _operator(schema, names)
            if operator is not None and overload in ("", operator.overload):
                found.append(operator)
    return sorted(found, key=lambda operator: operator.full)


def _schemas(text: bytes, base: str) -> set[str]:
    pattern = rb"\0(" + re.escape(base.encode()) + rb"(?:\.\w+)?\([ -~]*\) -> [ -~]+)(?=\0)"
    return {match[1].decode() for match in re.finditer(pattern, text)}


def _operator(schema: str, names: bytes) -> Operator | None:
    match = re.fullmatch(r"(\w+)(?:\.(\w+))?\((.*)\) -> .*", schema)
    if match is None:
        return None
    name, overload, given = match[1], match[2] or "", match[3]
    struct = f"{name}_{overload}" if overload else name
    symbol = re.search(rf"\0(_ZN2at4_ops{len(struct)}{struct}4callE\w*)\0".encode(), names)
    if symbol is None:
        return None
    return Operator(name, overload, schema, [_parameter(part) for part in _split(given) if part != "*"], symbol[1].decode())


def _split(text: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [part for part in (*parts, text[start:].strip()) if part]


def _parameter(text: str) -> Parameter:
    """`Tensor(a!) self`, `Scalar alpha=1`, `int[]? dim=None`."""
    declared = text.partition("=")[0].strip()
    kind, _, name = declared.rpartition(" ")
    return Parameter(name, re.sub(r"\(.*?\)", "", kind))


def returned_by_hidden_pointer(schema: str) -> bool:
    """Whether the caller passes the place for the result first: a Tensor, a list or a tuple by value; not what an in-place or out= call gives back."""
    returned = schema.rpartition(" -> ")[2]
    if "!" in returned or returned == "()":
        return False
    return returned not in ("bool", "int", "float", "ScalarType", "SymInt")


def place(operator: Operator, demangled: str) -> None:
    """Gives parameters the registers in which the x86-64 calling convention passes them, by the C++ types of the entry; the first type of
    unknown size ends what is known."""
    types = parameter_types(demangled)
    if len(types) != len(operator.parameters):
        return
    integers = list(_INTEGER_REGISTERS)
    if returned_by_hidden_pointer(operator.schema):
        integers.pop(0)
    floats = 0
    for parameter, kind in zip(operator.parameters, types):
        if kind in ("double", "float"):
            parameter.register = f"xmm{floats}"
            floats += 1
        elif _ONE_REGISTER.search(kind):
            parameter.register = integers.pop(0) if integers else ""
        elif _TWO_REGISTERS.search(kind):
            parameter.register = integers[0] if len(integers) > 1 else ""
            integers = integers[2:]
        else:
            return


def parameter_types(demangled: str) -> list[str]:
    """`at::_ops::f::call(at::Tensor const&, c10::ArrayRef<long>)` -> the two types."""
    match = re.search(r"::call\((.*)\)$", demangled, re.S)
    if match is None:
        return []
    parts, depth, start = [], 0, 0
    for i, char in enumerate(match[1]):
        depth += (char in "(<[") - (char in ")>]")
        if char == "," and depth == 0:
            parts.append(match[1][start:i].strip())
            start = i + 1
    return [part for part in (*parts, match[1][start:].strip()) if part]
