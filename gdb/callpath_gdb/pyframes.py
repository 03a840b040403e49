"""Python frames of a thread, read from CPython's structures (3.11 to 3.13): no call into the program, no GIL, no current thread state.

The thread is looked for by its kernel id, because code that runs without the GIL (every kernel of an engine) has no current thread state. What ties
frames to the C evaluation that runs them is a C local of it: in 3.11 a _PyCFrame, later a frame without code, owned by the C stack.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import instrumented
from .errors import READ_ERRORS
from .interpreter import Interpreter
from .pyobjects import Memory, Objects

_MOST_THREADS = 100_000
_MOST_FRAMES = 1_000_000
_OWNED_BY_GENERATOR, _OWNED_BY_C_STACK = 1, 3


@dataclass
class Code:
    """A code object's parts that naming and decoding need."""

    name: str
    qualname: str
    file: str
    first_line: int
    bytecode: bytes  # the program's own opcodes, where instrumentation has replaced some
    raw: bytes  # as it stands in memory
    line_table: bytes
    names: list[str]


@dataclass
class PythonFrame:
    address: int
    code: Code
    instruction_offset: int  # bytes from the start of the bytecode; -1 before the first instruction
    entry: bool  # run directly by a new C evaluation


@dataclass
class Run:
    """Frames that one C evaluation runs, innermost first. `anchor` is a local of its C frame: its _PyCFrame (3.11), its shim frame (later)."""

    anchor: int
    frames: list[PythonFrame]


@dataclass
class PythonStack:
    found: bool = False
    notes: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)


class Reader:
    def __init__(self, python: Interpreter) -> None:
        self._python = python
        self._layout = python.layout
        self._memory = Memory()
        self._objects = Objects(self._memory, python.layout)
        self._codes: dict[int, Code] = {}

    def read(self, native_thread_id: int) -> PythonStack:
        """All runs of the thread, innermost first. What cannot be read ends the walk there with a note; what was read is kept."""
        stack = PythonStack()
        try:
            states = self._thread_states(native_thread_id)
        except READ_ERRORS as error:
            stack.notes.append(f"the interpreter's list of threads cannot be read: {error}")
            return stack
        if not states:
            stack.notes.append("no Python thread state: Python has never seen this thread")
            return stack
        stack.found = True
        read_runs = self._read_runs if self._python.minor == 11 else self._read_runs_by_shim
        for state in states:
            try:
                read_runs(state, stack)
            except READ_ERRORS as error:
                stack.notes.append(f"Python frames cannot be read any further outward: {error}")
        stack.runs = [run for run in stack.runs if run.frames]
        if len(states) > 1:  # anchors lie on one C stack: their order is the order of calls, across interpreters too
            stack.runs.sort(key=lambda run: run.anchor)
        return stack

    def _thread_states(self, native_thread_id: int) -> list[int]:
        """Addresses of the PyThreadStates whose kernel thread this is: one in each interpreter that it has entered."""
        at, memory = self._layout.offset, self._memory
        found: list[int] = []
        interpreter = memory.word(self._python.runtime + at("_PyRuntimeState", "interpreters.head"))
        seen: set[int] = set()
        while interpreter and interpreter not in seen and len(seen) < _MOST_THREADS:
            seen.add(interpreter)
            state = memory.word(interpreter + at("PyInterpreterState", "threads.head"))
            while state and state not in seen and len(seen) < _MOST_THREADS:
                seen.add(state)
                if memory.word(state + at("PyThreadState", "native_thread_id")) == native_thread_id:
                    found.append(state)
                    break
                state = memory.word(state + at("PyThreadState", "next"))
            interpreter = memory.word(interpreter + at("PyInterpreterState", "next"))
        return found

    def _read_runs(self, state: int, stack: PythonStack) -> None:
        at, memory = self._layout.offset, self._memory
        cframe = memory.word(state + at("PyThreadState", "cframe"))
        seen: set[int] = set()
        while cframe and (outer := memory.word(cframe + at("_PyCFrame", "previous"))):  # the outermost one belongs to the thread state and runs nothing
            if cframe in seen:
                raise ValueError("the chain of C evaluations runs in a circle")
            seen.add(cframe)
            run = Run(cframe, [])
            stack.runs.append(run)
            self._read_run(memory.word(cframe + at("_PyCFrame", "current_frame")), run, stack)
            cframe = outer

    def _read_runs_by_shim(self, state: int, stack: PythonStack) -> None:
        """One chain through the thread; each evaluation's frames end with its shim. A shim may be the newest frame: then its evaluation is just
        starting or ending and runs nothing."""
        layout, memory = self._layout, self._memory
        if self._python.minor >= 13:
            frame = memory.word(state + layout.offset("PyThreadState", "current_frame"))
        else:
            frame = memory.word(memory.word(state + layout.offset("PyThreadState", "cframe")) + layout.offset("_PyCFrame", "current_frame"))
        seen: set[int] = set()
        run = Run(0, [])
        stack.runs.append(run)
        while frame:
            if frame in seen or len(seen) > _MOST_FRAMES:
                raise ValueError("the chain of Python frames runs in a circle")
            seen.add(frame)
            data = memory.bytes(frame, layout.offset("_PyInterpreterFrame", "localsplus"))
            if data[layout.offset("_PyInterpreterFrame", "owner")] == _OWNED_BY_C_STACK:
                if run.frames:
                    run.frames[-1].entry = True
                run.anchor = frame
                run = Run(0, [])
                stack.runs.append(run)
            else:
                self._add(frame, data, run, stack)
            frame = self._word(data, "previous")
        if run.frames:
            stack.notes.append("the outermost Python frames belong to no evaluation")

    def _read_run(self, frame: int, run: Run, stack: PythonStack) -> None:
        """From the evaluation's current frame outward to the one it was entered with."""
        seen: set[int] = set()
        while frame:
            if frame in seen or len(seen) > _MOST_FRAMES:
                raise ValueError("the chain of Python frames runs in a circle")
            seen.add(frame)
            data = self._memory.bytes(frame, self._layout.offset("_PyInterpreterFrame", "localsplus"))
            self._add(frame, data, run, stack)
            if data[self._layout.offset("_PyInterpreterFrame", "is_entry")]:
                if run.frames:
                    run.frames[-1].entry = True
                return
            frame = self._word(data, "previous")

    def _word(self, data: bytes, member: str) -> int:
        start = self._layout.offset("_PyInterpreterFrame", member)
        return int.from_bytes(data[start : start + 8], "little")

    def _add(self, frame: int, data: bytes, run: Run, stack: PythonStack) -> None:
        """The frame, unless it is incomplete by the rule of CPython's own _PyFrame_IsIncomplete."""
        layout = self._layout
        address = self._word(data, self._python.code_member)
        code = self._code(address)
        start = address + layout.offset("PyCodeObject", "co_code_adaptive")
        offset = self._word(data, self._python.instruction_member) - start
        if not -2 <= offset < max(len(code.bytecode), 1):
            raise ValueError(f"the frame of {code.qualname} at {frame:#x} stands outside its code")
        owner = data[layout.offset("_PyInterpreterFrame", "owner")]
        first = self._memory.int32(address + layout.offset("PyCodeObject", "_co_firsttraceable"))
        if owner != _OWNED_BY_GENERATOR and offset < first * 2:
            stack.notes.append(f"{code.qualname} is being entered")
        else:
            run.frames.append(PythonFrame(frame, code, offset if offset >= 0 else -1, entry=False))

    def _code(self, address: int) -> Code:
        if address not in self._codes:
            self._codes[address] = self._read_code(address)
        return self._codes[address]

    def _read_code(self, address: int) -> Code:
        at, memory, objects = self._layout.offset, self._memory, self._objects

        def member(name: str) -> int:
            return memory.word(address + at("PyCodeObject", name))

        units = memory.signed(address + at("PyVarObject", "ob_size"))
        if not 0 < units < 1 << 24:
            raise ValueError(f"what should be a code object at {address:#x} claims {units} instructions")
        raw = memory.bytes(address + at("PyCodeObject", "co_code_adaptive"), units * 2)
        return Code(
            name=objects.string(member("co_name")),
            qualname=objects.string(member("co_qualname")),
            file=objects.string(member("co_filename")),
            first_line=memory.int32(address + at("PyCodeObject", "co_firstlineno")),
            bytecode=instrumented.restored(raw, member("_co_monitoring"), self._python) if self._python.minor >= 12 else raw,
            raw=raw,
            line_table=objects.bytes(member("co_linetable")),
            names=[objects.string(item) for item in objects.tuple(member("co_names"))],
        )
