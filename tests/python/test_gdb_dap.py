"""gdb's debug adapter (from gdb 14 on), as an IDE speaks to it: the stack that it shows is the mixed one. Against the program's own word of its stack."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from gdb_support import PYTHON, ROOT, clean_environment

PROGRAM = """import json, os, sys


def stop():
    stack, frame = [], sys._getframe()
    while frame:
        stack.append([frame.f_code.co_qualname, frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    json.dump(stack, open("stack.json", "w"))
    os.getpgrp()


class Loud:
    def __lt__(self, other):
        stop()
        return False


def outer():
    sorted([Loud(), Loud()])


outer()
"""


def gdb_version() -> int:
    said = subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"(\d+)\.\d+", said.splitlines()[0])[1])


pytestmark = pytest.mark.skipif(gdb_version() < 14, reason="gdb speaks DAP from version 14 on; the Debian 13 room has one")


class Adapter:
    """A client of `gdb -i=dap`: requests with their answers, and the events in between."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        argv = ["gdb", "-nx", "-i=dap", "-iex", "set debuginfod enabled off", "-iex", f"source {ROOT}/gdb/load.py"]
        self._gdb = subprocess.Popen(argv, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._number = 0
        self.seen: list[dict] = []

    def send(self, command: str, **arguments: object) -> int:
        self._number += 1
        body = json.dumps({"seq": self._number, "type": "request", "command": command, "arguments": arguments}).encode()
        self._gdb.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._gdb.stdin.flush()
        return self._number

    def read(self) -> dict:
        length = 0
        while line := self._gdb.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, f"the adapter ended after {[m.get('command') or m.get('event') for m in self.seen]}"
        message = json.loads(self._gdb.stdout.read(length))
        self.seen.append(message)
        return message

    def answer(self, request: int) -> dict:
        return self._until(lambda m: m["type"] == "response" and m["request_seq"] == request)

    def event(self, name: str) -> dict:
        return self._until(lambda m: m["type"] == "event" and m["event"] == name)

    def ask(self, command: str, **arguments: object) -> dict:
        found = self.answer(self.send(command, **arguments))
        assert found["success"], found
        return found.get("body", {})

    def _until(self, wanted) -> dict:
        for message in self.seen:
            if wanted(message):
                return message
        while not wanted(message := self.read()):
            pass
        return message

    def close(self) -> None:
        self.send("disconnect", terminateDebuggee=True)
        try:
            self._gdb.wait(30)
        except subprocess.TimeoutExpired:
            self._gdb.kill()


@pytest.fixture
def stopped(build: Path, tmp_path: Path):
    """An adapter whose program stands in os.getpgrp, and the thread that does."""
    (tmp_path / "program.py").write_text(PROGRAM)
    adapter = Adapter(tmp_path, clean_environment(CALLPATH_BIN=str(build / "bin" / "callpath")))
    try:
        adapter.ask("initialize", adapterID="gdb", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        launched = adapter.send("launch", program=str(Path(PYTHON).resolve()), args=["program.py"], cwd=str(tmp_path))
        adapter.event("initialized")
        adapter.ask("setFunctionBreakpoints", breakpoints=[{"name": "os_getpgrp"}])
        adapter.ask("configurationDone")
        assert adapter.answer(launched)["success"]
        yield adapter, adapter.event("stopped")["body"]["threadId"], tmp_path
    finally:
        adapter.close()


def test_an_ide_shows_python_and_native_frames_as_one_stack(stopped) -> None:
    adapter, thread, folder = stopped
    frames = adapter.ask("stackTrace", threadId=thread)["stackFrames"]
    own = json.loads((folder / "stack.json").read_text())
    python = [f for f in frames if f.get("source", {}).get("path", "").endswith("program.py")]
    assert [f["name"] for f in python] == [name for name, *_ in own]
    assert [f["source"]["path"] for f in python] == [str(folder / "program.py")] * len(own)
    assert [f["line"] for f in python][1:] == [line for *_, line in own][1:]  # the innermost has gone on since it asked
    assert frames[0]["name"].startswith("os_getpgrp")
    names = [f["name"] for f in frames]
    assert names.index("stop") < names.index("Loud.__lt__") < names.index("outer") < names.index("<module>")
    assert any("sort" in name for name in names[names.index("Loud.__lt__") : names.index("outer")])  # the C between the two


def test_all_frames_are_there_for_those_who_ask(stopped) -> None:
    """What is folded away is still gdb's own: with includeAll every frame of `bt` is listed."""
    adapter, thread, _ = stopped
    few = adapter.ask("stackTrace", threadId=thread)["stackFrames"]
    every = adapter.ask("stackTrace", threadId=thread, format={"includeAll": True})["stackFrames"]
    assert len(every) > len(few)
    evaluations = [f for f in every if f["name"].startswith("_PyEval_EvalFrameDefault")]
    assert evaluations and {f["name"] for f in few} <= {f["name"] for f in every}


def test_scopes_of_every_frame_can_be_asked_for(stopped) -> None:
    adapter, thread, _ = stopped
    for frame in adapter.ask("stackTrace", threadId=thread)["stackFrames"]:
        assert isinstance(adapter.ask("scopes", frameId=frame["id"])["scopes"], list)
