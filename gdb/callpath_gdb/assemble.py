"""What gdb shows of a stopped thread, as a callpath/1 record that has not been annotated yet."""

from __future__ import annotations

import base64
import functools
import os
from dataclasses import dataclass

import gdb

from . import VERSION, facts, interpreter, lines, merge, names, native, pyframes, settings, values
from .errors import READ_ERRORS
from .modules import Modules, is_python
from .native import ELIDED, Entry


_RUNTIME_FRAMES_WITH_VALUES = 500  # a recursion has tens of thousands


@dataclass
class Trigger:
    """Why the program stands where it stands."""

    kind: str = "manual"
    spec: str = ""
    condition: str = ""

    def record(self) -> dict:
        return {"kind": self.kind, "spec": self.spec, "condition": self.condition}


def recording(trigger: Trigger, with_locals: bool = True) -> dict:
    """Record of the selected thread. Raises gdb.GdbError if there is nothing stopped to look at."""
    require_stopped_thread()
    selected = gdb.selected_frame()
    with settings.held(backtrace_past_main=True, print_demangle=True):
        gdb.newest_frame().select()  # facts and arguments name their frame; the disassembler wants one
        names.forget()
        try:
            return Assembler(with_locals).assemble(trigger)
        finally:
            if selected.is_valid():
                selected.select()


def require_stopped_thread() -> None:
    """Raises gdb.GdbError where there is nothing that can be looked at."""
    thread = gdb.selected_thread()
    if thread is None:
        raise gdb.GdbError("The program is not being run: start it and let it stop first (`break`, `run`).")
    if thread.is_running():
        raise gdb.GdbError("The selected thread is running: stop it first (`interrupt`).")
    name = gdb.selected_frame().architecture().name()
    if name != "i386:x86-64":
        raise gdb.GdbError(f"callpath knows x86-64 programs only; this one is {name}.")


class Assembler:
    def __init__(self, with_locals: bool) -> None:
        self._with_locals = with_locals
        self._modules = Modules()
        self._rules = facts.table()
        self._facts: list[dict] = []
        self._runtime: dict[int, bool] = {}
        self._excerpts: dict[tuple[str, int | None], dict | None] = {}
        self._python = interpreter.find()

    def assemble(self, trigger: Trigger) -> dict:
        thread = gdb.selected_thread()
        tid = thread.ptid[1] or thread.ptid[2]
        python = self._python_stack(tid)
        stack = native.walk(self._modules)
        merged = merge.by_address(stack.entries, python, cut=stack.cut)
        frames: list[dict] = []
        for item in merged.order:
            if isinstance(item, Entry):
                frames.append(self._native(item, len(frames)))
            else:
                frames.append(self._python_frame(*item))
        event = {
            "trigger": trigger.record(),
            "thread": {"tid": tid, "name": thread.name or "", "has_python": python.found, "note": "; ".join(python.notes + merged.notes)},
            "complete": stack.complete,
            "incomplete_reason": stack.reason,
            "frames": frames,
            "facts": self._facts,
        }
        return {
            "format": "callpath/1",
            "producer": {"name": "callpath", "version": VERSION, "route": "gdb"},
            "target": self._target(),
            "modules": [module.record() for module in self._modules.listed],
            "events": [event],
        }

    def _python_stack(self, tid: int) -> pyframes.PythonStack:
        if isinstance(self._python, interpreter.Absent):
            remedy = f" ({self._python.remedy})" if self._python.remedy else ""
            return pyframes.PythonStack(notes=[self._python.why + remedy])
        stack = pyframes.Reader(self._python).read(tid)
        if nameless := self._python.nameless:
            remedy = f" ({nameless.remedy})" if nameless.remedy else ""
            stack.notes.append(f"{nameless.why}{remedy}; Python frames are read by {self._python.layout.source}")
        return stack

    def _native(self, entry: Entry, index: int) -> dict:
        frame: dict = {"kind": entry.kind, "layer": "unknown", "name": entry.name, "full": entry.full or "??", "confidence": entry.confidence}
        if entry.kind != ELIDED:
            frame["number"] = entry.level
            frame["pc"] = None if entry.pc is None else hex(entry.pc)
        place = entry.lookup if entry.lookup is not None else entry.pc
        module = self._modules.find(place) if place else None
        if module is not None:
            frame["module"] = module
            if entry.kind != ELIDED and entry.pc is not None:
                frame["offset"] = hex(entry.pc - self._modules.listed[module].bias)
            if entry.confidence == "module":
                frame["full"] = f"{self._modules.listed[module].record()['name']}+{place - self._modules.listed[module].bias:#x}"
        if entry.file:
            frame["source"] = self._source(entry.file, entry.line)
        if entry.evidence:
            frame["evidence"] = entry.evidence
        self._add_missing(frame, entry, module)
        if entry.gdb_frame is not None and entry.kind != ELIDED:
            self._add_values(frame, entry, index, module)
        return frame

    def _add_missing(self, frame: dict, entry: Entry, module: int | None) -> None:
        if entry.problems:
            frame["missing"] = {"what": "gdb could not read all of this frame: " + "; ".join(entry.problems), "remedy": ""}
        elif module is not None and entry.confidence in ("symbol", "module"):
            listed = self._modules.listed[module]
            if listed.debug != "full":
                frame["missing"] = {"what": f"{listed.record()['name']} has no debug information", "remedy": listed.advice}

    def _add_values(self, frame: dict, entry: Entry, index: int, module: int | None) -> None:
        """Arguments everywhere (of the interpreter's frames, of the innermost few hundred), locals outside the interpreter and libc (theirs teach
        nothing here), and the facts that the table asks for."""
        try:
            own = module is not None and not self._is_runtime(module)
            if not own and index >= _RUNTIME_FRAMES_WITH_VALUES:
                return
            frame["arguments"], frame["locals"] = values.arguments_and_locals(entry.gdb_frame, self._with_locals and own)
            self._facts.extend(facts.read(self._rules, entry.full, entry.gdb_frame, index))
        except READ_ERRORS as error:
            frame.setdefault("missing", {"what": f"gdb could not read the values of this frame: {error}", "remedy": ""})

    def _is_runtime(self, module: int) -> bool:
        if module not in self._runtime:
            path = self._modules.listed[module].path
            self._runtime[module] = is_python(path) or path.rsplit("/", 1)[-1].startswith(("libc.so", "libc-", "ld-linux", "libpthread"))
        return self._runtime[module]

    def _source(self, file: str, line: int | None) -> dict:
        if file.startswith("/"):
            file = os.path.normpath(file)
        source: dict = {"file": file, "line": line}
        if (file, line) not in self._excerpts:
            self._excerpts[file, line] = lines.excerpt(file, line)
        if self._excerpts[file, line]:
            source["excerpt"] = self._excerpts[file, line]
        return source

    def _python_frame(self, home: Entry | None, frame: pyframes.PythonFrame) -> dict:
        code = frame.code
        line = lines.line_at(code.line_table, code.first_line, max(frame.instruction_offset, 0))
        file = code.file if code.file.startswith("<") else os.path.abspath(code.file)
        return {
            "number": home.level if home else None,
            "kind": "python",
            "layer": "unknown",
            "name": code.name,
            "full": code.qualname,
            "source": self._source(file, line),
            "confidence": "exact",
            "python": {
                "qualname": code.qualname,
                "first_line": code.first_line,
                "code": {
                    "bytecode": base64.b64encode(code.bytecode).decode("ascii"),
                    "line_table": base64.b64encode(code.line_table).decode("ascii"),
                    "first_line": code.first_line,
                    "names": code.names,
                    "instruction_offset": frame.instruction_offset,
                    "hex_version": self._python.hex_version if isinstance(self._python, interpreter.Interpreter) else 0,
                },
            },
        }

    def _target(self) -> dict:
        pid = gdb.selected_inferior().pid
        program = gdb.current_progspace().filename or ""
        found = self._python if isinstance(self._python, interpreter.Interpreter) else None
        return {
            "argv": _command_line(pid) or [program],
            "executable": os.path.realpath(program) if program else "",
            "python_version": found.version if found else "",
            "python_build": found.build if found else "",
            "cpu": _cpu(),
        }


def _command_line(pid: int) -> list[str]:
    """argv of a live process; empty for a core file."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [part.decode("utf-8", "backslashreplace") for part in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


@functools.lru_cache(maxsize=1)
def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return ""
