"""Schema strings, as PyTorch writes them, taken apart: "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"."""

from __future__ import annotations

import re
from dataclasses import dataclass

TYPES = ("Tensor", "Scalar", "int", "bool", "float", "str", "ScalarType", "Generator")


class SchemaError(ValueError):
    """A schema that cannot be read; says where."""


@dataclass(frozen=True)
class Type:
    """A schema's type: base name, and what stands around it."""

    base: str  # one of TYPES
    optional: bool = False  # "Tensor?", "int[]?"
    is_list: bool = False  # "int[]", "Tensor[]"
    optional_elements: bool = False  # "Tensor?[]"
    size: int | None = None  # "int[2]"
    alias: str | None = None  # "a", "a!"

    @property
    def is_written(self) -> bool:
        return self.alias is not None and self.alias.endswith("!")

    @property
    def is_tensor_like(self) -> bool:
        return self.base == "Tensor"

    def __str__(self) -> str:
        text = self.base + (f"({self.alias})" if self.alias else "")
        if self.is_list:
            text += ("?" if self.optional_elements else "") + f"[{self.size or ''}]"
        return text + ("?" if self.optional else "")


@dataclass(frozen=True)
class Argument:
    name: str
    type: Type
    default: str | None = None  # as written: "1", "None", "[]", "True"
    keyword_only: bool = False


@dataclass(frozen=True)
class Return:
    type: Type
    name: str | None = None


@dataclass(frozen=True)
class FunctionSchema:
    """An operator's name, arguments and results."""

    base: str  # "pow", "pow_"
    overload: str  # "Tensor_Scalar", may be empty
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    text: str  # the schema as written

    @property
    def name(self) -> str:
        """"pow.Tensor_Scalar"."""
        return f"{self.base}.{self.overload}" if self.overload else self.base

    @property
    def unambiguous_name(self) -> str:
        """"pow_Tensor_Scalar", "pow__Scalar": names its struct and its kernels."""
        return f"{self.base}_{self.overload}" if self.overload else self.base

    @property
    def is_inplace(self) -> bool:
        return self.base.endswith("_") and not self.base.endswith("__")

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.keyword_only and a.type.is_written)

    @property
    def is_out(self) -> bool:
        return bool(self.out_arguments)

    @property
    def kind(self) -> str:
        """"functional", "inplace" or "out"."""
        return "out" if self.is_out else "inplace" if self.is_inplace else "functional"

    @property
    def is_view(self) -> bool:
        """The result shares memory with an argument that is not written."""
        return any(r.type.alias is not None and not r.type.is_written for r in self.returns)


def parse_type(text: str) -> Type:
    match = re.fullmatch(r"(\w+)(?:\(([a-z]!?)\))?(\?)?(?:\[(\d*)\](\?)?)?", text.strip())
    if not match or match.group(1) not in TYPES:
        raise SchemaError(f"'{text}' is no type; the types are {', '.join(TYPES)}")
    base, alias, optional, size, list_optional = match.groups()
    if size is None:
        return Type(base, optional=bool(optional), alias=alias)
    return Type(base, optional=bool(list_optional), is_list=True, optional_elements=bool(optional), size=int(size) if size else None, alias=alias)


def parse_argument(text: str, keyword_only: bool) -> Argument:
    match = re.fullmatch(r"(\S+)\s+(\w+)(?:=(.+))?", text.strip())
    if not match:
        raise SchemaError(f"'{text}' is no argument: TYPE NAME or TYPE NAME=DEFAULT")
    return Argument(match.group(2), parse_type(match.group(1)), match.group(3), keyword_only)


def split_list(text: str) -> list[str]:
    """At commas outside of brackets and quotes."""
    parts, depth, quoted, part = [], 0, False, ""
    for c in text:
        if c in "\"'":
            quoted = not quoted
        depth += not quoted and c in "([" 
        depth -= not quoted and c in ")]"
        if c == "," and depth == 0 and not quoted:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in [*parts, part] if p.strip()]


def parse_arguments(text: str) -> tuple[Argument, ...]:
    keyword_only, arguments = False, []
    for part in split_list(text):
        if part == "*":
            keyword_only = True
        else:
            arguments.append(parse_argument(part, keyword_only))
    return tuple(arguments)


def parse_return(text: str) -> Return:
    words = text.split()
    return Return(parse_type(words[0]), words[1] if len(words) > 1 else None)


def parse_returns(text: str) -> tuple[Return, ...]:
    text = text.strip()
    if text.startswith("("):
        return tuple(parse_return(part) for part in split_list(text[1:-1]))
    return (parse_return(text),)


def parse_schema(text: str) -> FunctionSchema:
    match = re.fullmatch(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.+)", text.strip())
    if not match:
        raise SchemaError(f"'{text}' is no schema: NAME.OVERLOAD(ARGUMENTS) -> RETURNS")
    base, overload, arguments, returns = match.groups()
    return FunctionSchema(base, overload or "", parse_arguments(arguments), parse_returns(returns), text.strip())
