"""Function names as the record has them: full, demangled, with parameters and clone suffix; and short, for display."""

from __future__ import annotations

import functools
import re

import gdb

_SYMBOL_AT = re.compile(r"^(?P<name>.*?)(?: \+ (?P<offset>\d+))? in section \S+(?: of .*)?$", re.S)
_CLONE = re.compile(r"(\.(?:constprop|isra|part|lto_priv|cold|llvm|localalias)(?:\.\d+)?)+$|( \[clone [^]]*\])+$|(\.\d+)+$")


_symbols: dict[int, tuple[str, int] | None] = {}
_demangled: dict[str, str] = {}


def forget() -> None:
    """Drops what was looked up; another library may lie at the same addresses by the next stop."""
    _symbols.clear()


def symbol_at(address: int) -> tuple[str, int] | None:
    """Name and start of the ELF symbol that holds an address, demangled with parameters; None if none does. Remembered until `forget`."""
    if address not in _symbols:
        _symbols[address] = _look_up(address)
    return _symbols[address]


def _look_up(address: int) -> tuple[str, int] | None:
    try:
        text = gdb.execute(f"info symbol {address:#x}", to_string=True).strip()
    except gdb.error:
        return None
    match = _SYMBOL_AT.match(text)
    if not match:
        return None
    return match["name"], address - int(match["offset"] or 0)


def demangled(symbol: gdb.Symbol) -> str:
    """A debug symbol's full name: from its linkage name, so that it is written as in the ELF symbol table; else as the debug information has it."""
    linkage = symbol.linkage_name or ""
    if not linkage.startswith("_Z"):
        return symbol.name
    if linkage not in _demangled:
        text = gdb.execute(f"demangle -l c++ -- {linkage}", to_string=True).strip()
        _demangled[linkage] = text if text and not text.startswith("Can't demangle") else symbol.name
    return _demangled[linkage]


def physical(address: int, function: gdb.Symbol | None) -> str | None:
    """Full name of the function that has a frame of its own at an address. The ELF symbol tells clone suffixes, and lambdas that have no linkage
    name in the debug information; where it is another alias of a C function, the debug information's name is the one in the source."""
    at = symbol_at(address)
    if at is None:
        return demangled(function) if function else None
    if function is None or _is_cxx(at[0]) or without_clone(at[0]) == function.name:
        return at[0]
    return demangled(function)


def without_clone(name: str) -> str:
    """The name without what compilers append to copies: .constprop.0, .cold, [clone .isra.0]."""
    return _CLONE.sub("", name)


def _is_cxx(name: str) -> bool:
    return "(" in name or "::" in name


@functools.lru_cache(maxsize=4096)
def short(full: str) -> str:
    """For display: 'lambda(float)', 'pow_tensor_scalar_optimized_kernel', 'operator()'."""
    text = without_clone(full)
    closure = _innermost_lambda(text)
    if closure:
        return closure
    if not _is_cxx(text):
        return text.split("@")[0] or full
    text = re.sub(r"\[abi:[^]]*\]", "", text)
    text = without_parameters(text)
    text = _last_component(text)
    return text or full


def _innermost_lambda(text: str) -> str | None:
    callee = without_parameters(text).removesuffix("::operator()")
    if len(callee) == len(text) or not callee.endswith(("}", ">")):
        return None
    opening = _matching_open(callee)
    lam = re.match(r"(?:\{lambda(\(.*\))#\d+\}|<lambda(\(.*\))>)$", callee[opening:] if opening is not None else "", re.S)
    return f"lambda{lam[1] or lam[2]}" if lam else None


def _matching_open(text: str) -> int | None:
    """Position of the bracket that the last character closes."""
    pairs = {"}": "{", ">": "<", ")": "("}
    close, depth = text[-1], 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] == close and not (close == ">" and text[i - 1 : i + 1] in ("->", "=>")):
            depth += 1
        elif text[i] == pairs[close]:
            depth -= 1
            if depth == 0:
                return i
    return None


def without_parameters(text: str) -> str:
    text = re.sub(r"( const| volatile| &&?| noexcept)+$", "", text)
    if not text.endswith(")"):
        return text
    opening = _matching_open(text)
    if not opening or text[:opening].endswith("operator"):
        return text
    return text[:opening]


def _last_component(text: str) -> str:
    """After the last '::' and the return type that stand outside brackets; without template arguments. Operators keep all that follows."""
    start, depth, i = 0, 0, 0
    while i < len(text):
        if depth == 0 and re.match(r"operator(?![A-Za-z0-9_])", text[i:]) and (i == 0 or not (text[i - 1].isalnum() or text[i - 1] == "_")):
            rest = text[i:]
            return rest if re.match(r"operator\s*(<=>|<<|>>|<=|>=|<|>|->|\(\))", rest) else re.sub(r"<.*>$", "", rest, flags=re.S)
        char = text[i]
        if char in "<({[":
            depth += 1
        elif char in ">)}]" and text[i - 1 : i + 1] != "->":
            depth -= 1
        elif depth == 0 and (text.startswith("::", i) or char == " "):
            start = i + (2 if char == ":" else 1)
            i = start
            continue
        i += 1
    name = text[start:]
    cut = name.find("<")
    return name[:cut] if cut > 0 else name
