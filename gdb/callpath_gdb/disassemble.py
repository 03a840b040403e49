"""`callpath disassemble`: a Python frame's bytecode as memory holds it."""

from __future__ import annotations

import gdb

from . import assemble, interpreter, lines, opcode_tables, pyframes, words

_WITH_NAMES = ("LOAD_NAME", "STORE_NAME", "DELETE_NAME", "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_METHOD", "IMPORT_NAME", "IMPORT_FROM",
               "LOAD_SUPER_ATTR", "LOAD_FROM_DICT_OR_GLOBALS")  # fmt: skip
_FLAG_BITS = {"LOAD_GLOBAL": 1, "LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2}  # below the name's number, from 3.12 on


class Disassemble(gdb.Command):
    """Show a Python frame's bytecode and its place in it.

Usage: callpath disassemble [NAME]

The innermost Python frame, or the innermost one of the function NAME. Each
row: offset, address, the two bytes in memory (what `x/hx` shows), the
instruction; one that runs specialised has its base opcode beside it, inline
caches follow their instruction. => is the instruction it stands at.

  -by-hand   Print the plain gdb commands that show the raw words.

Example: callpath disassemble wrapped"""

    usage = "callpath disassemble [NAME] [-by-hand]"

    def __init__(self) -> None:
        super().__init__("callpath disassemble", gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        given = words.split(argument, self.usage, most=1)
        assemble.require_stopped_thread()
        frame, found = _frame(given.at(0))
        if given.by_hand:
            words.show(by_hand(frame))
            return
        words.write(listing(frame, found) + "\n")

    def complete(self, text: str, word: str) -> object:
        return words.completed(text)


def _frame(name: str | None) -> tuple[pyframes.PythonFrame, interpreter.Interpreter]:
    found = interpreter.find()
    if isinstance(found, interpreter.Absent):
        raise gdb.GdbError(f"No Python frames: {found.why}." + (f" To mend it: {found.remedy}" if found.remedy else ""))
    thread = gdb.selected_thread()
    stack = pyframes.Reader(found).read(thread.ptid[1] or thread.ptid[2])
    frames = [frame for run in stack.runs for frame in run.frames]
    chosen = next((f for f in frames if name is None or name in (f.code.name, f.code.qualname)), None)
    if chosen is None:
        known = ", ".join(dict.fromkeys(f.code.qualname for f in frames)) or "none"
        raise gdb.GdbError((f"No Python frame runs {name}" if name else "This thread has no Python frame") + f"; on this thread: {known}.")
    return chosen, found


def listing(frame: pyframes.PythonFrame, found: interpreter.Interpreter) -> str:
    code = frame.code
    start = code_start(frame, found)
    out = [f"{code.qualname}, {code.file}:{code.first_line}: {len(code.bytecode)} bytes at {start:#x}"]
    names, base_of, caches = opcode_tables.TABLES[found.hex_version >> 16 & 0xFF]
    offset, extended, line_before = 0, 0, None
    while offset + 1 < len(code.bytecode):
        opcode, low = code.bytecode[offset], code.bytecode[offset + 1]
        argument = extended << 8 | low
        base = base_of.get(opcode, opcode)
        line = lines.line_at(code.line_table, code.first_line, offset)
        after = offset + 2 + 2 * caches.get(base, 0)
        mark = "=>" if offset <= frame.instruction_offset < after else "  "
        shown = f"{line if line is not None and line != line_before else '':>5} {mark} {offset:>4}  {start + offset:#x}  {_unit(code.raw, offset)}  {_text(code, names, base, opcode, argument, found)}{_instrumented(code, names, offset)}"
        out.append(shown.rstrip())
        line_before = line
        extended = argument if names.get(base) == "EXTENDED_ARG" else 0
        offset += 2
        for _ in range(caches.get(base, 0)):
            out.append(f"{'':>5}    {offset:>4}  {start + offset:#x}  {_unit(code.raw, offset)}    cache")
            offset += 2
    return "\n".join(out)


def _unit(bytecode: bytes, offset: int) -> str:
    """As `x/hx` shows it: little end first in memory, so the opcode is the low byte."""
    return f"0x{int.from_bytes(bytecode[offset : offset + 2], 'little'):04x}"


def _text(code: pyframes.Code, names: dict[int, str], base: int, opcode: int, argument: int, found: interpreter.Interpreter) -> str:
    name, base_name = names.get(opcode, f"<{opcode}>"), names.get(base, f"<{base}>")
    text = f"{name} {argument}"
    index = argument
    index >>= _FLAG_BITS.get(base_name, 0) if found.minor >= 12 else base_name == "LOAD_GLOBAL"
    if base_name in _WITH_NAMES and index < len(code.names):
        text += f" ({code.names[index]})"
    return text if opcode == base else f"{text}   {'instruments' if name.startswith('INSTRUMENTED_') else 'specialises'} {base_name}"


def _instrumented(code: pyframes.Code, names: dict[int, str], offset: int) -> str:
    """Which opcode stands in memory in the instruction's stead."""
    return "" if code.raw[offset] == code.bytecode[offset] else f"   under {names.get(code.raw[offset])}"


def code_start(frame: pyframes.PythonFrame, found: interpreter.Interpreter) -> int:
    from .pyobjects import Memory

    memory, layout = Memory(), found.layout
    code = memory.word(frame.address + layout.offset("_PyInterpreterFrame", found.code_member))
    return code + layout.offset("PyCodeObject", "co_code_adaptive")


def by_hand(frame: pyframes.PythonFrame) -> list[str]:
    units, code = len(frame.code.bytecode) // 2, interpreter.by_hand_code("$f")
    return [
        f"set $f = (_PyInterpreterFrame *) {frame.address:#x}",
        f"x/{units}hx {code}->co_code_adaptive",
        f"print (char *) {interpreter.by_hand_instruction('$f')} - (char *) {code}->co_code_adaptive",
    ]
