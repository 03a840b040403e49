"""callpath.current_path() and what a Recording offers, from inside a Python program, on every interpreter there is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment, other_pythons

PYTHONS = ["/usr/bin/python3", *other_pythons()]

PROGRAM = '''
import json, sys, threading
import callpath

def own():
    """What Python itself says of the stack, innermost first."""
    frame, found = sys._getframe(1), []
    while frame is not None:
        found.append([frame.f_code.co_name, frame.f_lineno])
        frame = frame.f_back
    return found

def look():
    path = callpath.current_path("asked"); mine = own()
    return path, mine

def generator():
    yield look()

class Odd:
    def __lt__(self, other):
        seen.append(next(generator()))
        return True

seen = []
sorted([Odd(), Odd()])
thread = threading.Thread(target=lambda: seen.append(look()))
thread.start(); thread.join()
seen.append((lambda: look())())
print(json.dumps([[path.data, mine] for path, mine in seen]))
'''


@pytest.mark.parametrize("interpreter", PYTHONS)
def test_python_frames_are_those_of_python_itself(build: Path, tmp_path: Path, interpreter: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = clean_environment(PYTHONPATH=str(build / "python"))
    done = subprocess.run([interpreter, script], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen) == 3
    for event, theirs in seen:
        pythons = [f for f in event["frames"] if f["kind"] == "python"]
        assert [[f["name"], f["source"]["line"]] for f in pythons] == theirs
        assert event["frames"][0]["kind"] == "python" and event["frames"][0]["name"] == "look", "nothing of callpath's own"
        assert event["complete"], event.get("incompleteReason")
        assert (event["trigger"]["kind"], event["trigger"]["spec"]) == ("manual", "asked")
    natives = [f["name"] for f in seen[0][0]["frames"] if f["kind"] == "native"]
    assert "list_sort_impl" in natives or "builtin_sorted" in natives, natives


def in_python(build: Path, code: str, python: str = "/usr/bin/python3") -> str:
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=clean_environment(PYTHONPATH=str(build / "python")), timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_recording_saves_shows_and_makes_pages(build: Path, root: Path, tmp_path: Path) -> None:
    source = root / "tests" / "data" / "records" / "pow_kernel.json"
    code = f"""
import callpath
recording = callpath.load({str(source)!r})
recording.save({str(tmp_path / "again.json")!r})
recording.to_html({str(tmp_path / "page.html")!r}, language="zh")
recording.show(width=90)
"""
    shown = in_python(build, code)
    report = subprocess.run([build / "bin" / "callpath", "report", source, "--width", "90"], capture_output=True, text=True, env=clean_environment(LC_ALL="C.UTF-8"))
    assert shown == report.stdout
    again, first = json.loads((tmp_path / "again.json").read_text()), json.loads(source.read_text())
    for key in ("kind", "layer", "name", "full", "module", "confidence"):
        assert [[f.get(key) for f in e["frames"]] for e in again["events"]] == [[f.get(key) for f in e["frames"]] for e in first["events"]]
    page = (tmp_path / "page.html").read_text()
    assert page.rstrip().endswith("</html>") and 'lang="zh' in page


def test_errors_say_what_is_wrong(build: Path, root: Path) -> None:
    source = root / "tests" / "data" / "records" / "pow_kernel.json"
    code = f"""
import callpath
recording = callpath.load({str(source)!r})
for wrong in (lambda: recording.save("/nowhere/at/all.json"), lambda: recording.show(9)):
    try: wrong()
    except callpath.CallpathError as error: print(error)
"""
    first, second = in_python(build, code).splitlines()
    assert "/nowhere" in first and "event" in second


def test_a_forked_child_asks_for_itself(build: Path) -> None:
    code = """
import callpath, os
def here(): return [f.name for f in callpath.current_path().frames if f.kind == "python"]
here()
child = os.fork()
if child == 0:
    os._exit(0 if here() == ["here", "<module>"] else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert in_python(build, code) == "0\n"
