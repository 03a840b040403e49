"""Lessons as texts: their shape, their code, their plain gdb commands, their words in two languages."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from conftest import ROOT
from walk_support import FOLDERS, Callpath, data, plain_gdb, skip_without_modules, steps

LANGUAGES = {"en": "lesson.md", "zh": "lesson.zh.md"}
each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)


def text(folder: Path, language: str) -> str:
    return (folder / LANGUAGES[language]).read_text(encoding="utf-8")


@each_folder
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_has_its_steps_in_order(folder: Path, language: str) -> None:
    kinds = [step.kind for step in steps(text(folder, language), language)]
    assert len(kinds) <= 14
    assert [k for i, k in enumerate(kinds) if i == 0 or k != kinds[i - 1]] == ["Guess", "Run", "Look", "Why", "Vary", "Transfer"]
    assert [kinds.count(k) for k in ("Guess", "Run", "Why", "Vary", "Transfer")] == [1] * 5


@each_folder
def test_both_languages_have_the_same_steps_code_and_commands(folder: Path) -> None:
    en, zh = (text(folder, language) for language in LANGUAGES)
    assert [(s.kind, s.gdb) for s in steps(en, "en")] == [(s.kind, s.gdb) for s in steps(zh, "zh")]
    blocks = [re.findall(r"^```.*?^```", one, re.M | re.S) for one in (en, zh)]
    assert blocks[0] == blocks[1]
    assert len(re.findall("[一-鿿]", zh)) > 200


@each_folder
@pytest.mark.parametrize("language", LANGUAGES)
def test_quoted_code_is_in_the_files_that_run(folder: Path, language: str) -> None:
    quoted = text(folder, language).split("<!-- from ")[1:]
    assert quoted
    for part in quoted:
        name, _, rest = part.partition(" -->")
        block = rest.split("```")[1].partition("\n")[2]
        assert block in (ROOT / name).read_text(encoding="utf-8"), f"{name}:\n{block}"


@each_folder
def test_gdb_blocks_are_pieces_of_the_session_that_is_run(folder: Path) -> None:
    session = [line for line in (folder / "by_hand.gdb").read_text().splitlines() if line and not line.startswith("#")]
    left = iter(session)
    shown = [line for step in steps(text(folder, "en"), "en") for line in step.gdb]
    assert shown
    for line in shown:
        assert line in left, f"{line!r} is not in by_hand.gdb, or not in this order"
    assert not any("callpath" in line for line in session)


@each_folder
def test_every_text_has_both_languages_and_fits_its_place(folder: Path) -> None:
    walk = data(folder)
    assert walk["zh"]["title"] and walk["zh"]["asks"]
    for one in [*walk.get("question", []), *walk.get("transfer", [])]:
        assert one["ask"] and re.search("[一-鿿]", one["zh"]), one
        assert len({o["value"] for o in one["option"]}) == len(one["option"]) >= 2
        assert all(o["en"] and o["zh"] for o in one["option"])
    for variant in walk.get("variant", []):
        assert variant["title"] and variant["zh"], variant["name"]
        assert len(variant["title"]) <= 72 and width(variant["zh"]) <= 72
    assert 1 <= len(walk["question"]) and len(walk["transfer"]) >= 1
    number = len(steps(text(folder, "en"), "en"))
    assert all(1 <= q["step"] <= number for q in walk["question"])


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@each_folder
def test_commands_for_the_shell_are_ones_that_there_are(folder: Path, callpath: Callpath) -> None:
    variants = {v["name"] for v in data(folder).get("variant", [])}
    for command in re.findall(r"^\./callpath (.*)$", text(folder, "en"), re.M):
        words = command.split()
        assert words[0] == "diff" or words[:2] == ["walk", folder.name[:2]], command
        if "--variant" in words:
            assert words[words.index("--variant") + 1] in variants, command


# What each session must have shown; nothing of it comes from callpath.
SHOWN = {
    "00": [r"#0 +long_abs", r"^#1 .*cfunction_vectorcall_O", r"absolute\.py\", line 1, in <module>"],
    "02": [r"Traceback.*\n(?:.*\n)*.*line 38, in wrapped(?:.*\n)*.*line 39, in wrapped|line 39, in wrapped(?:.*\n)*.*line 38, in wrapped", r"slot_nb_power", r"THPVariable_pow"],
    "04": [r'^\$1 = 48$', r'^\$2 = 0x[0-9a-f]+ "Tensor"$', r'^\$3 = 0x[0-9a-f]+ "Tensor"$', r"build_class\.py\", line 18, in Tensor", r"#0 +type_new", r'^\$\d+ = 0x[0-9a-f]+ "Tensor"$'],
    "05": [r"#0 +_PyCode_New", r"= ClassDef_kind$", r"^\$2 = 4$", r"^\$3 = 8$", r'^\$4 = 0x[0-9a-f]+ "Tensor"$', r"^\$5 = 0$", r"^\$6 = 0$", r"^#0 +__mem\w+", r"init_code", r"compiler_class"],
    "09": [r"^\$1 = 0$", r"^\$2 = 32768$", r"parent_tid = (\d+)(?:.*\n)*.*LWP \1\)", r"Thread 2 \"tensorlib-1\" hit", r"^\$4 = 32768$", r"^\$5 = 65536$", r"worker_main"],
    "07": [r"^#0 .*serial_for_each", r"_ops::pow_Tensor_Scalar::redispatch", r"line 39, in wrapped", r"\bv?mul[sp]s\b.*\n(?:.*\n){0,40}?.*\bv?mul[sp]s\b"],
    "06": [r"_ops::pow_Tensor_Scalar::redispatch", r"VariableType::\(anonymous namespace\)::pow_Tensor_Scalar", r"AutogradCPU|key_set|call = "],
}


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.name[:2] in SHOWN], ids=lambda path: path.name)
def test_plain_gdb_shows_it_too(folder: Path, build: Path) -> None:
    skip_without_modules(folder)
    walk = data(folder)
    said = plain_gdb(folder / "by_hand.gdb", folder / walk["program"], build, walk.get("run", {}).get("python", []))
    for pattern in SHOWN[folder.name[:2]]:
        assert re.search(pattern, said, re.M), f"{pattern}\n{said[-3000:]}"
    assert not re.search(r"No symbol .\w+. in|No frame|Undefined|not being run|Error in sourced", said), said[-3000:]


def test_the_token_names_the_frame_that_waits(build: Path) -> None:
    """The address that the worker holds is the one of the main thread's frame, as gdb's `info frame` has it."""
    folder = next(f for f in FOLDERS if f.name.startswith("09"))
    said = plain_gdb(folder / "by_hand.gdb", folder / "threads.py", build, [])
    (told,) = set(re.findall(r"parent_frame = (\d+)", said))
    assert re.findall(r"^Stack level \d+, frame at (0x[0-9a-f]+)", said, re.M) == [hex(int(told))]
