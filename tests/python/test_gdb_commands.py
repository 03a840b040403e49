"""The commands themselves: help, completion, mistakes, missing parts. Nothing half written, nothing silently cut."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from gdb_support import MINOR, PYTHON, ROOT, answers, backtrace, clean_environment, compile_standin, event, gdb, native, pass_through, python_frames, typed


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_standin(tmp_path_factory.mktemp("standin"))


@pytest.fixture
def program(extension: Path, tmp_path: Path) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(f"import sys; sys.path.insert(0, {str(extension)!r})\nimport standin\ndef go(e, way):\n    standin.power(e, way)\ngo(3.0, int(sys.argv[1]))\n")
    return [PYTHON, "program.py", "0"]


def shorter(folder: Path) -> str:
    """A callpath whose every record fits in a pipe that nobody reads yet."""
    path = folder / "shorter"
    path.write_text("#!/bin/sh\ncat >/dev/null\necho '{}'\n")
    path.chmod(0o755)
    return str(path)


NEWEST = "((PyThreadState*)_PyRuntime.interpreters.main->threads.head)->" + ("current_frame" if MINOR >= 13 else "cframe->current_frame")
AT_KERNEL = ["break pow_tensor_scalar_optimized_kernel", "run"]


def test_help_says_how_each_command_is_used(tmp_path: Path) -> None:
    said = gdb(["help callpath", "help callpath bt", "help callpath record"], [], tmp_path).out
    for usage in ("Usage: callpath bt [-full] [LIMIT]", "Usage: callpath record FILE", "Example: callpath record"):
        assert usage in said
    assert all(len(line) <= 79 for line in said.splitlines() if not line.startswith('Type '))  # that one is gdb's own


COMMANDS = [
    "bt", "frame", "up", "down", "break", "break class", "break compile", "break kernel", "watch", "watch code", "disassemble", "inspect", "pdb", "record", "lesson", "next",
    "answer", "again",
]  # fmt: skip


def test_every_command_has_help_within_a_narrow_terminal_and_none_is_left_out(tmp_path: Path) -> None:
    said = answers(["help callpath", *(f"help callpath {name}" for name in COMMANDS)], [PYTHON], tmp_path)
    there = {name for text in said for name in re.findall(r"^callpath ([a-z ]+?)(?:, [a-z ]+)* -- ", text, re.M)}
    assert there == set(COMMANDS)
    for name, text in zip(COMMANDS, said[1:], strict=True):
        own = text.partition("\n\nList of ")[0]
        assert f"Usage: callpath {name}" in own and all(len(line) <= 79 for line in own.splitlines()), name


def test_every_command_that_acts_can_be_asked_for_the_plain_commands(tmp_path: Path) -> None:
    acting = [name for name in COMMANDS if name not in ("break", "watch", "lesson", "next", "answer", "again", "inspect", "record")]  # these complete expressions and files
    said = answers([f"complete callpath {name} x -by" for name in acting], [PYTHON], tmp_path)
    assert all(text.rstrip().endswith("-by-hand") for text in said), dict(zip(acting, said, strict=True))


def test_words_are_completed(tmp_path: Path) -> None:
    said = gdb(["complete callpath ", "complete callpath bt -", f"complete callpath record {ROOT}/CMakeL"], [], tmp_path).out
    assert "callpath bt\n" in said and "callpath record\n" in said
    assert "callpath bt -full" in said
    assert f"callpath record {ROOT}/CMakeLists.txt" in said


@pytest.mark.parametrize("command", ["callpath bt", "callpath record out.json"])
def test_without_a_process_it_says_so(command: str, tmp_path: Path) -> None:
    session = gdb([command], [PYTHON], tmp_path)
    assert "not being run" in session.err
    assert session.code != 0 and not (tmp_path / "out.json").exists()


def test_after_the_program_ended_it_says_so(tmp_path: Path) -> None:
    session = gdb(["run", "callpath record out.json"], [PYTHON, "-c", "pass"], tmp_path)
    assert "exited normally" in session.out and "not being run" in session.err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("arguments", ["-fulll", "0", "x", "3 4", "-full -5"])
def test_bt_refuses_what_it_does_not_know(arguments: str, program: list[str], tmp_path: Path) -> None:
    session = gdb([*AT_KERNEL, f"callpath bt {arguments}"], program, tmp_path)
    assert "Usage: callpath bt [-full] [LIMIT]" in session.err


@pytest.mark.parametrize(
    ("file", "complaint"),
    [("", "Usage: callpath record FILE"), ("nowhere/out.json", "does not exist"), (".", "is a folder"), ("/proc/out.json", "/proc")],
)
def test_record_refuses_a_place_that_cannot_be_written(file: str, complaint: str, program: list[str], tmp_path: Path) -> None:
    before = set(os.listdir(tmp_path))
    session = gdb([*AT_KERNEL, f"callpath record {file}"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert complaint in session.err and "Traceback" not in session.err
    assert set(os.listdir(tmp_path)) - before == {"session.gdb", "pass-through"}


def test_a_link_stays_a_link_and_a_pipe_a_pipe(program: list[str], tmp_path: Path) -> None:
    """Renaming a file onto what is there would take a device away from everybody."""
    (tmp_path / "link.json").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        commands = [*AT_KERNEL, "callpath record link.json", "callpath record pipe"]
        session = gdb(commands, program, tmp_path, env={"CALLPATH_BIN": shorter(tmp_path)})
        assert "Wrote" in session.out and "cannot" not in session.err, session.err
        assert (tmp_path / "link.json").is_symlink() and (tmp_path / "real.json").read_text() == "{}\n"
        assert (tmp_path / "pipe").is_fifo() and os.read(reader, 100) == b"{}\n"
    finally:
        os.close(reader)


def test_a_missing_callpath_program_is_named(program: list[str], tmp_path: Path) -> None:
    session = gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": "/nowhere/callpath"})
    assert "CALLPATH_BIN=/nowhere/callpath is not a program" in session.err
    assert not (tmp_path / "out.json").exists()


def test_scripts_without_a_build_beside_them_say_what_to_do(program: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "gdb"
    shutil.copytree(ROOT / "gdb", copy)
    session = gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, load=copy / "load.py")
    assert "The callpath program is not built" in session.err and "CALLPATH_BIN" in session.err


def test_a_record_that_cannot_be_finished_leaves_the_old_file_alone(program: list[str], tmp_path: Path) -> None:
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\ncat >/dev/null\necho 'no such rule' >&2\nexit 1\n")
    failing.chmod(0o755)
    (tmp_path / "out.json").write_text("old")
    session = gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": str(failing)})
    assert "callpath annotate failed: no such rule" in session.err
    assert (tmp_path / "out.json").read_text() == "old"
    assert not list(tmp_path.glob("out.json.*"))


def test_an_interpreter_without_symbols_is_named_before_anything_else(extension: Path, program: list[str], tmp_path: Path) -> None:
    stripped = tmp_path / f"python3.{MINOR}"
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", "--remove-section=.note.gnu.build-id", os.path.realpath(PYTHON), stripped], check=True)
    program[0] = str(stripped)
    session = gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path), "PYTHONHOME": None})
    assert f"functions of CPython's own have no names: {stripped} has no debug information. To mend it: apt-get install python3.{MINOR}-dbg" in session.err
    recorded = event(tmp_path / "out.json")
    assert recorded["frames"][0]["name"] == "pow_tensor_scalar_optimized_kernel"
    assert f"python3.{MINOR}-dbg" in recorded["thread"]["note"]
    nameless = [f for f in recorded["frames"] if f["confidence"] in ("module", "symbol")]
    assert nameless and all(f["missing"]["remedy"] for f in nameless if f"python3.{MINOR}" in f["missing"]["what"])


def test_without_symbols_python_frames_are_read_by_the_table_or_by_what_the_interpreter_tells(extension: Path, program: list[str], tmp_path: Path) -> None:
    """Against the same program in the same interpreter with its symbols."""
    stripped = tmp_path / f"python3.{MINOR}"
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", "--remove-section=.note.gnu.build-id", os.path.realpath(PYTHON), stripped], check=True)
    records = []
    for interpreter in (PYTHON, str(stripped)):
        gdb([*AT_KERNEL, "callpath record out.json"], [interpreter, *program[1:]], tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
        records.append(event(tmp_path / "out.json"))
    named, nameless = ([(f["full"], f["source"], f["number"] is None) for f in python_frames(record["frames"])] for record in records)
    assert named == nameless and len(named) == 2 and not any(homeless for *_, homeless in nameless)
    assert records[0]["thread"]["note"] == "" and records[1]["thread"]["has_python"]
    how = "the offsets that it tells itself (_Py_DebugOffsets)" if MINOR >= 13 else f"a table written from the headers of 3.{MINOR}"
    assert f"Python frames are read by {how}" in records[1]["thread"]["note"]


def test_stops_that_need_names_are_refused_without_symbols(program: list[str], tmp_path: Path) -> None:
    stripped = tmp_path / f"python3.{MINOR}"
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", "--remove-section=.note.gnu.build-id", os.path.realpath(PYTHON), stripped], check=True)
    for command in ("callpath break class Tensor", "callpath break compile Tensor", "callpath watch code Tensor"):
        session = gdb([command], [str(stripped), *program[1:]], tmp_path)
        assert f"{stripped} has no debug information. To mend it: apt-get install python3.{MINOR}-dbg" in session.err and session.code != 0


def test_a_frame_that_cannot_be_read_keeps_its_place(program: list[str], tmp_path: Path) -> None:
    """Field case G09: gdb's own frame filters lose every frame after the one that raises."""
    breaking = """python
from callpath_gdb import native
real = native._read_names
def raising(entry, frame, before):
    if len(before) in (0, 2): raise RuntimeError("made to fail")
    real(entry, frame, before)
native._read_names = raising
end"""
    session = gdb([*AT_KERNEL, "bt -frame-arguments none", breaking, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    frames = native(event(tmp_path / "out.json")["frames"])
    assert [f["number"] for f in frames] == [line.level for line in backtrace(session.out)]
    failed = [f for f in frames if "made to fail" in (f.get("missing") or {}).get("what", "")]
    assert [f["number"] for f in failed] == [0, 2]
    assert [f["name"] for f in frames[3:]] == [line.function for line in backtrace(session.out)][3:]


def test_a_damaged_chain_of_python_frames_is_cut_with_a_note(program: list[str], tmp_path: Path) -> None:
    damage = f"set var {NEWEST}->previous = (void*)16"
    gdb([*AT_KERNEL, damage, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    recorded = event(tmp_path / "out.json")
    assert [f["name"] for f in python_frames(recorded["frames"])] == ["go"]
    assert "cannot be read any further outward" in recorded["thread"]["note"]
    assert recorded["complete"]


def test_a_circle_of_python_frames_ends(program: list[str], tmp_path: Path) -> None:
    damage = [
        f"set $f = {NEWEST}",
        "set var $f->previous = $f",
        *(["set var $f->is_entry = 0"] if MINOR == 11 else []),
    ]
    gdb([*AT_KERNEL, *damage, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert "circle" in event(tmp_path / "out.json")["thread"]["note"]


def test_a_damaged_stack_is_not_called_complete(program: list[str], tmp_path: Path) -> None:
    """The return address out of the kernel's caller is overwritten: gdb can follow it no further, and the record says so."""
    damage = ["frame 1", "set $at = (long)$rbp + 8", "frame 0", "set var *(long*)$at = 0x10", "callpath record out.json"]
    gdb([*AT_KERNEL, *damage], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    recorded = event(tmp_path / "out.json")
    assert recorded["frames"][0]["name"] == "pow_tensor_scalar_optimized_kernel"
    assert not recorded["complete"] and recorded["incomplete_reason"]
    assert [f["name"] for f in python_frames(recorded["frames"])] == ["go", "<module>"]  # from memory, whatever became of the native stack
    if "gdb's guess" not in recorded["incomplete_reason"]:  # gdb 16 finds its way back to frames that are there
        assert "is in no native frame" in recorded["thread"]["note"]


def test_the_selected_frame_stays_selected(program: list[str], tmp_path: Path) -> None:
    session = gdb([*AT_KERNEL, "frame 2", "callpath record out.json", "frame"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert session.out.rstrip().splitlines()[-2].startswith("#2 ")


def test_the_trigger_is_the_breakpoint_with_its_condition(program: list[str], tmp_path: Path) -> None:
    gdb(["break pow_tensor_scalar_optimized_kernel if exp == 3", "run", "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert event(tmp_path / "out.json")["trigger"] == {"kind": "probe", "spec": "pow_tensor_scalar_optimized_kernel", "condition": "exp == 3"}


def test_the_trigger_of_a_stop_without_breakpoint_is_manual(program: list[str], tmp_path: Path) -> None:
    gdb([*AT_KERNEL, "step", "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert event(tmp_path / "out.json")["trigger"]["kind"] == "manual"


@pytest.mark.parametrize(("way", "expected"), [("0", ["operator()", "impl"]), ("1", ["straight"]), ("2", ["operator()", "impl", "twice"])])
def test_functions_that_left_by_a_jump_are_elided_frames(way: str, expected: list[str], program: list[str], tmp_path: Path) -> None:
    """impl, straight and twice are compiled so that they leave by a jump; the source says who called whom."""
    program[2] = way
    gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    frames = event(tmp_path / "out.json")["frames"]
    names = [f["name"] for f in frames]
    between = frames[names.index("kernel") + 1 : names.index("power")]
    assert [f["name"] for f in between] == expected
    assert all(f["kind"] == "elided" and f["confidence"] == "elided" and f["evidence"] and f.get("number") is None for f in between)


def test_values_are_read_and_reasons_given(program: list[str], tmp_path: Path) -> None:
    session = gdb(
        [*AT_KERNEL, "break standin.cpp:22", "continue", "callpath record out.json", "frame 0", "output n", "echo \\n", "print iter.strides", "print *iter.data"],
        program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)},
    )  # fmt: skip
    frames = event(tmp_path / "out.json")["frames"]
    loop = next(f for f in frames if f["name"] == "basic_loop")
    arguments = {a["name"]: a.get("value") for a in loop["arguments"]}
    assert arguments["n"] == "2" and "\n2\n" in session.out
    assert {v["name"] for v in loop["locals"]} >= {"strides_"}
    for frame in frames:
        for value in frame.get("arguments", []) + frame.get("locals", []):
            assert ("value" in value) != ("reason" in value)
            assert "optimized out" not in value.get("value", "")
    evaluation = next(f for f in frames if f["name"] == "_PyEval_EvalFrameDefault")
    assert {"name": "tstate", "reason": "optimised out"}.items() <= next(a for a in evaluation["arguments"] if a["name"] == "tstate").items()


PATHS = {
    "exp": ("3", 3, "argument exp"),
    "iter.size": ("2", 2, "argument iter, member size"),
    "iter.strides[1]": ("8", 8, "argument iter, member strides"),
    "iter.strides[*2]": ("{4, 8}", [4, 8], "argument iter, member strides"),
    "iter.data[*iter.size]": ("{-1.1523602, 7}", [-1.1523602, 7], "argument iter, member data"),
    "iter.nothing": None,
    "nothing": None,
    "stub": None,  # a static of that name exists; it is not the frame's
    "iter.data[*0]": None,
    "iter.data[*1000000000]": None,
    "iter.": None,
    "exp.size": None,
}


def test_paths_through_members_read_what_gdb_prints(program: list[str], tmp_path: Path) -> None:
    reading = f"""python
import json
from callpath_gdb import values
found = {{path: values.evaluate(gdb.newest_frame(), path) for path in {list(PATHS)!r}}}
json.dump({{p: v and [v.text, v.value, v.how] for p, v in found.items()}}, open("values.json", "w"))
end"""
    gdb([*AT_KERNEL, reading], program, tmp_path)
    found = json.loads((tmp_path / "values.json").read_text())
    assert found == {path: list(expected) if expected else None for path, expected in PATHS.items()}


def test_everything_works_in_a_folder_with_blanks_and_accents(extension: Path, tmp_path: Path) -> None:
    """Field case P08; and with the C locale, in which gdb would take file names for ASCII."""
    folder = tmp_path / "a b" / "dïr"
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "gdb", folder / "gdb")
    shutil.copy(extension / "standin.so", folder)
    (folder / "prögram.py").write_text("import standin\nstandin.power(3.0)\n", encoding="utf-8")
    session = gdb([*AT_KERNEL, "callpath record my rècord.json"], [PYTHON, folder / "prögram.py"], folder, env={"CALLPATH_BIN": pass_through(folder)}, load=folder / "gdb" / "load.py")
    assert (folder / "my rècord.json").exists(), session.err
    (python,) = python_frames(event(folder / "my rècord.json")["frames"])
    assert python["source"]["file"] == str(folder / "prögram.py") and python["source"]["line"] == 2


def test_sourcing_twice_is_harmless(program: list[str], tmp_path: Path) -> None:
    session = gdb([f"source {ROOT}/gdb/load.py", *AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": pass_through(tmp_path)})
    assert event(tmp_path / "out.json")["trigger"]["kind"] == "probe", session.err


def test_the_folder_above_never_comes_on_gdbs_path(tmp_path: Path) -> None:
    """There the folder gdb/ would stand in for the module gdb."""
    said = gdb(["python import sys, os; print([p for p in sys.path if os.path.isfile(os.path.join(p, 'gdb', 'load.py'))])"], [], tmp_path).out
    assert said.strip().endswith("[]")


def test_a_hostile_python_path_reaches_neither_callpath_nor_its_output(program: list[str], tmp_path: Path) -> None:
    """Field case G06: what gdb inherited for the program is not handed on to the program that annotates."""
    shower = tmp_path / "shower"
    shower.write_text('#!/bin/sh\ncat >/dev/null\nenv | grep -E "^(PYTHON|LD_)" && exit 9\necho "{}"\n')
    shower.chmod(0o755)
    session = gdb([*AT_KERNEL, "callpath record out.json"], program, tmp_path, env={"CALLPATH_BIN": str(shower), "PYTHONSTARTUP": "/nowhere", "LD_BIND_NOW": "1"})
    assert "Wrote" in session.out, session.err


def test_a_person_at_a_terminal(program: list[str], tmp_path: Path) -> None:
    env = clean_environment(CALLPATH_BIN=pass_through(tmp_path), TERM="xterm", COLUMNS="80", LINES="40")
    screen = typed(
        ["set confirm off", "set debuginfod enabled off", "set breakpoint pending on", f"source {ROOT}/gdb/load.py", "help callpath bt", *AT_KERNEL, "callpath rec\t terminal.json"],
        ["--args", *program], tmp_path, env,
    )  # fmt: skip
    assert "Usage: callpath bt [-full] [LIMIT]" in screen and "callpath record" in screen
    assert "Wrote" in screen
    assert event(tmp_path / "terminal.json")["frames"][0]["name"] == "pow_tensor_scalar_optimized_kernel"
