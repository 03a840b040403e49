"""gdb's own `bt` with the frame filter: what `callpath bt` folds is indented, `bt -hide` leaves it out, and no frame is ever lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gdb_support import PYTHON, answers

PROGRAM = """class K:
    def __pow__(self, other):
        return id(other)
def f(x): return g(x)
def g(x): return K()**x
f(3)
"""
FAIL = """python
from callpath_gdb import framefilter
framefilter._real = framefilter._prepared
def failing(raw, told, first):
    if raw.inferior_frame().level() in (0, 3, 4): raise KeyError("made to fail")
    return framefilter._real(raw, told, first)
framefilter._prepared = failing
end"""
HEAL = "python framefilter._prepared = framefilter._real"
SCRIPT = {
    "on": "enable frame-filter global callpath",
    "break": "break builtin_id",
    "run": "run",
    "raw": "bt -no-filters",
    "plain": "bt",
    "hidden": "bt -hide",
    "three": "bt -hide 3",
    "last": "bt -hide -1",
    "locals": "bt -full -hide",
    "fail": "python exec(open('fail.py').read())",
    "failing": "bt",
    "heal": HEAL,
    "twice": "thread apply all bt -hide",
    "selected": "frame 4",
    "still": "bt -hide",
    "level": "frame",
    "gone": "python import os; os.environ['CALLPATH_BIN'] = '/nowhere/callpath'",
    "forget": "python from callpath_gdb import stage; stage.forget()",
    "without": "bt",
}
SHOWN = ["builtin_id", "K.__pow__", "g", "f", "<module>"]


@pytest.fixture(scope="module")
def said(build: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("filter")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "fail.py").write_text("\n".join(FAIL.splitlines()[1:-1]))
    found = answers(list(SCRIPT.values()), [PYTHON, "program.py"], folder, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    return dict(zip(SCRIPT, found, strict=True))


def levels(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"^ *#(\d+) ", text, re.M)]


def shown(text: str) -> list[str]:
    """Functions of the lines that are not indented; a second Python function of one evaluation has no number of its own."""
    return re.findall(r"^(?:#\d+ +)?(?:0x\w+ in )?([\w.<>]+) \(", text, re.M)


def test_python_functions_stand_for_their_evaluations(said: dict[str, str]) -> None:
    assert shown(said["hidden"]) == SHOWN
    assert re.search(r"^#\d+ +K\.__pow__ \(\) at \S+/program\.py:3$", said["hidden"], re.M)
    assert re.search(r"^f \(\) at \S+/program\.py:4$", said["hidden"], re.M)
    assert shown(said["three"]) == SHOWN[:3]
    assert shown(said["last"]) == SHOWN[-1:]
    assert shown(said["twice"]) == SHOWN


def test_plain_bt_indents_what_is_elided_and_keeps_every_frame(said: dict[str, str]) -> None:
    assert levels(said["plain"]) == levels(said["raw"])
    assert [n for n in shown(said["plain"]) if n in SHOWN] == SHOWN
    assert re.search(r"^    #\d+ .*slot_nb_power", said["plain"], re.M) and re.search(r"^    .*_PyEval_EvalFrameDefault", said["plain"], re.M)


def test_values_are_still_shown(said: dict[str, str]) -> None:
    assert shown(said["locals"]) == SHOWN and re.search(r"^ +No locals\.|^ +\w+ = ", said["locals"], re.M)


def test_a_frame_that_fails_costs_no_other(said: dict[str, str]) -> None:
    """Field case G09."""
    assert levels(said["failing"]) == levels(said["raw"])
    assert "3 frames could not be told better" in said["failing"]


def test_the_selected_frame_stays(said: dict[str, str]) -> None:
    assert shown(said["still"]) == SHOWN and said["level"].startswith("#4 ")


def test_without_callpath_it_is_gdbs_own(said: dict[str, str]) -> None:
    assert said["without"] == said["raw"]


def test_a_program_without_python_is_left_alone(build: Path, tmp_path: Path) -> None:
    script = ["enable frame-filter global callpath", "starti", "bt", "bt -no-filters"]
    *_, filtered, raw = answers(script, ["/bin/true"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    assert filtered == raw and filtered.startswith("#0 ")
