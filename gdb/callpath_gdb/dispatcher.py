"""PyTorch's dispatcher, read from memory: the list of its operators, and whose dispatch table holds a function.

The list begins the one Dispatcher object, whose place the exported function `realSingleton` loads. That it is the list is checked by what is in it.
"""

from __future__ import annotations

import struct

import gdb

from .errors import READ_ERRORS
from .pyobjects import Memory

_SINGLETON = "_ZN3c1010Dispatcher13realSingletonEv"
_TABLE_BYTES = 0x1400  # an operator's record, its dispatch table included
_MOST = 20_000
_LONGEST_NAME = 200
_operators: dict[int, dict[str, tuple[int, str]]] = {}


def entries_holding(struct_name: str, function: int, memory: Memory) -> tuple[str, int] | None:
    """For the operator whose struct in at::_ops has that name: its own name, and how often the function stands in its table. None if never."""
    found = _all(memory).get(struct_name)
    if found is None:
        return None
    address, operator = found
    words = struct.unpack(f"<{_TABLE_BYTES // 8}Q", memory.bytes(address, _TABLE_BYTES))
    count = words.count(function)
    return (operator, count) if count else None


def _all(memory: Memory) -> dict[str, tuple[int, str]]:
    """Operators by their struct's name (`pow_Tensor_Scalar`); of namespace aten alone, for which such structs exist. Read once a process."""
    pid = gdb.selected_inferior().pid
    if pid not in _operators:
        _operators.clear()
        _operators[pid] = _read(memory)
    return _operators[pid]


def _read(memory: Memory) -> dict[str, tuple[int, str]]:
    for head in _candidates(memory):
        try:
            found = _walk(head, memory)
        except (*READ_ERRORS, UnicodeDecodeError):
            continue
        if found:
            return found
    return {}


def _candidates(memory: Memory) -> list[int]:
    """Places that `realSingleton` loads: lea DISTANCE(%rip), REGISTER."""
    symbol = gdb.execute(f"info address {_SINGLETON}", to_string=True)
    start = int(next(word for word in symbol.split() if word.startswith("0x")), 16)
    code = memory.bytes(start, 96)
    return list(dict.fromkeys(start + i + 7 + struct.unpack_from("<i", code, i + 3)[0] for i in range(len(code) - 7) if code[i] == 0x48 and code[i + 1] == 0x8D and code[i + 2] & 0xC7 == 0x05))


def _walk(head: int, memory: Memory) -> dict[str, tuple[int, str]]:
    """A doubly linked list whose nodes hold the operator's name and overload, two std::string."""
    found: dict[str, tuple[int, str]] = {}
    node, before = memory.word(head), head
    for _ in range(_MOST):
        if node == head:
            return found
        following, previous = struct.unpack("<QQ", memory.bytes(node, 16))
        if previous != before:
            raise ValueError("no doubly linked list")
        name, overload = _string(node + 16, memory), _string(node + 48, memory)
        if "::" not in name:
            raise ValueError("no operator's name")
        if name.startswith("aten::"):
            short = name.removeprefix("aten::")
            found[f"{short}_{overload}" if overload else short] = (node + 16, f"{name}.{overload}" if overload else name)
        node, before = following, node
    raise ValueError("the list does not end")


def _string(address: int, memory: Memory) -> str:
    data, size = struct.unpack("<QQ", memory.bytes(address, 16))
    if size > _LONGEST_NAME:
        raise ValueError("a name too long")
    return memory.bytes(data, size).decode("ascii")
