"""The commands that `source gdb/load.py` gives. Docstrings are gdb's help."""

from __future__ import annotations

import json
import os
import re

import gdb

from . import assemble, atpdb, classes, compiles, disassemble, framefilter, frames, inspect, interpreter, kernels, lesson, pipeline, stage, triggers, watchcode, words


class Callpath(gdb.Command):
    """From a line of Python to the C++ that does its work: one path of all frames.

Usage: callpath bt [-full] [LIMIT]
       callpath frame [N], callpath up, callpath down
       callpath break class|compile NAME [FILE]
       callpath break kernel OP [if COND]
       callpath watch code NAME [FILE]
       callpath disassemble [NAME], callpath inspect EXPR, callpath pdb
       callpath record FILE
       callpath lesson NN, then callpath next, answer N, again

gdb's own `bt` shows Python functions too and indents CPython's machinery
below them; `bt -hide` leaves it out; `disable frame-filter global callpath`
gives back the bare one.

Memory of the stopped program is read; nothing in it is called. Every command
but those of lessons takes -by-hand: it prints the plain gdb commands that do
the same."""

    def __init__(self) -> None:
        super().__init__("callpath", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, prefix=True)


class Break(gdb.Command):
    """Stop where a name is built, compiled or computed.

Usage: callpath break class NAME [FILE] [-body]
       callpath break compile NAME [FILE]
       callpath break kernel OP [if COND]"""

    def __init__(self) -> None:
        super().__init__("callpath break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_NONE, prefix=True)


class Watch(gdb.Command):
    """Stop when memory of Python's own gets its content.

Usage: callpath watch code NAME [FILE]"""

    def __init__(self) -> None:
        super().__init__("callpath watch", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_NONE, prefix=True)


class Backtrace(gdb.Command):
    """Print Python and native frames of this thread as one path.

Usage: callpath bt [-full] [LIMIT]

Numbers are those of `bt`, #0 first; a Python frame has the number of the
evaluation frame that runs it. Runs of CPython's machinery are folded.

  -full   Every frame on a line of its own, nothing folded.
  LIMIT   Only the LIMIT innermost frames.

  -by-hand   Print the plain gdb commands that show the same.

Example: callpath bt -full 10"""

    def __init__(self) -> None:
        super().__init__("callpath bt", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        full, limit, by_hand = _bt_arguments(argument)
        assemble.require_stopped_thread()
        if by_hand:
            words.show(_bt_by_hand(full, limit))
            return
        pipeline.binary()
        _warn_without_python()
        record = json.dumps(assemble.recording(triggers.last(), with_locals=full))
        text = _rendered(record, ["--annotate", *(["--full"] if full else [])], from_tty)
        words.write(text if limit is None else _innermost(text, limit))

    def complete(self, text: str, word: str) -> object:
        return words.completed(text, ("-full",))


class Record(gdb.Command):
    """Write the path of the selected thread to a file.

Usage: callpath record FILE

The file is a callpath/1 record, the same that `callpath run` writes and
`callpath report` shows. It is written whole or not at all.

Example: callpath record /tmp/pow.json"""

    def __init__(self) -> None:
        super().__init__("callpath record", gdb.COMMAND_STACK, gdb.COMPLETE_FILENAME)

    def invoke(self, argument: str, from_tty: bool) -> None:
        if argument.split()[-1:] == [words.BY_HAND]:
            words.show(_record_by_hand(argument.rpartition(words.BY_HAND)[0]))
            return
        path = _file_argument(argument)
        assemble.require_stopped_thread()
        _warn_without_python()
        write_record(path, triggers.last())
        words.write(f"Wrote {path}\n")


def write_record(path: str, trigger: assemble.Trigger) -> None:
    """Records the selected thread into a file. Raises gdb.GdbError; then the file is as it was."""
    pipeline.check_writable(path)
    pipeline.binary()
    pipeline.write_whole(path, pipeline.annotated(assemble.recording(trigger)))


def _bt_arguments(argument: str) -> tuple[bool, int | None, bool]:
    full, limit, by_hand = False, None, False
    for word in gdb.string_to_argv(argument):
        if word in ("-full", "full", "--full"):
            full = True
        elif word == words.BY_HAND:
            by_hand = True
        elif re.fullmatch(r"\d+", word) and limit is None and int(word) > 0:
            limit = int(word)
        else:
            raise gdb.GdbError(f"callpath bt does not know '{word}'. Usage: callpath bt [-full] [LIMIT]")
    return full, limit, by_hand


def _bt_by_hand(full: bool, limit: int | None) -> list[str]:
    """gdb's own backtrace, then the Python frames: the thread is found by its kernel id, its frames are a chain from the newest outward;
    those that the C stack owns (3) have no code."""
    thread = gdb.selected_thread()
    tid = thread.ptid[1] or thread.ptid[2]
    code = interpreter.by_hand_code("$f")
    return [
        " ".join(["backtrace", *(["-full"] if full else []), *([str(limit)] if limit else [])]),
        "set $t = _PyRuntime.interpreters.head->threads.head",
        f"while $t && $t->native_thread_id != {tid}",
        "  set $t = $t->next",
        "end",
        f"set $f = {interpreter.by_hand_newest('$t')}",
        "while $f",
        "  if $f->owner != 3",
        f'    printf "%s in %s\\n", (char *)((PyASCIIObject *) {code}->co_qualname + 1), (char *)((PyASCIIObject *) {code}->co_filename + 1)',
        "  end",
        "  set $f = $f->previous",
        "end",
    ]


def _record_by_hand(file: str) -> list[str]:
    """The nearest that gdb has: its own backtrace in a file."""
    return [f"set logging file {_file_argument(file)}", "set logging redirect on", "set logging enabled on", "backtrace -full", "set logging enabled off"]


def _file_argument(argument: str) -> str:
    """FILE may be quoted; without quotes it may hold blanks, as in gdb's own commands."""
    text = argument.strip()
    if not text:
        raise gdb.GdbError("Where to? Usage: callpath record FILE")
    words = gdb.string_to_argv(text)
    name = words[0] if len(words) == 1 else text
    return os.path.abspath(os.path.expanduser(name))


def _warn_without_python() -> None:
    """Before anything else: what is missing, and what brings it."""
    found = interpreter.find()
    if isinstance(found, interpreter.Interpreter) and found.nameless:
        words.write(f"callpath: functions of CPython's own have no names: {_told(found.nameless)}\n", gdb.STDERR)
    elif isinstance(found, interpreter.Absent) and found.python:
        words.write(f"callpath: no Python frames: {_told(found)}\n", gdb.STDERR)


def _told(absent: interpreter.Absent) -> str:
    return f"{absent.why}." + (f" To mend it: {absent.remedy}" if absent.remedy else "")


def _rendered(record: str, options: list[str], from_tty: bool) -> str:
    """What `callpath report` makes of it: for a person at a terminal as wide and as coloured as gdb would print, else plain."""
    arguments = ["report", "-", "--format", "bt", *options]
    if not from_tty or not _is_terminal():
        return pipeline.run(["--no-color", *arguments], record)
    colour = [] if gdb.parameter("style enabled") else ["--no-color"]
    return pipeline.run_for_terminal([*colour, *arguments], record, gdb.parameter("width") or 100)


def _is_terminal() -> bool:
    try:
        return os.isatty(1)
    except OSError:
        return False


_LAYERS = "user|wrapper|protocol|eval|binding|dispatcher|autograd|operator|stub|loop|kernel|glue|compile|class-build|import|startup|runtime|unknown"
_ROW = re.compile(rf"[^\w#]*(?:#(?P<frame>\d+)|(?P<first>\d+)(?:\D{{1,3}}\d+)?\s+(?:{_LAYERS})\b)")


def _innermost(text: str, limit: int) -> str:
    """The rows up to the one that begins with frame LIMIT, and gdb's own remark that there is more."""
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        number = _ROW.match(re.sub(r"\x1b\[[0-9;]*m", "", line))
        if number and int(number["frame"] or number["first"]) >= limit:
            return "".join(kept) + "(More stack frames follow...)\n"
        kept.append(line)
    return "".join(kept)


def register() -> None:
    triggers.listen()
    stage.listen()
    inspect.register()
    framefilter.register()
    for command in (Callpath, Break, Watch, Backtrace, Record, frames.Frame, frames.Up, frames.Down, classes.BreakClass, compiles.BreakCompile, watchcode.WatchCode, disassemble.Disassemble, inspect.Inspect, atpdb.Pdb, kernels.BreakKernel, lesson.Open, lesson.Next, lesson.Answer, lesson.Again):
        command()
