"""`callpath teach`, `callpath walk all` and what lessons are made of for others: answers from checked recordings, which are what a fresh run gives."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT
from test_report_notes import Prose
from walk_support import FOLDERS, Callpath, data

each_folder = pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)


@each_folder
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_question_has_one_right_answer(path: Path, language: str, callpath: Callpath) -> None:
    done = callpath("teach", path.name[:2], "--dump", "--lang", language)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    questions = [q for step in told["steps"] for q in step["questions"]]
    assert len(questions) == len(data(path)["question"])
    for question in questions:
        assert [o["right"] for o in question["options"]].count(True) == 1, question
        assert all(o["text"] for o in question["options"])
    assert Path(told["program"]).exists() and Path(told["by_hand"]).exists()
    assert told["steps"][0]["kind"] == "guess" and any(step["gdb"] for step in told["steps"])
    assert not any("```gdb" in step["text"] for step in told["steps"])


RECORDINGS = sorted((ROOT / "walkthroughs").glob("*/recordings/*.json"))


@each_folder
def test_there_is_a_recording_of_each_walkthrough(path: Path) -> None:
    assert (path / "recordings" / "main.json") in RECORDINGS


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_checked_recording_is_what_a_fresh_run_gives(recording: Path, callpath: Callpath, tmp_path: Path) -> None:
    """Frame by frame, but for lines, functions without a symbol, and the names that the C library has for its beginnings."""
    folder, variant = recording.parent.parent, recording.stem
    more = [] if variant == "main" else ["--variant", variant]
    done = callpath("walk", folder.name[:2], "--route", "process", "--out", tmp_path, *more)
    assert done.returncode == 0, done.stderr
    fresh = json.loads((tmp_path / (folder.name + ("" if variant == "main" else f"-{variant}") + ".json")).read_text())
    kept = json.loads(recording.read_text(encoding="utf-8"))

    def path_of(record: dict) -> list[list[tuple[str, str, str]]]:
        return [[(f["kind"], f["layer"], re.sub(r"0x\S+", "", f["name"])) for f in e["frames"] if f["confidence"] not in ("inferred", "module") and f["layer"] != "startup"] for e in record["events"]]

    assert path_of(fresh) == path_of(kept)
    text = recording.read_text(encoding="utf-8")
    assert str(ROOT) not in text and "/tmp/pytest" not in text


def test_a_lesson_without_gdb_asks_answers_and_goes_on(callpath: Callpath) -> None:
    right = callpath("teach", "00", "--no-gdb", input="\nb\n\n\n\n\na\n\n\n\n\n")
    assert right.returncode == 0, right.stderr
    assert right.stdout.count("Right.") == 2 and "BINARY_OP" not in right.stdout and "long_abs" in right.stdout
    wrong = callpath("teach", "00", "--no-gdb", input="\na\nq\n")
    assert "The recording says: no: it has returned" in wrong.stdout
    assert "callpath walk 00 --variant before" in wrong.stdout
    assert wrong.stdout.count("## ") == 0 and "Traceback" not in wrong.stderr


def test_leaving_at_the_end_of_the_input_is_no_error(callpath: Callpath) -> None:
    for typed in ("", "\n", "\n\n\n", "q\n"):
        done = callpath("teach", "00", "--no-gdb", "--lang", "zh", input=typed)
        assert (done.returncode, done.stderr) == (0, "")


def test_in_gdb_the_lesson_is_opened_on_its_program(callpath: Callpath, tmp_path: Path) -> None:
    (tmp_path / "gdb").write_text('#!/bin/sh\nfor word in "$@"; do echo "[$word]"; done\nenv | grep "^PYTHON"\nexit 0\n')
    (tmp_path / "gdb").chmod(0o755)
    done = callpath("teach", "05", "--lang", "zh", env={"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONSTARTUP": "/nowhere"})
    assert done.returncode == 0, done.stderr
    words = re.findall(r"^\[(.*)\]$", done.stdout, re.M)
    assert "callpath lesson 05 -zh" in words and any(w.startswith("source ") and w.endswith("gdb/load.py") for w in words)
    assert words[words.index("--args") :][2:] == ["-B", str(ROOT / "walkthroughs/05_compile/imports.py")]
    assert "set environment PYTHONPYCACHEPREFIX=/nonexistent" in words
    assert "\nPYTHON" not in done.stdout  # gdb embeds a Python of its own


@pytest.mark.parametrize(("arguments", "said"), [(("99",), "there is no walkthrough '99'"), ((), "NN is required")])
def test_wrong_lessons_are_named(arguments: tuple[str, ...], said: str, callpath: Callpath) -> None:
    done = callpath("teach", *arguments)
    assert done.returncode in (1, 2) and said in done.stderr and "Traceback" not in done.stderr


class Links(HTMLParser):
    """Where a page's links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if tag == "a" and name == "href"]


def links(page: Path) -> list[str]:
    reader = Links()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader.found


def test_wrong_answers_open_the_paths_on_which_they_are_right(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "01", "--variant", "all", "--route", "process", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    decisions = {d["id"]: d for d in json.loads((tmp_path / "01_pow_kernel.json").read_text())["events"][0]["decisions"]}
    assert decisions["loop.lambda"]["elsewhere"] == [{"option": "vector", "recording": "01_pow_kernel-contiguous.json"}]
    assert {e["option"] for e in decisions["kernel.exponent"]["elsewhere"]} == {"2", "other"}
    for page in tmp_path.glob("*.html"):
        for link in links(page):
            file = re.split(r"[?#]", link)[0]
            assert not file or (tmp_path / file).exists(), (page.name, link)


def test_all_of_them_with_an_index(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "all", "--route", "process", "--out", tmp_path, "--lang", "zh", timeout=550)
    assert done.returncode == 0, done.stdout + done.stderr
    found = links(tmp_path / "index.html")
    for path in FOLDERS:
        assert f"{path.name}.html" in found and f"{path.name}-lesson.html" in found
    for page in tmp_path.glob("*.html"):
        for link in links(page):
            file = re.split(r"[?#]", link)[0]
            assert not file or (tmp_path / file).exists(), (page.name, link)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'lang="zh-CN"' in text and text.index("起点") < text.index("往回走") < text.index("别处") if "08_" in text else True


# Notes that say nothing of the record but that nothing is known: no stage of a walkthrough has one.
GENERIC = ["A C function of CPython", "part in the path is not known", "No rule says what part", "Python code of the library, between", "neither yours nor of a known library", "CPython's way from one call"]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_stage_of_a_walkthrough_has_a_note_in_both_languages(recording: Path, callpath: Callpath) -> None:
    for event in range(1, len(json.loads(recording.read_text(encoding="utf-8"))["events"]) + 1):
        told = callpath("report", recording, "--event", str(event), "--width", "120").stdout
        assert not [text for text in GENERIC if text in told], told
    if recording.parts[-3].startswith(("07", "09")):
        return  # how a stripped name is known is told in English only
    page = callpath("report", recording, "--format", "html", "--lang", "zh").stdout
    reader = Prose()
    reader.feed(page)
    assert [text for text in reader.said if re.search(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", text)] == []
