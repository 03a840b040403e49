"""`callpath break class`: stops when a class statement of that name runs."""

from __future__ import annotations

from . import interpreter, stops, words
from .assemble import Trigger
from .errors import READ_ERRORS

_BODY = "-body"


class BreakClass(stops.NameCommand):
    """Stop when the class statement of that name is executed.

Usage: callpath break class NAME [FILE] [-body]

CPython builds every class in builtin___build_class__; the stop is at its
entry, before the body runs. It is an ordinary breakpoint: `info breakpoints`
lists it, `delete` takes it away.

  FILE       Only classes of this file: a path, or the last parts of one.
  -body      Stop when the body starts to run, a call of its own.
  -by-hand   Print the plain gdb commands that do the same.

Example: callpath break class Tensor torch/_tensor.py"""

    command, usage, options = "callpath break class", "callpath break class NAME [FILE] [-body] [-by-hand]", (_BODY,)

    def by_hand(self, name: str, file: str | None, options: set[str]) -> list[str]:
        return by_hand(name, file, _BODY in options)

    def go(self, name: str, file: str | None, options: set[str]) -> None:
        ClassStop(name, file, _BODY in options)


class ClassStop(stops.PythonStop):
    """builtin___build_class__(self, args: function of the body, name, bases...)."""

    def __init__(self, name: str, file: str | None, body: bool) -> None:
        super().__init__("builtin___build_class__", Trigger("class-build", f"class:{name}"))
        self._name, self._file = name, file
        self._body_stop = BodyStop(self.callpath_trigger, name) if body else None

    def matches(self) -> bool:
        reader = self.reader()
        args = stops.argument("args", "rsi")
        name = reader.memory.word(args + 8)
        if not reader.is_text(name, self._name):
            return False
        code = reader.at(reader.memory.word(args), "PyFunctionObject", "func_code")
        file = reader.text(reader.at(code, "PyCodeObject", "co_filename"))
        if self._file and not stops.same_file(file, self._file):
            return False
        if self._body_stop is not None:
            self._body_stop.wait_for(code)
            return False
        line = reader.memory.int32(code + reader.layout.offset("PyCodeObject", "co_firstlineno"))
        words.write(f"class {self._name}, {file}:{line}; its name is the str at {name:#x}\n{describe_body(reader, code)}\n")
        return True


class BodyStop(stops.PythonStop):
    """Waits for the evaluation that runs one code object; off until it is told which. A metaclass's __prepare__ may run before it."""

    def __init__(self, trigger: Trigger, name: str) -> None:
        super().__init__("_PyEval_EvalFrameDefault", trigger, internal=True)
        self.enabled = False
        self._code, self._name = 0, name

    def wait_for(self, code: int) -> None:
        self._code = code
        self.enabled = True

    def matches(self) -> bool:
        reader = self.reader()
        frame = stops.argument("frame", "rsi")
        if reader.at(frame, "_PyInterpreterFrame", reader.code_member) != self._code:
            return False
        self.enabled = False
        words.write(f"The body of class {self._name} starts.\n{describe_body(reader, self._code)}\n")
        return True


def describe_body(reader: stops.Reader, code: int) -> str:
    """The bytecode as memory holds it: where, how much, its first word."""
    try:
        start = code + reader.layout.offset("PyCodeObject", "co_code_adaptive")
        size = reader.memory.signed(code + reader.layout.offset("PyVarObject", "ob_size")) * 2
        return f"Its code object is at {code:#x}: {size} bytes of bytecode at {start:#x}, the first word {reader.memory.word(start):#018x}"
    except READ_ERRORS as error:
        return f"Its code object at {code:#x} cannot be read: {error}"


def by_hand(name: str, file: str | None, body: bool) -> list[str]:
    """The same with gdb's own breakpoints. args[1] is the class's name, args[0] the function of its body."""
    text = "(char *)((PyASCIIObject *) {} + 1)"
    condition = f"$_streq({text.format('args[1]')}, {words.quoted(name)})"
    if file:
        code_file = "((PyCodeObject *)((PyFunctionObject *) args[0])->func_code)->co_filename"
        condition += f" && $_regex({text.format(code_file)}, {words.quoted(words.file_pattern(file))})"
    commands = [f"break builtin___build_class__ if {condition}", "run", f"print {text.format('args[1]')}"]
    if body:
        commands += [
            "set $code = ((PyFunctionObject *) args[0])->func_code",
            f"tbreak _PyEval_EvalFrameDefault if {interpreter.by_hand_code('((_PyInterpreterFrame *) $rsi)')} == (PyCodeObject *) $code",
            "continue",
        ]
    return commands
