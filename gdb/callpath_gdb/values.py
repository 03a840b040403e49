"""Arguments, locals and member paths of a frame, as gdb reads them from memory and registers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import gdb

from .errors import READ_ERRORS

_LONGEST_TEXT = 400
_LONGEST_TYPE = 1000
_MOST_VALUES = 40
_MOST_ELEMENTS = 64


def arguments_and_locals(frame: gdb.Frame, with_locals: bool = True) -> tuple[list[dict], list[dict]]:
    """As the record has them. A value that cannot be read has its reason instead; an inner variable hides an outer one of the same name."""
    arguments: list[dict] = []
    local: list[dict] = []
    seen: set[str] = set()
    for symbol in _symbols(frame):
        if symbol.is_argument:
            arguments.append(_read(symbol, frame))
        elif with_locals and symbol.name not in seen and len(local) < _MOST_VALUES:
            local.append(_read(symbol, frame))
        seen.add(symbol.name)
    return arguments, local


def _symbols(frame: gdb.Frame):
    """Arguments and variables from the innermost scope at the pc out to the function's own."""
    try:
        block: gdb.Block | None = frame.block()
    except RuntimeError:
        return
    while block is not None:
        for symbol in block:
            if (symbol.is_argument or symbol.is_variable) and symbol.addr_class != gdb.SYMBOL_LOC_STATIC:
                yield symbol
        if block.function is not None:
            return
        block = block.superblock


def _read(symbol: gdb.Symbol, frame: gdb.Frame) -> dict:
    result = {"name": symbol.name, "type": _cut(str(symbol.type), _LONGEST_TYPE)}
    try:
        value = symbol.value(frame)
        text = printed(value)
        if text == "<optimized out>" or value.is_optimized_out:
            result["reason"] = "optimised out"
        elif text == "<synthetic pointer>":
            result["reason"] = "a pointer that the compiler took away"
        else:
            result["value"] = text
    except READ_ERRORS as error:
        result["reason"] = _cut(f"not readable: {error}", _LONGEST_TEXT)
    return result


def printed(value: gdb.Value) -> str:
    """As gdb prints it, cut at a length that a report can bear. Pointers stay pointers: Python's own printers for gdb would follow them."""
    raw = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
    return _cut(value.format_string(raw=raw, symbols=False, max_elements=_MOST_ELEMENTS, max_depth=3, static_members=False), _LONGEST_TEXT)


def _cut(text: str, longest: int) -> str:
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"


@dataclass
class Evaluated:
    """A value read along a path: its text as gdb prints it, its simple form, and how it was read."""

    text: str
    value: object
    how: str


_STEP = re.compile(r"\.(?P<member>[A-Za-z_]\w*)|\[\*(?P<count>[^]]+)\]|\[(?P<index>\d+)\]")


def evaluate(frame: gdb.Frame, path: str) -> Evaluated | None:
    """A path from an argument or local of the frame: `exp`, `iter.ndim_`, `strides[0]`, `strides_[*2]` (an array of two; the count may itself be a
    path). None where any step is not there or cannot be read. Looks in the frame only: gdb's own evaluation would fall back to unrelated statics."""
    match = re.match(r"[A-Za-z_]\w*", path)
    symbol = _find(frame, match.group()) if match else None
    if symbol is None or match is None:
        return None
    try:
        value, members = symbol.value(frame), []
        at = match.end()
        while at < len(path):
            step = _STEP.match(path, at)
            if not step:
                return None
            value = _step(frame, value, step)
            if value is None:
                return None
            if step["member"]:
                members.append(step["member"])
            at = step.end()
        return _finished(value, symbol, members)
    except READ_ERRORS:
        return None


def _find(frame: gdb.Frame, name: str) -> gdb.Symbol | None:
    return next((s for s in _symbols(frame) if s.name == name), None)


def _step(frame: gdb.Frame, value: gdb.Value, step: re.Match) -> gdb.Value | None:
    if step["member"]:
        return _object(value)[step["member"]]
    value = _behind_reference(value)
    if step["index"]:
        return value[int(step["index"])]
    count = int(step["count"]) if step["count"].isdigit() else _count(frame, step["count"])
    if count is None or not 0 < count <= _MOST_ELEMENTS:
        return None
    kind = value.type.strip_typedefs()
    first = value[0] if kind.code == gdb.TYPE_CODE_ARRAY else value.dereference()
    return first.address.cast(first.type.unqualified().array(count - 1).pointer()).dereference()


def _count(frame: gdb.Frame, path: str) -> int | None:
    found = evaluate(frame, path)
    return found.value if found and isinstance(found.value, int) else None


def _behind_reference(value: gdb.Value) -> gdb.Value:
    code = value.type.strip_typedefs().code
    return value.referenced_value() if code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1)) else value


def _object(value: gdb.Value) -> gdb.Value:
    """The struct behind references and pointers."""
    for _ in range(4):
        value = _behind_reference(value)
        if value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            return value
        value = value.dereference()
    return value


def _finished(value: gdb.Value, symbol: gdb.Symbol, members: list[str]) -> Evaluated | None:
    value = _behind_reference(value)
    value.fetch_lazy()
    if value.is_optimized_out:
        return None
    text = printed(value)
    if text.startswith("<"):
        return None
    how = ("argument " if symbol.is_argument else "local ") + symbol.name + (", member " + ".".join(members) if members else "")
    return Evaluated(text, simple(value), how)


def simple(value: gdb.Value) -> object:
    """Number, bool, enumerator's name or list of these; None for what has no simple form."""
    kind = value.type.strip_typedefs()
    code = kind.code
    if code == gdb.TYPE_CODE_BOOL:
        return bool(value)
    if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        return int(value)
    if code == gdb.TYPE_CODE_ENUM:
        return value.format_string()
    if code == gdb.TYPE_CODE_FLT:
        return _shortest(float(value), value)
    if code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        return [simple(value[i]) for i in range(low, min(high, low + _MOST_ELEMENTS) + 1)]
    return None


def _shortest(number: float, value: gdb.Value) -> float | str:
    """The number as gdb writes it (a float32 has 9 digits, not a double's 17); its text where JSON has no such number."""
    if number != number or number in (float("inf"), float("-inf")):
        return value.format_string()
    try:
        return float(value.format_string())
    except ValueError:
        return number
