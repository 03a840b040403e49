"""What walkthroughs' drives share: start the program under gdb in batch, run it to a stop, record, leave with the exit code that says how it went.

The contract with whoever starts gdb is walkthroughs/README.md.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

import gdb

RECORDED, FAILED, NOT_REACHED = 0, 1, 3
_OWN_VARIABLES = ("CALLPATH_OUT", "CALLPATH_PYTHON", "CALLPATH_SCRIPT", "CALLPATH_CONDITION", "CALLPATH_PROGRAM_ENV", "CALLPATH_BIN", "CALLPATH_WALK", "CALLPATH_VARIANT")


class NotReached(Exception):
    """The program ended, or cannot go on, before the stop."""


@dataclass
class Inputs:
    out: str
    python: str
    script: str
    condition: str
    environment: dict[str, str | None] = field(default_factory=dict)


def main(drive: Callable[[Inputs], None], script: str, condition: str) -> None:
    """Runs a drive and ends gdb. `drive` returns when the record is written, raises gdb.GdbError for what a user can mend, NotReached for a missed stop."""
    code = FAILED
    try:
        _quiet()
        drive(_inputs(script, condition))
        code = RECORDED
    except NotReached as missed:
        code = NOT_REACHED
        say(str(missed))
    except (gdb.GdbError, gdb.error) as error:
        say(str(error))
    except KeyboardInterrupt:
        say("interrupted")
    except Exception:  # a fault of ours: say where, so that it can be reported
        say("this is a fault of callpath's gdb scripts:\n" + traceback.format_exc())
    gdb.execute(f"quit {code}")


def say(text: str) -> None:
    """Past gdb's own streams, which are silenced."""
    for line in text.rstrip().splitlines():
        os.write(2, f"callpath: {line}\n".encode("utf-8", "backslashreplace"))


def _quiet() -> None:
    """Nothing may ask a question, wait for the network or page; nothing of the user's is loaded but thread support."""
    for setting in (
        "confirm off",
        "pagination off",
        "debuginfod enabled off",
        "breakpoint pending on",
        "auto-load python-scripts off",
        "auto-load gdb-scripts off",
        "auto-load local-gdbinit off",
        "host-charset UTF-8",
        "style enabled off",
        "print thread-events off",
        "print inferior-events off",
        "startup-with-shell on",
        "disable-randomization on",
        "follow-fork-mode parent",
        "detach-on-fork on",
        "logging file /dev/null",
        "logging redirect on",
        "logging enabled on",  # what gdb remarks goes nowhere: standard output is the program's
    ):
        try:
            gdb.execute(f"set {setting}", to_string=True)
        except gdb.error:
            continue  # a gdb that does not know the setting does not do what it stops
    os.environ["SHELL"] = "/bin/sh"  # gdb starts programs through it; a user's may not speak sh


def _inputs(script: str, condition: str) -> Inputs:
    read = os.environ.get
    out = read("CALLPATH_OUT")
    if not out:
        raise gdb.GdbError("CALLPATH_OUT is not set: it names the record to write. See walkthroughs/README.md.")
    inputs = Inputs(
        out=os.path.abspath(out),
        python=read("CALLPATH_PYTHON") or "/usr/bin/python3",
        script=os.path.abspath(read("CALLPATH_SCRIPT") or script),
        condition=os.environ.get("CALLPATH_CONDITION", condition).strip(),
        environment=_program_environment(read("CALLPATH_PROGRAM_ENV") or "{}"),
    )
    if not os.path.isfile(inputs.script):
        raise gdb.GdbError(f"The program {inputs.script} does not exist.")
    return inputs


def _program_environment(text: str) -> dict[str, str | None]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise gdb.GdbError(f"CALLPATH_PROGRAM_ENV is not JSON: {error}") from None
    if not isinstance(given, dict) or not all(value is None or isinstance(value, str) for value in given.values()):
        raise gdb.GdbError('CALLPATH_PROGRAM_ENV must be an object of strings and nulls: {"PYTHONPATH": "..."}')
    for name, value in given.items():
        if not name or "=" in name or any(c.isspace() for c in name) or "\n" in (value or ""):
            raise gdb.GdbError(f"CALLPATH_PROGRAM_ENV: gdb cannot set the variable {name!r}")
    return given


def load(inputs: Inputs, options: list[str] | None = None) -> None:
    """`options` are the interpreter's. Reads the interpreter's symbols and prepares how it is started. Says what is missing before anything runs."""
    python = real_interpreter(inputs.python)
    gdb.execute(f"file {_quoted(python)}", to_string=True)
    _require_symbols()
    gdb.execute(f"set args {shlex.join([*(options or []), inputs.script])}", to_string=True)
    for name in (*_OWN_VARIABLES, "LINES", "COLUMNS"):
        gdb.execute(f"unset environment {name}", to_string=True)
    for name, value in _with_packages(inputs.environment).items():
        gdb.execute(f"unset environment {name}" if value is None else f"set environment {name} = {value}", to_string=True)


def real_interpreter(python: str) -> str:
    """The ELF file behind an interpreter's name. Version managers put shell scripts on PATH, which gdb cannot run."""
    if not os.path.isfile(python):
        raise gdb.GdbError(f"There is no Python interpreter {python}.")
    if _is_elf(python):
        return os.path.abspath(python)
    try:
        asked = subprocess.run([python, "-I", "-c", "import sys; print(sys.executable)"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise gdb.GdbError(f"{python} is a script that does not run: {error}") from None
    found = asked.stdout.strip()
    if asked.returncode or not os.path.isfile(found) or not _is_elf(found):
        raise gdb.GdbError(f"{python} is a script and does not say which interpreter it starts. Give the interpreter's own path.")
    return found


def _is_elf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError as error:
        raise gdb.GdbError(f"{path} cannot be read: {error.strerror}") from None


def _require_symbols() -> None:
    """Only where the interpreter is the program itself: a shared libpython is not loaded yet."""
    from . import interpreter

    found = interpreter.without_names()
    if found is not None and interpreter.in_program():
        raise gdb.GdbError(f"{found.why}." + (f" To mend it: {found.remedy}" if found.remedy else ""))


def _with_packages(environment: dict[str, str | None]) -> dict[str, str | None]:
    """The engine's packages, if the caller says nothing of PYTHONPATH."""
    from . import pipeline

    if "PYTHONPATH" in environment:
        return environment
    top = os.path.dirname(os.path.dirname(pipeline.binary()))
    places = [p for p in (os.path.join(top, "python"), os.path.join(top, "lib/callpath/python")) if os.path.isdir(p)]
    return {**environment, "PYTHONPATH": places[0]} if places else environment


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


_to_make: list[Callable[[], None]] = []


def _silently(make: Callable[[], None]) -> None:
    """gdb says of a pending breakpoint that its function is not defined; only a command's messages can be taken away."""
    _to_make.append(make)
    gdb.execute("python import callpath_gdb.launch; callpath_gdb.launch._to_make.pop()()", to_string=True)


class Stop(gdb.Breakpoint):
    """A silent breakpoint, pending if nothing of that name is loaded yet, whose condition is decided in the function's own frame.

    gdb's own conditions will not do: where one cannot be evaluated gdb switches the location off with a warning that nobody sees, and without one
    it also stops on the way in, at the PLT entry. What kept a hit from being a stop is in `problem`.
    """

    def __init__(self, place: str, condition: str = "") -> None:
        _silently(lambda: super(Stop, self).__init__(place, internal=True))
        self.silent = True
        self.problem = ""
        self._condition = condition

    def stop(self) -> bool:
        frame = gdb.selected_frame()
        if frame.function() is None:
            if not (frame.name() or "").endswith("@plt"):
                self.problem = f"{frame.name()} was reached, but has no debug information: rebuild it with -g."
            return False
        try:
            return not self._condition or bool(gdb.parse_and_eval(self._condition))
        except gdb.error as error:
            self.problem = f"The condition {self._condition} cannot be decided in {frame.name()}: {error}"
            return False


def run() -> None:
    """Starts the program and lets it run to the next stop. Raises NotReached if there is none."""
    _go("run")


def resume() -> None:
    """Lets the program run on to the next stop. Raises NotReached if there is none."""
    _go("continue")


def _go(command: str) -> None:
    stops: list[gdb.StopEvent] = []
    gdb.events.stop.connect(stops.append)
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.events.stop.disconnect(stops.append)
    if gdb.selected_inferior().pid == 0:
        code = gdb.convenience_variable("_exitcode")
        how = f"with exit status {int(code)}" if code is not None else "by a signal"
        raise NotReached(f"The program ended {how} before it reached the stop.")
    if stops and isinstance(stops[-1], gdb.SignalEvent):
        raise NotReached(f"The program received {stops[-1].stop_signal} before it reached the stop.")
