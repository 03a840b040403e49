"""Running gdb in tests: batch sessions, the stand-in extension, and a `callpath` that hands records through as they were observed."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conftest import clean_environment
from debian import BUILDS, MINOR, PYTHON  # noqa: F401  for those who run gdb

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "gdb"
QUIET = ["set confirm off", "set pagination off", "set debuginfod enabled off", "set breakpoint pending on", "set style enabled off"]
RAW = "disable frame-filter global callpath"  # gdb's own backtrace is what tests compare with


@dataclass
class Session:
    """What one run of gdb said."""

    out: str
    err: str
    code: int


def gdb(
    commands: list[str], program: list[str | Path], cwd: Path, env: dict[str, str | None] | None = None, load: Path | None = None, quiet: bool = True
) -> Session:
    """One batch session: quiet settings, load.py, then the commands, on a program with its arguments."""
    script = cwd / "session.gdb"
    lines = [*(QUIET if quiet else []), f"source {load or ROOT / 'gdb' / 'load.py'}", RAW, *commands]
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    argv = ["gdb", "-nx", "-batch", "-x", str(script)] + (["--args", *map(str, program)] if program else [])
    done = subprocess.run(
        argv, cwd=cwd, env=clean_environment(**(env or {})), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, errors="replace"
    )
    return Session(done.stdout, done.stderr, done.returncode)


def pass_through(folder: Path) -> str:
    """A program that stands for `callpath annotate -` and changes nothing, so that what gdb observed can be tested by itself."""
    path = folder / "pass-through"
    path.write_text("#!/bin/sh\nexec cat\n")
    path.chmod(0o755)
    return str(path)


def compile_standin(folder: Path) -> Path:
    """The stand-in extension; gives the folder to import it from."""
    include = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], capture_output=True, text=True, check=True).stdout.strip()
    parts = []
    for name, level in (("standin", "-O0"), ("standin_jumps", "-O2")):
        parts.append(str(folder / f"{name}.o"))
        subprocess.run(["g++", "-std=c++20", "-g", level, "-fPIC", "-fvisibility=hidden", f"-I{include}", "-c", str(DATA / f"{name}.cpp"), "-o", parts[-1]], check=True)
    subprocess.run(["g++", "-shared", "-pthread", "-o", str(folder / "standin.so"), *parts], check=True)
    return folder


@dataclass
class Line:
    """One line of gdb's own backtrace."""

    level: int
    function: str
    file: str
    line: int


_FRAME = re.compile(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.*)$")
_PLACE = re.compile(r" at (\S+?):(\d+)$")


def backtrace(text: str) -> list[Line]:
    """Parses the output of `bt -frame-arguments none`. The name ends where its arguments begin: at a blank and a parenthesis outside all brackets."""
    found = []
    for line in text.splitlines():
        match = _FRAME.match(line)
        if match:
            place = _PLACE.search(line)
            found.append(Line(int(match[1]), _name(match[2]), place[1].rsplit("/", 1)[-1] if place else "", int(place[2]) if place else 0))
    return found


def _name(text: str) -> str:
    depth = 0
    for i, char in enumerate(text):
        if depth == 0 and text.startswith(" (", i):
            return text[:i]
        depth += (char in "<{(") - (char in ">})")
    return text


def event(path: Path) -> dict:
    """The only event of a record, after the members that every gdb record has were looked at."""
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["format"] == "callpath/1"
    assert record["producer"]["route"] == "gdb"
    (only,) = record["events"]
    return only


def native(frames: list[dict]) -> list[dict]:
    """Frames that gdb itself lists."""
    return [f for f in frames if f["kind"] in ("native", "inlined")]


def python_frames(frames: list[dict]) -> list[dict]:
    return [f for f in frames if f["kind"] == "python"]


def file_name(frame: dict) -> str:
    return ((frame.get("source") or {}).get("file") or "").rsplit("/", 1)[-1]


PROMPT = r"\(gdb\)\S* $"


def typed(commands: list[str | tuple[str, str] | Callable[[str], str]], argv: list[str], cwd: Path, env: dict[str, str]) -> str:
    """Types lines at gdb's prompt in a terminal, waiting for the prompt each time; gives the whole screen text. A tab is completed before what follows.
    A pair is a line and what to wait for instead; the line that is Ctrl+C alone is sent as that key. A function makes the line from the screen so far."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execvpe("gdb", ["gdb", "-nx", "-q", *argv], env)
    screen = ""

    def read_until(pattern: str) -> None:
        nonlocal screen
        start, deadline = len(screen), time.monotonic() + 60
        while time.monotonic() < deadline and not re.search(pattern, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x01\x02]", "", screen[start:])):
            if select.select([terminal], [], [], 1)[0]:
                try:
                    screen += os.read(terminal, 65536).decode("utf-8", "replace")
                except OSError:
                    return

    try:
        read_until(PROMPT)
        for given in commands:
            command, prompt = given if isinstance(given, tuple) else (given(screen) if callable(given) else given, PROMPT)
            if command == "\x03":
                os.write(terminal, b"\x03")
                read_until(prompt)
                continue
            before, tab, after = command.partition("\t")
            os.write(terminal, before.encode() + tab.encode())
            if tab:
                read_until("record")
            os.write(terminal, after.encode() + b"\n")
            read_until(prompt)
        os.write(terminal, b"quit\n")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return screen


def answers(commands: list[str], program: list[str | Path], cwd: Path, env: dict[str, str | None] | None = None) -> list[str]:
    """What each command says, in one session that goes on after mistakes ('error: ...'): one start of gdb serves many assertions."""
    out = cwd / "answers.json"
    out.unlink(missing_ok=True)
    job = json.dumps({"commands": [f"source {ROOT}/gdb/load.py", RAW, *commands], "out": str(out)})
    settings = [part for setting in QUIET for part in ("-iex", setting)]
    argv = ["gdb", "-nx", "-batch", *settings, "-x", str(ROOT / "tests/python/gdb_script.py"), "--args", *map(str, program)]
    done = subprocess.run(
        argv, cwd=cwd, env=clean_environment(GDB_JOB=job, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, errors="replace"
    )
    found = json.loads(out.read_text(encoding="utf-8")) if out.exists() else []
    assert len(found) == len(commands) + 2, f"gdb ended after {len(found)} commands: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return found[2:]
