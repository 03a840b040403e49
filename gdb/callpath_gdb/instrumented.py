"""Opcodes that instrumentation (sys.settrace, sys.monitoring; from 3.12 on) has replaced: the real ones stand beside the code object."""

from __future__ import annotations

from . import opcode_tables
from .interpreter import Interpreter
from .pyobjects import Memory


def restored(raw: bytes, monitoring: int, python: Interpreter) -> bytes:
    """The bytecode as it was before INSTRUMENTED_LINE, and below it INSTRUMENTED_INSTRUCTION, were put in: only the real opcodes tell how long an
    instruction is."""
    if not monitoring:
        return raw
    layout, memory = python.layout, Memory()
    names, base, caches = opcode_tables.TABLES[python.minor]
    opcode_of = {name: opcode for opcode, name in names.items()}
    step = layout.size("_PyCoLineInstrumentationData")
    units = len(raw) // 2
    lines = memory.word(monitoring + layout.offset("_PyCoMonitoringData", "lines"))
    single = memory.word(monitoring + layout.offset("_PyCoMonitoringData", "per_instruction_opcodes"))
    line_opcodes = memory.bytes(lines, units * step) if lines else b""
    single_opcodes = memory.bytes(single, units) if single else b""
    code = bytearray(raw)
    unit = 0
    while unit < units:
        if line_opcodes and code[2 * unit] == opcode_of["INSTRUMENTED_LINE"]:
            code[2 * unit] = line_opcodes[unit * step]
        if single_opcodes and code[2 * unit] == opcode_of["INSTRUMENTED_INSTRUCTION"]:
            code[2 * unit] = single_opcodes[unit]
        opcode = code[2 * unit]
        unit += 1 + caches.get(base.get(opcode, opcode), 0)
    return bytes(code)
