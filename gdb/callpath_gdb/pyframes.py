"""Python frames of a thread, read from CPython 3.11's structures: no call into the program, no GIL, no current thread state.

The thread is looked for by its kernel id, because code that runs without the GIL (every kernel of an engine) has no current thread state.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import READ_ERRORS
from .interpreter import Interpreter
from .pyobjects import Memory, Objects

_MOST_THREADS = 100_000
_MOST_FRAMES = 1_000_000
_OWNED_BY_GENERATOR = 1


@dataclass
class Code:
    """A code object's parts that naming and decoding need."""

    name: str
    qualname: str
    file: str
    first_line: int
    bytecode: bytes
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
    """Frames that one C evaluation runs, innermost first. `anchor` is that evaluation's _PyCFrame, a local of its C frame."""

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
            state = self._thread_state(native_thread_id)
        except READ_ERRORS as error:
            stack.notes.append(f"the interpreter's list of threads cannot be read: {error}")
            return stack
        if state is None:
            stack.notes.append("no Python thread state: Python has never seen this thread")
            return stack
        stack.found = True
        try:
            self._read_runs(state, stack)
        except READ_ERRORS as error:
            stack.notes.append(f"Python frames cannot be read any further outward: {error}")
        return stack

    def _thread_state(self, native_thread_id: int) -> int | None:
        """Address of the PyThreadState whose kernel thread this is, in any interpreter."""
        at, memory = self._layout.offset, self._memory
        interpreter = memory.word(self._python.runtime + at("_PyRuntimeState", "interpreters.head"))
        seen: set[int] = set()
        while interpreter and interpreter not in seen and len(seen) < _MOST_THREADS:
            seen.add(interpreter)
            state = memory.word(interpreter + at("PyInterpreterState", "threads.head"))
            while state and state not in seen and len(seen) < _MOST_THREADS:
                seen.add(state)
                if memory.word(state + at("PyThreadState", "native_thread_id")) == native_thread_id:
                    return state
                state = memory.word(state + at("PyThreadState", "next"))
            interpreter = memory.word(interpreter + at("PyInterpreterState", "next"))
        return None

    def _read_runs(self, state: int, stack: PythonStack) -> None:
        at, memory = self._layout.offset, self._memory
        root = state + at("PyThreadState", "root_cframe")
        cframe = memory.word(state + at("PyThreadState", "cframe"))
        seen: set[int] = set()
        while cframe and cframe != root:
            if cframe in seen:
                raise ValueError("the chain of C evaluations runs in a circle")
            seen.add(cframe)
            run = Run(cframe, [])
            stack.runs.append(run)
            self._read_run(memory.word(cframe + at("_PyCFrame", "current_frame")), run, stack)
            cframe = memory.word(cframe + at("_PyCFrame", "previous"))
        stack.runs = [run for run in stack.runs if run.frames]

    def _read_run(self, frame: int, run: Run, stack: PythonStack) -> None:
        """From the evaluation's current frame outward to the one it was entered with."""
        seen: set[int] = set()
        while frame:
            if frame in seen or len(seen) > _MOST_FRAMES:
                raise ValueError("the chain of Python frames runs in a circle")
            seen.add(frame)
            read, incomplete, previous = self._frame(frame)
            if incomplete:
                stack.notes.append(f"{read.code.qualname} is being entered")
            else:
                run.frames.append(read)
            if read.entry:
                return
            frame = previous

    def _frame(self, frame: int) -> tuple[PythonFrame, bool, int]:
        """The frame, whether it is incomplete (by the rule of CPython's own _PyFrame_IsIncomplete), and the next older one."""
        layout = self._layout
        data = self._memory.bytes(frame, layout.offset("_PyInterpreterFrame", "localsplus"))

        def word(member: str) -> int:
            start = layout.offset("_PyInterpreterFrame", member)
            return int.from_bytes(data[start : start + 8], "little")

        address = word("f_code")
        code = self._code(address)
        start = address + layout.offset("PyCodeObject", "co_code_adaptive")
        offset = word("prev_instr") - start
        if not -2 <= offset < max(len(code.bytecode), 1):
            raise ValueError(f"the frame of {code.qualname} at {frame:#x} stands outside its code")
        owner = data[layout.offset("_PyInterpreterFrame", "owner")]
        first = self._memory.int32(address + layout.offset("PyCodeObject", "_co_firsttraceable"))
        incomplete = owner != _OWNED_BY_GENERATOR and offset < first * 2
        entry = bool(data[layout.offset("_PyInterpreterFrame", "is_entry")])
        return PythonFrame(frame, code, offset if offset >= 0 else -1, entry), incomplete, word("previous")

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
        return Code(
            name=objects.string(member("co_name")),
            qualname=objects.string(member("co_qualname")),
            file=objects.string(member("co_filename")),
            first_line=memory.int32(address + at("PyCodeObject", "co_firstlineno")),
            bytecode=memory.bytes(address + at("PyCodeObject", "co_code_adaptive"), units * 2),
            line_table=objects.bytes(member("co_linetable")),
            names=[objects.string(item) for item in objects.tuple(member("co_names"))],
        )
