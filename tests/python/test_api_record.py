"""`with callpath.record(...)`: probes in the running program, set by a child of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import clean_environment, other_pythons

PYTHONS = ["/usr/bin/python3", *other_pythons()]


def run(build: Path, script: Path, code: str, interpreter: str = PYTHONS[0], status: int = 0) -> list[str]:
    script.write_text("import callpath, sys\n" + code)
    done = subprocess.run([interpreter, script], capture_output=True, text=True, env=clean_environment(PYTHONPATH=str(build / "python")), timeout=120)
    assert done.returncode == status, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("interpreter", PYTHONS)
def test_hits_within_the_body_are_recorded_and_no_others(build: Path, tmp_path: Path, interpreter: str) -> None:
    code = """
def power(x, y):
    return x ** y
power(2.5, 1.5)
with callpath.record(at="float_pow", limit=10) as recording:
    values = [power(2.5, 3.5), power(2.5, 4.5)]
power(2.5, 5.5)
print(values)
print(len(recording.events), recording.missed)
for event in recording.events:
    print([(f.name, f.line) for f in event.frames if f.kind == "python"])
"""
    said = run(build, tmp_path / "program.py", code, interpreter)
    assert said[0] == f"[{2.5**3.5}, {2.5**4.5}]"
    assert said[1].strip() == "2"
    assert said[2] == said[3]
    assert eval(said[2])[0] == ("power", 4) and eval(said[2])[-1][0] == "<module>"


def test_one_recording_after_the_other(build: Path, tmp_path: Path) -> None:
    code = """
x = 2.5
for n in range(3):
    with callpath.record(at="float_pow") as recording:
        x ** 1.5
        x ** 2.5
    print(len(recording.events), recording.events[0].frames[0].name)
"""
    assert run(build, tmp_path / "program.py", code) == ["1 float_pow"] * 3


def test_conditions_and_events(build: Path, tmp_path: Path) -> None:
    code = """
with callpath.record(events="class:Second") as recording:
    class First: pass
    class Second: pass
print(len(recording.events), recording.events[0].facts.get("class"))
"""
    assert run(build, tmp_path / "program.py", code) == ["1 Second"]


def test_what_was_recorded_is_kept_when_the_body_raises(build: Path, tmp_path: Path) -> None:
    code = """
x = 2.5
try:
    with callpath.record(at="float_pow") as recording:
        x ** 1.5
        raise KeyError("mine")
except KeyError as error:
    print(error, len(recording.events))
"""
    assert run(build, tmp_path / "program.py", code) == ["'mine' 1"]


def test_nothing_reached_says_why(build: Path, tmp_path: Path) -> None:
    code = """
with callpath.record(at="float_pov") as recording: pass
print(recording.missed)
with callpath.record(at="float_pow") as recording: pass
print(recording.missed)
recording.show()
"""
    nowhere, unreached, shown = run(build, tmp_path / "program.py", code)
    assert "'float_pov'" in nowhere and "float_pow" in nowhere.split("nearest", 1)[1]
    assert "none was reached" in unreached
    assert shown == f"Nothing was recorded. {unreached}"


def test_misuse_is_refused(build: Path, tmp_path: Path) -> None:
    code = """
for use in (lambda: callpath.record(), lambda: callpath.record(at="float_pow", condition="no condition (")):
    try:
        with use(): print("entered")
    except (ValueError, callpath.CallpathError) as error: print(type(error).__name__, error)
with callpath.record(at="float_pow"):
    try:
        with callpath.record(at="float_pow"): print("entered")
    except callpath.CallpathError as error: print(error)
"""
    said = run(build, tmp_path / "program.py", code)
    assert said[0].startswith("ValueError say what to record")
    assert said[1].startswith("CallpathError") and "condition" in said[1]
    assert "under way already" in said[2]


def test_other_threads_are_recorded_too(build: Path, tmp_path: Path) -> None:
    code = """
import threading
def work(x):
    for _ in range(50): x ** 1.5
with callpath.record(at="float_pow", limit=40) as recording:
    threads = [threading.Thread(target=work, args=(2.5,)) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
print(len(recording.events), {next(f.name for f in e.frames if f.kind == "python") for e in recording.events})
"""
    assert run(build, tmp_path / "program.py", code) == ["40 {'work'}"]


def test_the_program_goes_on_when_the_session_is_killed(build: Path, tmp_path: Path) -> None:
    code = """
import os, signal
x = 2.5
children = lambda: [int(p) for p in open(f"/proc/self/task/{os.getpid()}/children").read().split()]
try:
    with callpath.record(at="float_pow", limit=1000) as recording:
        x ** 1.5
        os.kill(children()[0], signal.SIGKILL)
        print(x ** 2.5, x ** 3.5)
except callpath.CallpathError as error:
    print("said", error)
"""
    said = run(build, tmp_path / "program.py", code)
    assert said[0] == f"{2.5**2.5} {2.5**3.5}"
    assert said[1].startswith("said callpath's session ended early")


def test_a_program_that_dies_leaves_no_session(build: Path, tmp_path: Path) -> None:
    code = """
import os, signal
with callpath.record(at="float_pow"):
    print(open(f"/proc/self/task/{os.getpid()}/children").read().split()[0], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    session = int(run(build, tmp_path / "program.py", code, status=-signal.SIGKILL)[0])
    for _ in range(500):
        if not Path(f"/proc/{session}").exists() or " Z" in Path(f"/proc/{session}/stat").read_text().rpartition(")")[2][:3]:
            return
        time.sleep(0.02)
    raise AssertionError("the session outlives the program")


def test_under_callpath_run_it_is_refused(build: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import callpath\ntry:\n  with callpath.record(at='float_pow'): pass\nexcept callpath.CallpathError as e: print(e)\n2.5 ** float('3.5')\n")
    command = [build / "bin" / "callpath", "run", "--quiet", "--at", "float_pow", "-o", tmp_path / "r.json", script]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    assert "callpath run" in done.stdout
    assert len(json.loads((tmp_path / "r.json").read_text())["events"]) == 1
    assert os.path.exists(script)


def test_a_child_forked_in_the_body_leaves_its_parents_recording_alone(build: Path, tmp_path: Path) -> None:
    code = """
import os
x = 2.5
with callpath.record(at="float_pow") as recording:
    pid = os.fork()
    if pid == 0:
        raise SystemExit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    x ** 1.5
print(len(recording.events), recording.missed)
"""
    assert [line.strip() for line in run(build, tmp_path / "program.py", code)] == ["7", "1"]


def test_an_interrupt_while_the_probes_are_set_ends_the_session(build: Path, tmp_path: Path) -> None:
    code = """
import callpath._session as session
real, sessions = session._answer, []
def interrupted(process, word):
    sessions.append(process)
    if word == "probes":
        raise KeyboardInterrupt
    return real(process, word)
session._answer = interrupted
try:
    with callpath.record(at="float_pow"):
        pass
except KeyboardInterrupt:
    print("interrupted", sessions[0].poll() is not None)
session._answer = real
x = 2.5
with callpath.record(at="float_pow") as recording:
    x ** 1.5
print(len(recording.events))
"""
    assert run(build, tmp_path / "program.py", code) == ["interrupted True", "1"]


def test_the_agent_in_a_forked_child_does_not_speak_for_the_parent(build: Path, tmp_path: Path) -> None:
    code = """
import os
from callpath._session import _agent
x = 2.5
with callpath.record(at="float_pow") as recording:
    pid = os.fork()
    if pid == 0:
        os._exit(_agent().callpath_agent_leave())
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    x ** 1.5
print(len(recording.events))
"""
    assert run(build, tmp_path / "program.py", code) == ["3", "1"]
