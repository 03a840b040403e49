"""The gdb commands where programs are odd: deep recursion, core files, attached processes, virtual environments, several interpreters, hostile
environments, no symbols. What is expected is told by the program itself, or by plain gdb.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from debian import BUILDS, MINOR, NAME
from gdb_support import PYTHON, ROOT, answers, clean_environment, gdb, python_frames, typed

AT_ID = ["break builtin_id", "run"]
DEBUG = BUILDS["debug"]
DATA = 0x30 if MINOR == 11 else 0x28  # from a str object to its characters
DEEP = """import sys, threading
sys.setrecursionlimit(100_000)
threading.stack_size(512 << 20)
def plain(n):
    return plain(n - 1) if n else id(n)
class C:
    def __init__(self, n):
        self.n = n
    def __pow__(self, other):
        return C(self.n - 1) ** other if self.n else id(other)
way = plain if sys.argv[1] == "plain" else lambda n: C(n) ** 2
thread = threading.Thread(target=way, args=(5000,))
thread.start()
thread.join()
"""


def settings(build: Path, **more: str | None) -> dict[str, str | None]:
    return {"CALLPATH_BIN": str(build / "bin" / "callpath"), **more}


def recorded(path: Path) -> dict:
    (event,) = json.loads(path.read_text(encoding="utf-8"))["events"]
    return event


@pytest.mark.parametrize("way", ["plain", "through C"])
def test_a_recursion_of_5000_is_told_in_few_lines(way: str, build: Path, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(DEEP)
    script = [*AT_ID, "callpath bt", "callpath record deep.json", "enable frame-filter global callpath", "bt -hide 20"]
    *_, path, _, _, filtered = answers(script, [PYTHON, "deep.py", way], tmp_path, settings(build))
    event = recorded(tmp_path / "deep.json")
    name = "plain" if way == "plain" else "__pow__"
    assert [f["name"] for f in python_frames(event["frames"])].count(name) == 5001
    assert len(path.splitlines()) < 60 and name in path
    assert len(filtered.splitlines()) < 40
    if way == "plain":
        assert event["complete"] and re.search(r"plain × 5,00\d", path) and re.search(r"plain × 5,00\d", filtered)
    else:
        assert not event["complete"] and event["incomplete_reason"].startswith("cut after 10,000 frames")
        assert re.search(r"[\d,]+ evaluations further out", event["thread"]["note"])
        assert len(event["frames"]) < 20_000


PROGRAM = """import os, sys
def inner(größe):
    return id(größe)
def outer():
    return inner("日本")
outer()
"""
WHERE = ["inner", "outer", "<module>"]


def test_a_core_file_tells_the_same_as_the_program(build: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    both = ["callpath bt", "callpath inspect v", "callpath frame 4", "callpath disassemble"]
    *_, made, bt, value, frame, code = answers([*AT_ID, "generate-core-file core.1", *both], [PYTHON, "program.py"], tmp_path, settings(build))
    assert "Saved corefile" in made
    there = answers(["core-file core.1", *both, "callpath record core.json"], [PYTHON], tmp_path, settings(build))
    assert there[1] == bt and there[2] == value == "'日本'\n" and there[3] == frame and there[4] == code
    assert [f["name"] for f in python_frames(recorded(tmp_path / "core.json")["frames"])] == WHERE


def test_a_running_process_can_be_attached_to(build: Path, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text("import os\ndef inner():\n    print('ready', flush=True)\n    os.read(0, 1)\n    print('went on')\ninner()\n")
    with subprocess.Popen([PYTHON, "waits.py"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment()) as program:
        assert program.stdout and program.stdin
        assert program.stdout.readline() == "ready\n"
        script = [f"attach {program.pid}", "callpath bt", "callpath record attached.json", "detach"]
        found = answers(script, [PYTHON], tmp_path, settings(build))
        program.stdin.write("x")
        program.stdin.close()
        assert program.stdout.read() == "went on\n" and program.wait() == 0
    assert "inner" in found[1], found
    event = recorded(tmp_path / "attached.json")
    assert [f["name"] for f in python_frames(event["frames"])] == ["inner", "<module>"]


@pytest.mark.parametrize("way", ["--copies", "--symlinks"])
def test_virtual_environments(way: str, build: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", way, "venv"], cwd=tmp_path, check=True)
    *_, path, _ = answers([*AT_ID, "callpath bt", "callpath record venv.json"], ["venv/bin/python", "program.py"], tmp_path, settings(build))
    event = recorded(tmp_path / "venv.json")
    assert [f["name"] for f in python_frames(event["frames"])] == WHERE
    assert "unknown" not in {f["layer"] for f in event["frames"]}, path


def test_a_frame_of_another_interpreter_in_the_program(build: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"import {'_interpreters' if MINOR >= 13 else '_xxsubinterpreters'} as s\ndef start():\n    s.run_string(s.create(), 'def within():\\n    return id(\"sub\")\\nwithin()')\nstart()\n")
    script = ["break builtin_id if $_streq($_py(v), \"'sub'\")", "run", "callpath bt", "callpath record sub.json"]
    *_, path, _ = answers(script, [PYTHON, "program.py"], tmp_path, settings(build))
    names = [f["name"] for f in python_frames(recorded(tmp_path / "sub.json")["frames"])]
    assert names[:2] == ["within", "<module>"], path


def test_two_programs_with_different_interpreters(build: Path, tmp_path: Path) -> None:
    """Each inferior is read by its own layout: the debug build's structures are not the release build's."""
    if not Path(DEBUG).exists():
        pytest.skip(f"{DEBUG} is not installed")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    script = [*AT_ID, "callpath bt", "add-inferior", "inferior 2", f"file {DEBUG}", "set args program.py", "run", "callpath bt", "callpath inspect v", "inferior 1", "callpath bt", "callpath inspect v"]
    found = answers(script, [PYTHON, "program.py"], tmp_path, settings(build))
    first, second, value, again, value_again = found[2], found[8], found[9], found[11], found[12]
    assert first == again and value == value_again == "'日本'\n"
    for text in (first, second):
        assert [n for n in WHERE if n in text] == WHERE


def test_the_programs_variables_do_not_reach_gdbs_python(build: Path, tmp_path: Path) -> None:
    """Field case G06, the other way round: a PYTHONPATH and a PYTHONHOME that only the program is to have."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / "json.py").write_text("raise SystemExit('taken by gdb')\n")
    script = [f"set environment PYTHONPATH {hostile}", "set environment PYTHONHOME /usr", *AT_ID, "callpath bt", "callpath record here.json"]
    *_, path, wrote = answers(script, [PYTHON, "program.py"], tmp_path, settings(build))
    assert wrote.startswith("Wrote") and all(name in path for name in WHERE)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_names_that_are_not_ascii(locale: str, build: Path, tmp_path: Path) -> None:
    (tmp_path / "größe.py").write_text(PROGRAM.replace("inner", "größer"), encoding="utf-8")
    script = [*AT_ID, "callpath bt", "callpath frame 4", "frame 0", "callpath inspect v", "enable frame-filter global callpath", "bt -hide", "print $_py(v)", "callpath record wo.json"]
    found = answers(script, [PYTHON, "größe.py"], tmp_path, settings(build, LC_ALL=locale, LANG=None))
    ours = [found[i] for i in (2, 3, 5, 8, 9)]  # the printers that Debian ships for Python's objects have their own trouble
    assert not [text for text in ours if text.startswith("error: ") or "codec" in text]
    kept = (lambda text: text) if locale == "C.UTF-8" else (lambda text: text.encode("ascii", "backslashreplace").decode())
    assert kept("größer") in found[3] and kept("'日本'") in found[5] and kept("größer ()") in found[7] and kept("日本").replace("\\", "\\\\") in found[8]
    (first, *_) = python_frames(recorded(tmp_path / "wo.json")["frames"])
    assert first["name"] == "größer" and first["source"]["file"].endswith("größe.py")


@pytest.fixture
def stripped(tmp_path: Path) -> str:
    path = tmp_path / NAME
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", "--remove-section=.note.gnu.build-id", os.path.realpath(PYTHON), path], check=True)
    return str(path)


@pytest.mark.parametrize("command", ["callpath break class Tensor", "callpath break compile Tensor", "callpath watch code Tensor"])
def test_without_symbols_the_package_is_named_before_anything_runs(command: str, stripped: str, build: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("open('ran', 'w')\n")
    session = gdb([command, "run"], [stripped, "program.py"], tmp_path, settings(build))
    assert f"has no debug information. To mend it: apt-get install {NAME}-dbg" in session.err
    assert session.code != 0 and not (tmp_path / "ran").exists()


def test_damaged_objects_are_told_as_such(build: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("a = []\na.append(a)\nd = {'d': a}\na.append(d)\nid(a)\n")
    damage = ["set $l = (PyListObject *) v", "callpath inspect v", "set var $l->ob_item = (PyObject **) 8", "callpath inspect v", "set var ((PyObject *) v)->ob_type = (PyTypeObject *) 16", "callpath inspect v", "callpath bt"]
    found = answers([*AT_ID, *damage], [PYTHON, "program.py"], tmp_path, settings(build))
    assert found[3] == "[..., {'d': ...}]\n"
    assert found[5].startswith("<no object at 0x") or "no object at 0x" in found[5]
    assert "no object at 0x" in found[7] and "<module>" in found[8]


def test_the_article_typed_at_a_terminal(build: Path, tmp_path: Path) -> None:
    """Its very words on a debug build: run, Ctrl+C at pdb's prompt, bt, the frame that builds the class, its name by hand; then ours for the same."""
    if not Path(DEBUG).exists():
        pytest.skip(f"{DEBUG} is not installed")
    (tmp_path / "learn1.py").write_text("import shapes\n")
    (tmp_path / "shapes.py").write_text("def wrap(f):\n    import pdb; pdb.set_trace()\n    return f\n\nclass Tensor:\n    @wrap\n    def __rsub__(self, other): pass\n")
    env = clean_environment(**settings(build), TERM="dumb", COLUMNS="120", LINES="50", PYTHONDONTWRITEBYTECODE="1")

    def building(screen: str) -> str:
        return "f " + re.findall(r"^#(\d+) +(?:0x\w+ in )?builtin___build_class__", screen, re.M)[-1]

    screen = typed(
        ["set confirm off", "set pagination off", "set debuginfod enabled off", "set style enabled off", f"source {ROOT}/gdb/load.py",
         ("r -B ./learn1.py", r"\(Pdb\) $"), "\x03", "bt -no-filters", building, "p name", f"p (char *)((void *)name + {DATA:#x})", "callpath inspect name", "callpath pdb", "bt -hide",
         "python open('plain.gdb', 'w').write(gdb.execute('callpath pdb -by-hand', to_string=True))", "echo by hand\\n", "source plain.gdb"],
        [os.path.realpath(DEBUG)], tmp_path, env,
    )  # fmt: skip
    assert re.search(r'\(gdb\) p \(char \*\)\(\(void \*\)name \+ 0x\w+\)\r?\n\$\d+ = 0x\w+ "Tensor"', screen)
    assert re.search(r"\(gdb\) callpath inspect name\r?\n'Tensor'\r?\n", screen)
    assert re.search(r"^#\d+ wrap \(\) at \S+/shapes\.py:3", screen, re.M) and "exist only because pdb traces" in screen
    by_hand = screen[screen.rindex("by hand") :]
    assert "builtin___build_class__" in by_hand and "Undefined" not in by_hand and "No symbol" not in by_hand
