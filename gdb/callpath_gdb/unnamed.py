"""Frames that no symbol names, told by the tables in which the program keeps their addresses.

A stripped library still registers its functions: a DispatchStub holds a kernel for each capability, the dispatcher's table holds an operator's entries,
a PyMethodDef holds a method's C function. A pointer there equals the start of the frame's function, so it says what the function is for. A frame known
only by its neighbours gets the name of its role, never a symbol's. The evidence stands with the name; without any the frame stays unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import gdb

from . import dispatcher, functions, names
from .errors import READ_ERRORS
from .modules import is_python
from .pyobjects import Memory

if TYPE_CHECKING:
    from .modules import Module, Modules
    from .native import Entry

_STUB = re.compile(rb"DispatchStubI(\w+)EE\d+([A-Z]\w*)E$")
_OPERATOR = re.compile(r"^at::_ops::(\w+)::(call|redispatch)\(")
_ITERATES = re.compile(r"^at::TensorIteratorBase::(serial_)?for_each\(")
_STRUCTURED = re.compile(r"^at::native::structured_\w+::(impl|meta)\(|^at::meta::structured_\w+::meta\(")
_stubs: dict[tuple[int, str, int], list[tuple[int, str, str]]] = {}


def name(entries: list[Entry], modules: Modules) -> None:
    """Gives names to the physical entries that have none. Nothing that goes wrong here may cost a frame."""
    physical = [entry for entry in entries if entry.physical]
    if not any(_nameless(entry) for entry in physical):
        return
    namer = _Namer(physical, modules)
    for step in (namer.by_stub, namer.by_table, namer.by_method, namer.by_role):
        for at, entry in enumerate(physical):
            if not _nameless(entry):
                continue
            try:
                step(at, entry)
            except (*READ_ERRORS, OSError):
                continue


def _nameless(entry: Entry) -> bool:
    return entry.confidence == "module" and entry.lookup is not None


class _Namer:
    def __init__(self, physical: list[Entry], modules: Modules) -> None:
        self._physical, self._modules, self._memory = physical, modules, Memory()

    def _module(self, entry: Entry) -> Module | None:
        index = self._modules.find(entry.lookup)
        return None if index is None else self._modules.listed[index]

    def _start(self, entry: Entry) -> int | None:
        found = functions.around(entry.lookup, self._modules)
        return found[0] if found else None

    def _neighbour(self, at: int, step: int) -> Entry | None:
        return self._physical[at + step] if 0 <= at + step < len(self._physical) else None

    def by_stub(self, at: int, entry: Entry) -> None:
        start, module = self._start(entry), self._module(entry)
        if start is None or module is None:
            return
        for holder, stub, capability in _stubs_of(module):
            if self._memory.word(holder) == start:
                entry.full = f"kernel of {stub} for {capability}"
                entry.name = f"{stub.removesuffix('_stub')} kernel, {capability}"
                entry.confidence = "inferred"
                entry.evidence = f"its address, {self._modules.place(start)}, is what the exported DispatchStub member {stub}::{capability} holds"
                return

    def by_table(self, at: int, entry: Entry) -> None:
        """The innermost operator around the frame; its entries run inside `call` and `redispatch`."""
        outer = next((m for e in self._physical[at + 1 :] if (m := _OPERATOR.match(e.full))), None)
        start = self._start(entry)
        if outer is None or start is None:
            return
        found = dispatcher.entries_holding(outer[1], start, self._memory)
        if found is None:
            return
        operator, count = found
        goes_on = next((m for e in self._physical[at - 1 :: -1] if at and (m := _OPERATOR.match(e.full))), None)
        kind = "autograd entry" if goes_on is not None and goes_on[1] == outer[1] and goes_on[2] == "redispatch" else "operator entry"
        entry.name, entry.full = f"{kind} of {operator.removeprefix('aten::')}", f"{kind} of {operator}"
        entry.confidence = "inferred"
        entry.evidence = f"its address, {self._modules.place(start)}, stands {_times(count)} in the dispatch table of {operator}"

    def by_method(self, at: int, entry: Entry) -> None:
        outer, start, module = self._neighbour(at, 1), self._start(entry), self._module(entry)
        caller = self._module(outer) if outer is not None else None
        if start is None or module is None or caller is None or not is_python(caller.path):
            return
        found = functions.python_definition(module, start, self._memory)
        if found is None:
            return
        what, python_name, holder = found
        entry.name, entry.full = python_name, f"{what} {python_name}, function of C"
        entry.confidence = "inferred"
        member = "PyMethodDef.ml_meth" if what == "method" else "PyGetSetDef.get"
        entry.evidence = f"its address, {self._modules.place(start)}, is the {member} of {python_name!r} at {self._modules.place(holder)}"

    def by_role(self, at: int, entry: Entry) -> None:
        outer, inner = self._neighbour(at, 1), self._neighbour(at, -1)
        if outer is None:
            return
        if _ITERATES.match(outer.full):
            self._role(entry, "loop callback", "loop callback of TensorIteratorBase::for_each", f"{outer.name} calls nothing but the loop that it was given")
        elif outer.full.startswith("autograd entry of ") and inner is not None and _OPERATOR.match(inner.full):
            self._role(entry, "autograd function", f"autograd function of {outer.full.removeprefix('autograd entry of ')}", f"called by the {outer.full}; calls {inner.name}")
        elif outer.full.startswith("operator entry of "):
            called = self._structured(entry)
            if called:
                self._role(entry, "structured wrapper", f"operator wrapper of {outer.full.removeprefix('operator entry of ')}", f"called by the {outer.full}; its code calls {called}")

    def _role(self, entry: Entry, short: str, full: str, evidence: str) -> None:
        entry.name, entry.full, entry.confidence = short, full, "inferred"
        entry.evidence = f"named by its role: {evidence}"

    def _structured(self, entry: Entry) -> str:
        found = functions.around(entry.lookup, self._modules)
        if found is None:
            return ""
        called = [full for target in functions.called_in(*found) if (symbol := names.symbol_at(target)) and (full := symbol[0].removesuffix("@plt")) and _STRUCTURED.match(full)]
        return " and ".join(dict.fromkeys(names.without_parameters(full) for full in called))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _stubs_of(module: Module) -> list[tuple[int, str, str]]:
    """Where each DispatchStub member of a library lies at run time, the stub's name and the capability."""
    from . import elf

    key = (gdb.selected_inferior().pid, module.path, module.bias)
    if key not in _stubs:
        with elf.mapped(module.path) as file:
            matches = [(value, match) for symbol, value in file.dynamic_symbols() if b"DispatchStub" in symbol and (match := _STUB.search(symbol))]
        _stubs[key] = [(module.bias + value, _last_name(match[1]), match[2].decode()) for value, match in matches]
    return _stubs[key]


def _last_name(arguments: bytes) -> str:
    """Of mangled template arguments: each name is written with its length before it."""
    for length in re.finditer(rb"\d+", arguments):
        if int(length[0]) == len(arguments) - length.end():
            return arguments[length.end() :].decode()
    return "??"
