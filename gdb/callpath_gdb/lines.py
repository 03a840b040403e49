"""Line numbers of code objects, from co_linetable; and lines of source around a place."""

from __future__ import annotations

import os

_LONGEST_FILE = 16 << 20
_LONGEST_LINE = 500


def line_at(line_table: bytes, first_line: int, offset: int) -> int | None:
    """Line of the instruction at a byte offset; None where the table says that it has none, or has no entry for it."""
    line, start, at = first_line, 0, 0
    while at < len(line_table):
        head = line_table[at]
        at += 1
        code, units = head >> 3 & 15, (head & 7) + 1
        if code == 15:
            delta, here = 0, False
        elif code in (13, 14):
            delta, at = _signed(line_table, at)
            here = True
            for _ in range(3 if code == 14 else 0):
                _, at = _unsigned(line_table, at)
        elif code >= 10:
            delta, at, here = code - 10, at + 2, True
        else:
            delta, at, here = 0, at + 1, True
        line += delta
        if start <= offset < start + units * 2:
            return line if here else None
        start += units * 2
    return None


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            break
    return value, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (-(value >> 1) if value & 1 else value >> 1), at


def excerpt(file: str, line: int | None, around: int = 4) -> dict | None:
    """Lines around a line as the record has them; None where the file cannot be read or has no such line."""
    if line is None or not file.startswith("/") or not os.path.isfile(file):
        return None
    try:
        if os.path.getsize(file) > _LONGEST_FILE:
            return None
        with open(file, encoding="utf-8", errors="replace") as source:
            lines = source.read().split("\n")
    except OSError:
        return None
    if lines and lines[-1] == "":
        lines.pop()
    if not 1 <= line <= len(lines):
        return None
    first = max(1, line - around)
    return {"first": first, "lines": [text.rstrip("\r")[:_LONGEST_LINE] for text in lines[first - 1 : line + around]]}
