"""`callpath pdb`: where the program stands that waits at a pdb prompt, in Python and in C."""

from __future__ import annotations

import gdb

from . import assemble, interpreter, lines, pyframes, words
from .describe import Describer
from .errors import READ_ERRORS

_PDB = ("/pdb.py", "/bdb.py", "/cmd.py")
_ONLY_FOR_PDB = ("call_trampoline", "trace_trampoline", "call_trace", "call_trace_protected", "maybe_call_line_trace", "sys_trace_", "call_one_instrument",
                 "call_instrumentation_vector", "_Py_call_instrumentation", "_Py_Instrumentation", "do_trace")  # fmt: skip
_OUTERMOST = ("builtin___build_class__",)
_INNERMOST = "PyOS_Readline"


class Pdb(gdb.Command):
    """Say where a program stands that waits at a pdb prompt.

Usage: callpath pdb

Stop it with Ctrl+C first. Shows where pdb stands in Python, outward to the
module, with the function that is being decorated if that is what runs; and
the C frames from PyOS_Readline to builtin___build_class__ (else to the
start). Frames that exist only because pdb traces are marked.

  -by-hand   Print the plain gdb commands that show the same."""

    usage = "callpath pdb [-by-hand]"

    def __init__(self) -> None:
        super().__init__("callpath pdb", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        given = words.split(argument, self.usage)
        assemble.require_stopped_thread()
        frames = _native()
        first = next((i for i, frame in enumerate(frames) if frame.name() == _INNERMOST), None)
        if first is None:
            raise gdb.GdbError("The program does not wait for a line at a prompt: run it until (Pdb) shows, then press Ctrl+C.")
        last = next((i for i in range(first, len(frames)) if (frames[i].name() or "").startswith(_OUTERMOST)), len(frames) - 1)
        if given.by_hand:
            words.show(["backtrace -frame-arguments none", f"frame {frames[last].level()}", "info args", f"frame {frames[first].level()}", "info args"])
            return
        words.write("\n".join([*_python(), "", *_c_frames(frames[first : last + 1])]) + "\n")

    def complete(self, text: str, word: str) -> object:
        return words.completed(text)


def _native() -> list[gdb.Frame]:
    found: list[gdb.Frame] = []
    frame: gdb.Frame | None = gdb.newest_frame()
    while frame is not None:
        found.append(frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def _python() -> list[str]:
    found = interpreter.find()
    if isinstance(found, interpreter.Absent):
        return [f"No Python frames: {found.why}." + (f" To mend it: {found.remedy}" if found.remedy else "")]
    thread = gdb.selected_thread()
    stack = pyframes.Reader(found).read(thread.ptid[1] or thread.ptid[2])
    frames = [frame for run in stack.runs for frame in run.frames]
    pdbs = [i for i, frame in enumerate(frames) if frame.code.file.endswith(_PDB)]
    if not pdbs:
        return ["No frame of pdb's is on this thread: another program reads this line. Its Python frames:", *map(_row, frames)]
    shown = [frame for frame in frames[pdbs[-1] + 1 :] if not frame.code.file.startswith("<frozen")]
    if not shown:
        return ["pdb stands outside every function."]
    rows = ["pdb stands here, called first at the bottom:", *map(_row, shown)]
    decorated = _decorated(shown[0], Describer(found.layout), found)
    return [*rows, f"It is given {decorated}: that is what is being decorated."] if decorated else rows


def _row(frame: pyframes.PythonFrame) -> str:
    code = frame.code
    line = lines.line_at(code.line_table, code.first_line, max(frame.instruction_offset, 0))
    source = lines.excerpt(code.file, line, 0)
    return f"  {code.file}({line}){code.qualname}" + (f"\n    -> {source['lines'][0].strip()}" if source else "")


def _decorated(frame: pyframes.PythonFrame, describer: Describer, found: interpreter.Interpreter) -> str:
    """The first local of the function where pdb stands, if it is a function or a method of C."""
    from .pyobjects import Memory

    try:
        first = Memory().word(frame.address + found.layout.offset("_PyInterpreterFrame", "localsplus"))
        if frame.code.name == "<module>" or not first:
            return ""
        if describer.type_name(first) == "cell":  # an inner function uses it, as a decorator's does
            first = Memory().word(first + found.layout.offset("PyCellObject", "ob_ref"))
        kind = describer.type_name(first)
        return describer.text(first) if kind in ("function", "method_descriptor", "builtin_function_or_method", "wrapper_descriptor") else ""
    except READ_ERRORS:
        return ""


def _c_frames(frames: list[gdb.Frame]) -> list[str]:
    out, traced = [], 0
    for frame in frames:
        name = frame.name() or "??"
        sal = frame.find_sal()
        place = f" at {sal.symtab.filename.rsplit('/', 1)[-1]}:{sal.line}" if sal.symtab else ""
        only = name.startswith(_ONLY_FOR_PDB)
        traced += only
        out.append(f"#{frame.level():<3} {name}{place}" + ("   (only because pdb traces)" if only else ""))
    if traced:
        out.append(f"{traced} of these frames exist only because pdb traces: without it the same line runs without them.")
    return out
