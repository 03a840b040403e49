"""Lambdas that have code of their own, found by the function that defines them.

Compilers number lambdas as they please, so a stop cannot name one. Its mangled name begins with that of the function it is defined in.
"""

from __future__ import annotations

import functools
import re
import struct


def defined_in(functions: str, module: str) -> list[str]:
    """Linkage names of the call operators of all lambdas that functions define whose unqualified name matches a regular expression wholly, from the
    symbol table of a file. Empty where the file has no such symbols: the lambdas are inlined, or it is stripped."""
    pattern = re.compile(functions)
    return sorted(name for name in _symbols(module) if pattern.fullmatch(enclosing(name) or ""))


def functions_in(operator: str, module: str) -> bool:
    """Whether a file has functions that are called as an operator's kernels are, whatever became of their lambdas."""
    pattern = re.compile(rf"\d{re.escape(operator)}_(\w*_)?kernel(?![a-z])")
    return any(pattern.search(name) for name in _symbols(module))


def enclosing(linkage: str) -> str | None:
    """Unqualified name of the function that defines a lambda, by the linkage name of its call operator; None for what is no such thing.

    `_ZZ N 6native 6AVX512 10pow_kernel I..E v..E NK Ul f E_ cl E f`: the function's own encoding comes first, as a nested name of counted parts.
    """
    match = re.match(r"_ZZN?", linkage)
    if not match or not re.search(r"EN?K?Ul.*E\d*_(?:N?K?Ul.*E\d*_)*clE", linkage):
        return None
    at, last = match.end(), None
    while part := re.match(r"S[A-Za-z0-9]*_|St|K|L|B\d+|(\d+)", linkage[at:]):
        at += part.end()
        if part[1]:
            last, at = linkage[at : at + int(part[1])], at + int(part[1])
    return last


@functools.lru_cache(maxsize=4)
def _symbols(path: str) -> set[str]:
    """Names in .symtab; empty where the file has none (it is stripped)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        return set()
    table_at = struct.unpack_from("<Q", data, 40)[0]
    size, count = struct.unpack_from("<HH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table_at + i * size) for i in range(count)]
    names: set[str] = set()
    for _, kind, _, _, at, length, link, _, _, entry in headers:
        if kind != 2 or not entry:
            continue
        strings = headers[link]
        text = data[strings[4] : strings[4] + strings[5]]
        for name_at, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", data[at : at + length - length % 24]):
            if info & 15 == 2 and section:
                names.add(text[name_at : text.index(b"\0", name_at)].decode("utf-8", "replace"))
    return names
