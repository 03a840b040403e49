"""Recording parts of the running program: a session in a child process, which sets probes in its parent and reads it at each hit."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from callpath import _native
from callpath._native import CallpathError
from callpath._record import FORMAT, Recording, load

_PR_SET_PTRACER = 0x59616D61
_STARTED_BY_SESSION = 4
_one_at_a_time = threading.Lock()


def _forked() -> None:
    """A child begins without a recording, whatever its parent was in."""
    global _one_at_a_time
    _one_at_a_time = threading.Lock()


os.register_at_fork(after_in_child=_forked)


@functools.cache
def _agent() -> ctypes.CDLL:
    """What runs inside the program. Its functions let other threads run meanwhile: one of them may be in the handler of a hit."""
    return ctypes.CDLL(str(_native.place("lib/libcallpath_agent.so", "lib/callpath/lib/libcallpath_agent.so")))


def _answer(session: subprocess.Popen[str], word: str) -> str:
    """The rest of the session's next line, which begins with the word."""
    out: IO[str] = session.stdout  # type: ignore[assignment]
    line = out.readline().rstrip("\n")
    said, _, rest = line.partition(" ")
    if said == word:
        return rest
    raise CallpathError(rest if said == "error" else f"callpath's session ended early: {line or 'it said nothing'}")


def _attach(session: subprocess.Popen[str]) -> None:
    """Lets the session at this process's memory, and this process at the memory that both share."""
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(session.pid), 0, 0, 0)
    number = _answer(session, "memory")
    descriptor = os.open(f"/proc/{session.pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    try:
        session.stdin.write("\n")  # type: ignore[union-attr]
        session.stdin.flush()  # type: ignore[union-attr]
        failed = _agent().callpath_agent_attach(descriptor)
    finally:
        os.close(descriptor)
    if failed == _STARTED_BY_SESSION:
        session.kill()
        raise CallpathError("this program runs under `callpath run`, whose --at and --events say what is recorded")
    if failed:
        session.kill()
        raise CallpathError(f"callpath's agent could not begin (code {failed})")


def _command(at: Sequence[str], condition: str | None, events: str | None, limit: int, output: Path) -> list[str]:
    command = [str(_native.place("bin/callpath")), "attach", "--pid", str(os.getpid()), "--limit", str(limit), "-o", str(output)]
    for one in at:
        command += ["--at", one]
    return command + (["--if", condition] if condition else []) + (["--events", events] if events else [])


def _end(session: subprocess.Popen[str]) -> None:
    session.stdin.close()  # type: ignore[union-attr]
    session.stdout.close()  # type: ignore[union-attr]
    session.wait()


def _start(command: list[str]) -> subprocess.Popen[str]:
    """A session that has set its probes. Whatever interrupts that, Ctrl-C included, ends the session."""
    session = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    attached = False
    try:
        _attach(session)
        attached = True
        _answer(session, "probes")
    except BaseException as error:
        # Interrupted in the middle, the session is asked to take its probes out of the text; a second interrupt ends it as it stands.
        try:
            if attached and not isinstance(error, CallpathError):
                _agent().callpath_agent_leave()
                session.stdout.read()  # type: ignore[union-attr]
        finally:
            session.kill()
            _end(session)
        raise
    return session


def _finish(session: subprocess.Popen[str], recording: Recording, output: Path) -> None:
    try:
        _agent().callpath_agent_leave()
        _, _, why = _answer(session, "recorded").partition(" ")
        recording.data.update(load(output).data if output.exists() else {"missed": why})
    except BaseException:
        session.kill()
        raise
    finally:
        _end(session)


@contextmanager
def record(
    at: str | Sequence[str] = (), *, condition: str | None = None, events: str | None = None, limit: int = 1
) -> Iterator[Recording]:
    """Record the paths that reach places in native code while the body runs.

    at: functions by name or glob, or FILE:LINE, as for `callpath run --at`. condition: which hits count, as for `--if`: "exp == 3".
    events: what Python itself does, as for `--events`: "class,import". limit: how many events to record; then the program runs free.

    The recording is filled when the body has ended, also by an exception. A child process sets the probes and reads this one at a hit, so
    the threads that meet none go on at full speed; the first hit takes a while for symbols. The body must not set an action for SIGTRAP or
    block it: the next hit would end the program. One recording at a time in a process. Raises
    CallpathError where probes cannot be set; if nothing was reached, `recording.events` is empty and `recording.missed` says why.

    >>> import callpath
    >>> with callpath.record(at="float_pow") as recording:
    ...     print(2.5 ** 3.5)
    24.705294220065465
    >>> recording.events[0].frames[0].name
    'float_pow'
    >>> recording.save("float_pow.json")
    """
    places = [at] if isinstance(at, str) else list(at)
    if not places and not events:
        raise ValueError("say what to record: at='function', or events='class,compile,import,audit'")
    turn = _one_at_a_time
    if not turn.acquire(blocking=False):
        raise CallpathError("a recording is under way already: one at a time in a process")
    owner = os.getpid()
    try:
        recording = Recording({"format": FORMAT, "events": []})
        folder = Path(tempfile.mkdtemp(prefix="callpath-"))
        try:
            output = folder / "record.json"
            session = _start(_command(places, condition, events, limit, output))
            try:
                yield recording
            finally:
                # A child forked in the body may come here too: the session is its parent's.
                if os.getpid() == owner:
                    _finish(session, recording, output)
        finally:
            if os.getpid() == owner:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        turn.release()
