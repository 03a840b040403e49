"""Functions that ran and left by a jump, so that no frame of theirs is on the stack.

The call instruction before a return address names whom it called. Where that is another function than the one whose frame stands there, the function
named has left by a jump; the functions inlined at that jump have left with it.
"""

from __future__ import annotations

import copy
import re
import struct
from typing import TYPE_CHECKING

import gdb

from . import functions, names
from .errors import READ_ERRORS

if TYPE_CHECKING:
    from .modules import Modules
    from .native import Entry

_INSTRUCTION = re.compile(r"^(?:=>|  )\s*0x([0-9a-f]+) <[+-]\d+>:\t(.*)$", re.M)
_RANGE = re.compile(r"^Address range 0x([0-9a-f]+) to 0x([0-9a-f]+):$", re.M)
_JUMP = re.compile(r"(?:bnd )?jmpq?\s+(\*)?(?:0x([0-9a-f]+))?")
_LONGEST_CHAIN = 4


class TailCalls:
    """Finds elided frames between physical neighbours. Reads code from memory; decodes with gdb's disassembler; keeps what it decoded."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._inferior = gdb.selected_inferior()
        self._known: dict[tuple[int, int], list[Entry]] = {}
        self._jumps: dict[int, list[tuple[int, int | None]]] = {}

    def insert(self, entries: list[Entry]) -> list[Entry]:
        """The same entries with elided ones between. gdb itself shows a tail call only where one way alone is possible, so it may show one of two: what
        the code says counts if it holds all that gdb shows, else what gdb shows stands."""
        homes = _physical_homes(_own_inlines_elided(entries))
        result: list[Entry] = []
        shown: list[Entry] = []
        callee: Entry | None = None
        for entry, home in zip(entries, homes):
            if entry.kind == "elided":
                shown.append(entry)
                continue
            found = self._between(callee, home) if callee is not None else []
            result.extend(found if {e.full for e in shown} <= {e.full for e in found} else shown)
            result.append(entry)
            shown, callee = [], entry if entry.physical else None
        return result + shown

    def _between(self, callee: Entry, caller: Entry | None) -> list[Entry]:
        """What left by a jump between two neighbours; the same again for the same two places, of which a deep recursion has thousands."""
        if caller is None or not caller.pc or not callee.lookup:
            return []
        key = (callee.lookup, caller.pc)
        if key not in self._known:
            try:
                self._known[key] = self._left_by_jump(callee, caller)
            except READ_ERRORS:
                self._known[key] = []
        return [copy.copy(entry) for entry in self._known[key]]

    def _left_by_jump(self, callee: Entry, caller: Entry) -> list[Entry]:
        target = self._called_by(caller.pc)
        found: list[Entry] = []
        came_from = f"the call in {self._innermost_at(caller)} that returns to {self._modules.place(caller.pc)} goes to"
        running = names.symbol_at(callee.lookup) or self._without_symbol(callee.lookup)
        for _ in range(_LONGEST_CHAIN):
            if target is None or running is None or self._is_function(target, running):
                return found
            symbol = names.symbol_at(target)
            if symbol is None or symbol[1] != target:
                return found
            jump, leads_to = self._way_out(self._jumps_of(target), running)
            if jump is None:
                return self._unplaced(target, symbol[0], came_from) + found
            evidence = f"{came_from} {names.short(symbol[0])}, which left by a jump"
            found = self._entries_at(jump, symbol[0], evidence) + found
            came_from, target = f"{names.short(symbol[0])} jumps to", leads_to
        return found

    def _unplaced(self, function: int, full: str, came_from: str) -> list[Entry]:
        """A function that was called but does not run left by a jump, whichever. Where debug information is, gdb's rule holds, which tells nothing."""
        from .native import ELIDED, Entry

        if gdb.block_for_pc(function) is not None and gdb.find_pc_line(function).symtab is not None:
            return []
        evidence = f"{came_from} {names.short(full)}, which left by one of several jumps"
        return [Entry(ELIDED, lookup=function, full=full, name=names.short(full), confidence="elided", evidence=evidence)]

    def _without_symbol(self, address: int) -> tuple[str, int] | None:
        found = functions.around(address, self._modules)
        return ("??", found[0]) if found else None

    def _is_function(self, address: int, running: tuple[str, int]) -> bool:
        """Whether an entry point is that of the running function, whose code may lie in a cold part elsewhere."""
        if address == running[1]:
            return True
        symbol = names.symbol_at(address)
        return symbol is not None and names.without_clone(symbol[0]) == names.without_clone(running[0].removesuffix("@plt"))

    def _called_by(self, return_address: int) -> int | None:
        """Entry of the function that a direct call just before the return address goes to, through a PLT entry if need be."""
        code = bytes(self._inferior.read_memory(return_address - 5, 5))
        if code[0] != 0xE8:
            return None
        target = (return_address + struct.unpack("<i", code[1:])[0]) & (1 << 64) - 1
        return self._through_plt(target)

    def _through_plt(self, address: int) -> int:
        """Where an indirect jump through the GOT leads; the address itself if it is no PLT entry."""
        code = bytes(self._inferior.read_memory(address, 16))
        skip = 4 if code[:4] == b"\xf3\x0f\x1e\xfa" else 0
        if code[skip : skip + 1] == b"\xf2":
            skip += 1
        if code[skip : skip + 2] != b"\xff\x25":
            return address
        slot = address + skip + 6 + struct.unpack_from("<i", code, skip + 2)[0]
        return struct.unpack("<Q", bytes(self._inferior.read_memory(slot, 8)))[0]

    def _way_out(self, jumps: list[tuple[int, int | None]], running: tuple[str, int]) -> tuple[int | None, int | None]:
        """The jump by which a function left, and where it leads to (None: not said by the code). Certain only: a jump straight to the running
        function, else the only indirect one, else the only one that leads elsewhere. Several possible ones: none."""
        for at, target in jumps:
            if target is not None and self._is_function(target, running):
                return at, target
        indirect = [jump for jump in jumps if jump[1] is None]
        if len(indirect) == 1:
            return indirect[0]
        return jumps[0] if len(jumps) == 1 else (None, None)

    def _innermost_at(self, caller: Entry) -> str:
        """Name of the function, inlined or not, that a call stands in."""
        block = gdb.block_for_pc(caller.lookup)
        while block is not None and block.function is None:
            block = block.superblock
        return names.short(names.demangled(block.function)) if block is not None else caller.name

    def _jumps_of(self, function: int) -> list[tuple[int, int | None]]:
        if function not in self._jumps:
            self._jumps[function] = self._decode(function)
        return self._jumps[function]

    def _decode(self, function: int) -> list[tuple[int, int | None]]:
        """Jumps that leave a function: (address, target), target None where a register or memory decides. gdb knows all parts of a function, the
        cold one too; a jump through a switch's table, where it is marked as one, keeps to its function."""
        text = gdb.execute(f"disassemble {function:#x}", to_string=True)
        code = [(int(m[1], 16), m[2]) for m in _INSTRUCTION.finditer(text)]
        ranges = [(int(m[1], 16), int(m[2], 16)) for m in _RANGE.finditer(text)]
        if not ranges and code:
            ranges = [(code[0][0], code[-1][0] + 1)]
        leaving: list[tuple[int, int | None]] = []
        for at, instruction in code:
            match = _JUMP.match(instruction)
            if match and match[1]:
                leaving.append((at, None))
            elif match and match[2] and not any(begin <= int(match[2], 16) < end for begin, end in ranges):
                leaving.append((at, self._through_plt(int(match[2], 16))))
        return leaving

    def _entries_at(self, jump: int, full: str, evidence: str) -> list[Entry]:
        """The function that left and what was inlined in it at the jump, innermost first."""
        from .native import ELIDED, Entry

        def entry(name: str, text: str) -> Entry:
            return Entry(ELIDED, lookup=jump, full=name, name=names.short(name), confidence="elided", evidence=text)

        chain: list[Entry] = []
        block = gdb.block_for_pc(jump)
        while block is not None and not block.is_static and not block.is_global:
            function = block.function
            if function is not None:
                owner = block.superblock
                inlined = owner is not None and not owner.is_static and not owner.is_global
                text = f"inlined in {names.short(full)} at the jump by which it left" if inlined else evidence
                chain.append(entry(names.demangled(function) if inlined else full, text))
            block = block.superblock
        if not chain:  # A function that only the symbol table knows.
            chain.append(entry(full, evidence))
        sal = gdb.find_pc_line(jump)
        chain[0].file = sal.symtab.fullname() if sal.symtab else None
        chain[0].line = (sal.line or None) if sal.symtab else None
        return chain


def _physical_homes(entries: list[Entry]) -> list[Entry | None]:
    """For each entry the physical frame that it is part of."""
    homes: list[Entry | None] = []
    home: Entry | None = None
    for entry in reversed(entries):
        if entry.physical:
            home = entry
        homes.append(home)
    return homes[::-1]


def _own_inlines_elided(entries: list[Entry]) -> list[Entry]:
    """What gdb shows as inlined in a tail call's frame left with it."""
    owner: Entry | None = None
    for entry in reversed(entries):
        if entry.kind != "inlined":
            owner = entry
        elif owner is not None and owner.kind == "elided":
            entry.kind, entry.confidence = "elided", "elided"
            entry.evidence = f"inlined in {owner.name} at the jump by which it left"
    return entries
