"""The `callpath` program, which annotates and renders what was seen; and writing files whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios

import gdb

_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = ("../../build/teach/bin/callpath", "../../../../bin/callpath", "../../build/release/bin/callpath")  # source tree; installed; source tree


def binary() -> str:
    """Path of the callpath program. Raises gdb.GdbError saying how to get it."""
    chosen = os.environ.get("CALLPATH_BIN")
    if chosen:
        if os.access(chosen, os.X_OK) and os.path.isfile(chosen):
            return chosen
        raise gdb.GdbError(f"CALLPATH_BIN={chosen} is not a program that can be run.")
    for place in _PLACES:
        path = os.path.normpath(os.path.join(_HERE, place))
        if os.access(path, os.X_OK):
            return path
    root = os.path.normpath(os.path.join(_HERE, "../.."))
    raise gdb.GdbError(f"The callpath program is not built in {root}. Run `./callpath doctor` there, or set CALLPATH_BIN to its path.")


def annotated(record: dict) -> str:
    """The finished record as JSON text: layers, operations and decisions come from `callpath annotate`, which every producer uses."""
    return run(["annotate", "-"], json.dumps(record))


def run(arguments: list[str], text: str) -> str:
    """Output of the callpath program. gdb's own Python variables and preloads are not handed on to it."""
    command = [binary(), *arguments]
    try:
        done = subprocess.run(command, input=text.encode("utf-8", "backslashreplace"), capture_output=True, env=clean_environment(), check=False)
    except OSError as error:
        raise gdb.GdbError(f"{command[0]} does not run: {error.strerror}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise gdb.GdbError(f"callpath {arguments[0]} failed: {said}")
    return done.stdout.decode("utf-8", "replace")


def run_for_terminal(arguments: list[str], text: str, columns: int) -> str:
    """As `run`, for a person at a terminal: the program's output is a terminal too, of so many columns, so that it uses what gdb's terminal can show."""
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        mode = termios.tcgetattr(theirs)
        mode[1] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, mode)
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
            given.write(text.encode("utf-8", "backslashreplace"))
            given.seek(0)
            child = subprocess.Popen([binary(), *arguments], stdin=given, stdout=theirs, stderr=errors, env=clean_environment())
            os.close(theirs)
            theirs = -1
            output = _all_of(ours)
            if child.wait() != 0:
                errors.seek(0)
                raise gdb.GdbError(f"callpath {arguments[0]} failed: {errors.read().decode('utf-8', 'replace').strip()}")
            return output.decode("utf-8", "replace")
    except OSError as error:
        raise gdb.GdbError(f"{binary()} does not run: {error.strerror}") from None
    finally:
        os.close(ours)
        if theirs >= 0:
            os.close(theirs)


def _all_of(terminal: int) -> bytes:
    """Until the other side closes, which a terminal reports as an input error."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


def clean_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LD_")) and k not in ("CALLPATH_OUT", "CALLPATH_PROGRAM_ENV")}


def check_writable(path: str) -> None:
    """Fails before any work where a file cannot be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise gdb.GdbError(f"{path} is a folder: give the name of a file.")
    if not os.path.isdir(folder):
        raise gdb.GdbError(f"The folder {folder} does not exist.")
    if is_stream(path):
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        raise gdb.GdbError(f"The folder {folder} cannot be written to.")


def is_stream(path: str) -> bool:
    """Something that is there and is no regular file."""
    return os.path.exists(path) and not os.path.isfile(path)


def _write_through(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise gdb.GdbError(f"{path} cannot be written: {error.strerror}") from None


def write_whole(path: str, text: str) -> None:
    """To a temporary beside the file, then renamed: what stood there before stands until the new text is complete.

    A link is followed and stays one; a pipe or a device is written to as it is, for renaming would take it away from everybody."""
    path = os.path.realpath(path)
    if is_stream(path):
        return _write_through(path, text)
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise gdb.GdbError(f"{path} cannot be written: {error.strerror}") from None
