"""`callpath lesson`, `next`, `answer`, `again`: the learner stays at gdb's prompt, wanders off, and comes back.

The lesson is made here, in the form that `callpath teach --dump` has, so that the steps, the right answers and the commands are known; one session types
what a learner would type, in a terminal.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from gdb_support import PROMPT, PYTHON, ROOT, answers, clean_environment, typed

PROGRAM = "def cube(x):\n    return id(x) and x ** 3\n\nprint('cube', cube(3))\n"


def option(text: str, right: bool, variant: str = "") -> dict:
    return {"text": text, "right": right, "variant": variant}


STEPS = [
    {"kind": "guess", "title": "Guess", "text": "Before you run anything.", "gdb": [],
     "questions": [{"ask": "Who runs id?", "of": "", "options": [option("Python", False, "other"), option("a C function", True)]}]},
    {"kind": "run", "title": "Run", "text": "The program stands in `id`.", "gdb": ["break builtin_id", "run"], "questions": []},
    {"kind": "look", "title": "Look: two frames out", "text": "Outward.\n\n```python\nreturn id(x)\n```", "gdb": ["frame 0", "python", "print('from the block')", "end", "set $seen = 7"], "questions": []},
    {"kind": "transfer", "title": "Transfer", "text": "Your turn.", "gdb": ["print $seen"], "questions": []},
]  # fmt: skip


@pytest.fixture
def lesson(build: Path, tmp_path: Path) -> tuple[Path, str]:
    (tmp_path / "cube.py").write_text(PROGRAM)
    told = {"number": "77", "title": "The made lesson", "asks": "What is asked?", "folder": str(tmp_path), "program": str(tmp_path / "cube.py"), "by_hand": "",
            "introduction": "An introduction.", "steps": STEPS, "transfer": [{"ask": "Which lambda?", "line": "X[0]**3", "variant": "", "answer": "vector"}]}  # fmt: skip
    (tmp_path / "lesson.json").write_text(json.dumps(told))
    zh = {**told, "title": "做出来的一课"}
    (tmp_path / "lesson.zh.json").write_text(json.dumps(zh, ensure_ascii=False), encoding="utf-8")
    program = tmp_path / "callpath"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" != teach ]; then exec {build}/bin/callpath "$@"; fi\n'
        f'case "$*" in "teach 77 --dump") cat {tmp_path}/lesson.json;; "teach 77 --dump --lang zh") cat {tmp_path}/lesson.zh.json;; *) echo "There is no walkthrough $2." >&2; exit 2;; esac\n'
    )
    program.chmod(0o755)
    return tmp_path, str(program)


def test_a_lesson_from_the_first_step_to_the_last(lesson: tuple[Path, str]) -> None:
    folder, program = lesson
    script = {
        "early": "callpath next", "which": "callpath lesson", "none": "callpath lesson 99", "open": "callpath lesson 77", "wrong": "callpath answer 1", "beyond": "callpath answer 3",
        "right": "callpath answer 2", "no more": "callpath answer 2", "next": "callpath next", "own": "print 6 * 7", "break": "break PyNumber_Power", "off": "kill",
        "again": "callpath again", "where": "frame function builtin_id", "points": "info breakpoints", "look": "callpath next", "last": "callpath next", "transfer": "callpath answer vector",
        "end": "callpath next", "zh": "callpath lesson 77 -zh", "gone": "info breakpoints", "too much": "callpath next 3",
    }  # fmt: skip
    said = dict(zip(script, answers(list(script.values()), [PYTHON], folder, {"CALLPATH_BIN": program}), strict=True))
    assert said["early"].startswith("error: No lesson is open") and "Usage: callpath lesson NN" in said["which"]
    assert "There is no walkthrough 99" in said["none"]
    assert "77  The made lesson" in said["open"] and "[1/4] Guess" in said["open"] and "  2  a C function" in said["open"]
    assert said["wrong"].startswith("No. That is what happens in the variant other") and "options are 1 to 2" in said["beyond"]
    assert said["right"].startswith("Yes: a C function.") and "callpath next" in said["right"] and "no question left" in said["no more"]
    for step in ("next", "again"):
        assert re.search(r"^\(gdb\) break builtin_id\nBreakpoint \d+ at (.|\n)*\n\(gdb\) run\n(.|\n)*\n\[2/4\] Run\n", said[step], re.M)
    assert "builtin_id" in said["where"] and "PyNumber_Power" in said["points"]
    assert len(re.findall(r"in builtin_id", said["points"])) == 1  # not one more for each time
    assert re.search(r"\(gdb\) python\n\(gdb\) print\('from the block'\)\n\(gdb\) end\nfrom the block\n", said["look"]) and "```python" in said["look"]
    assert "= 7" in said["last"] and "Which lambda?" in said["last"] and "X[0]**3" in said["last"]
    assert said["transfer"].startswith("Yes: vector.") and "last step" in said["transfer"] and "last step" in said["end"]
    assert "做出来的一课" in said["zh"]
    assert "PyNumber_Power" in said["gone"] and "builtin_id" not in said["gone"]
    assert "Usage: callpath next" in said["too much"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"number": "77", "title": "", "asks": "", "program": "", "steps": [{}]}'])
def test_what_is_no_lesson_is_refused(text: str, lesson: tuple[Path, str]) -> None:
    folder, program = lesson
    (folder / "lesson.json").write_text(text)
    opened, after = answers(["callpath lesson 77", "callpath next"], [PYTHON], folder, {"CALLPATH_BIN": program})
    assert opened.startswith("error: What callpath teach prints is no lesson") and after.startswith("error: No lesson is open")


def test_a_learner_at_a_terminal(lesson: tuple[Path, str]) -> None:
    """Started as the article starts gdb; between the steps real commands are typed, and the program even runs to its end."""
    folder, program = lesson
    env = clean_environment(CALLPATH_BIN=program, TERM="dumb", COLUMNS="100", LINES="60")
    screen = typed(
        ["set debuginfod enabled off", "set pagination off", "set style enabled off", f"source {ROOT}/gdb/load.py", "callpath lesson 77", "callpath answer 2", "callpath next",
         "up", ("continue", rf"exited normally(.|\n)*{PROMPT}"), "callpath again", "info symbol $pc"],
        [os.path.realpath(PYTHON)], folder, env,
    )  # fmt: skip
    assert screen.count("[2/4] Run") == 2 and "Yes: a C function." in screen
    assert "cube 27" in screen  # the program's own output
    assert "builtin_id" in screen.rsplit("info symbol $pc", 1)[1]


@pytest.mark.parametrize("number", ["00", "01"])
def test_the_walkthroughs_own_steps_run_at_the_prompt(number: str, build: Path, tmp_path: Path) -> None:
    script = [f"callpath lesson {number}", *["callpath next"] * 20]
    opened, *steps = answers(script, [PYTHON], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    total = re.search(r"^\[1/(\d+)\] ", opened, re.M)
    assert total, opened
    taken, beyond = steps[: int(total[1]) - 1], steps[int(total[1]) - 1 :]
    for at, step in enumerate(taken, 2):
        assert f"[{at}/{total[1]}] " in step and "not where this step wants it" not in step
    assert all(step.startswith("error: That was the last step") for step in beyond)
