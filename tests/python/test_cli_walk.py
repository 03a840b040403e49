"""`callpath walk`: both routes, one route, the learner's own line, and everything that can be wrong."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from debian import BUILDS, NAME

Callpath = Callable[..., subprocess.CompletedProcess[str]]
Done = subprocess.CompletedProcess[str]


def walk(callpath: Callpath, out: Path, *more: str | Path, **options: object) -> Done:
    return callpath("walk", "01", "--out", out, *more, **options)


@pytest.fixture(scope="module")
def both(callpath: Callpath, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """One walk by both routes, looked at by several tests."""
    out = tmp_path_factory.mktemp("walk")
    return walk(callpath, out), out


def test_list_says_what_each_is_about_and_whether_it_can_run(callpath: Callpath) -> None:
    done = callpath("walk")
    assert done.returncode == 0
    assert re.search(r"^  01  The line to the lambda\n      Which C\+\+ line computes X\[:, 1\]\*\*3\?\n      Everything it needs is here", done.stdout, re.M)


def test_list_names_what_is_missing(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", env={"PATH": str(tmp_path)})
    assert done.returncode == 0
    assert re.search(r"Missing: gdb .*apt-get install gdb", done.stdout)


def test_both_routes_tell_the_same_path(both: tuple[Done, Path]) -> None:
    done, _ = both
    assert done.returncode == 0, done.stderr
    assert "The same path by both routes" in done.stdout


def test_files_are_written_and_named_last(both: tuple[Done, Path]) -> None:
    done, out = both
    assert sorted(p.name for p in out.iterdir()) == ["01_pow_kernel.html", "01_pow_kernel.json"]
    assert done.stdout.rstrip().endswith(f"Wrote {out}/01_pow_kernel.html and {out}/01_pow_kernel.json")
    assert (out / "01_pow_kernel.html").read_text().rstrip().endswith("</html>")


def test_path_runs_from_the_line_to_the_value(both: tuple[Done, Path]) -> None:
    """X[0, 1] of manual_seed(0) is PyTorch's own, -1.1523602: it is the first element of the strided column."""
    done, out = both
    frames = json.loads((out / "01_pow_kernel.json").read_text())["events"][0]["frames"]
    innermost = frames[0]
    assert innermost["layer"] == "kernel" and innermost["source"]["file"].endswith("PowKernel.cpp")
    assert {a["name"]: a.get("value") for a in innermost["arguments"]}["base"] == "-1.1523602"
    user = [f for f in frames if f["layer"] == "user" and f["kind"] == "python"]
    assert [(f["name"], f["source"]["line"]) for f in user] == [("<module>", 11)]
    assert done.stdout.index("BINARY_OP **") < done.stdout.index("THPVariable_pow") < done.stdout.index("base = -1.1523602")


@pytest.mark.parametrize("route", ["process", "gdb"])
def test_one_route_alone(callpath: Callpath, tmp_path: Path, route: str) -> None:
    done = walk(callpath, tmp_path, "--route", route)
    assert done.returncode == 0, done.stderr
    assert "both routes" not in done.stdout
    assert json.loads((tmp_path / "01_pow_kernel.json").read_text())["producer"]["route"] == route
    assert (tmp_path / "01_pow_kernel.html").exists()


def test_full_shows_every_frame(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--full")
    frames = json.loads((tmp_path / "01_pow_kernel.json").read_text())["events"][0]["frames"]
    assert len(done.stdout.splitlines()) > len(frames)
    assert "Py_BytesMain" in done.stdout


def test_by_hand_shows_plain_gdb_commands(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--by-hand")
    assert done.returncode == 0, done.stderr
    frames = json.loads((tmp_path / "01_pow_kernel.json").read_text())["events"][0]["frames"]
    (binding,) = [f for f in frames if f["layer"] == "binding"]
    assert re.search(rf"^ .*\bframe {binding['number']}$", done.stdout, re.M)
    assert re.search(r"gdb -nx -x '\S*by_hand\.gdb' --args /usr/bin/python3 '\S*learn1\.py'", done.stdout)


def test_own_line_takes_its_own_path(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--line", "X[:, 1]**2.5")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["01_pow_kernel-line.html", "01_pow_kernel-line.json"]
    record = json.loads((tmp_path / "01_pow_kernel-line.json").read_text())
    assert {d["id"]: d["taken"] for d in record["events"][0]["decisions"]}["kernel.exponent"] != "3"
    assert "y = X[:, 1]**2.5" in done.stdout and "learn1.py:11" in done.stdout


def test_the_debug_build_of_the_interpreter_is_walked_too(callpath: Callpath, tmp_path: Path) -> None:
    """It takes extension modules of the release build as well, and its frames are others."""
    done = walk(callpath, tmp_path, "--python", BUILDS["debug"])
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "01_pow_kernel.json").read_text())
    assert record["target"]["python_build"] == "debug"
    assert "The same path by both routes" in done.stdout


@pytest.mark.parametrize("line", ["X[:, 1]**-1", "X[:, 1]**0.5", "X[:, 1]**-0.5"])
def test_every_exponent_with_a_branch_is_reached(callpath: Callpath, tmp_path: Path, line: str) -> None:
    done = walk(callpath, tmp_path, "--line", line)
    assert done.returncode == 0, done.stderr


def test_a_folder_that_is_not_there_is_made(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path / "not" / "there", "--route", "process")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "not" / "there" / "01_pow_kernel.json").exists()


@pytest.mark.parametrize("line", ["X[:, 1]**", "X[:, 1", "a b"])
def test_own_line_that_is_not_python_is_said_before_running(callpath: Callpath, tmp_path: Path, line: str) -> None:
    done = walk(callpath, tmp_path, "--line", line)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--line is not Python" in done.stderr and line in done.stderr and "Traceback" not in done.stderr
    assert nothing_written(tmp_path)


def test_variant_and_trunk_part_where_the_lesson_says(callpath: Callpath, tmp_path: Path, both: tuple[Done, Path]) -> None:
    """The user's line is the same line wherever the variant's copy of the program lies: what comes before the fork is one trunk."""
    assert walk(callpath, tmp_path, "--route", "process", "--variant", "contiguous").returncode == 0
    done = callpath("diff", both[1] / "01_pow_kernel.json", tmp_path / "01_pow_kernel-contiguous.json")
    assert done.returncode == 4
    trunk, fork = done.stdout.split("They part here")
    assert re.search(r"▸ 1[0-9] stages, the same on both sides", trunk)
    assert "user" not in fork.split("Frame by frame")[0]


def test_own_line_by_both_routes(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--line", "X[:, 0]**2")
    assert done.returncode == 0, done.stderr
    assert "The same path by both routes" in done.stdout


def test_variants_are_listed_and_taken(callpath: Callpath, tmp_path: Path) -> None:
    listed = callpath("walk", "01", "--variants")
    assert listed.returncode == 0 and "contiguous" in listed.stdout
    done = walk(callpath, tmp_path, "--route", "process", "--variant", "contiguous")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["01_pow_kernel-contiguous.html", "01_pow_kernel-contiguous.json"]
    record = json.loads((tmp_path / "01_pow_kernel-contiguous.json").read_text())
    assert {d["id"]: d["taken"] for d in record["events"][0]["decisions"]}["loop.lambda"] == "vector"


def test_output_of_the_program_does_not_mix_with_the_report(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--line", "y = X[:, 1]**3; print('the program speaks')")
    assert done.returncode == 0, done.stderr
    assert "the program speaks\n" in done.stderr
    assert not re.search(r"^the program speaks$", done.stdout, re.M)


def test_width_is_kept(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--width", "80")
    text = [line for line in done.stdout.splitlines() if "Wrote" not in line and "--full" not in line]
    assert max(map(len, text)) <= 80


# --- what can be wrong ------------------------------------------------------------------------------------------------------------------------


def nothing_written(folder: Path) -> bool:
    return not list(folder.iterdir())


@pytest.mark.parametrize("number", ["99", "pow", "../01"])
def test_unknown_walkthrough_names_those_there_are(callpath: Callpath, number: str) -> None:
    done = callpath("walk", number)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"'{number}'" in done.stderr and "01 (The line to the lambda)" in done.stderr


def test_unknown_variant_names_the_nearest(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--variant", "contigous")
    assert done.returncode == 1 and "'contiguous'" in done.stderr and nothing_written(tmp_path)


@pytest.mark.parametrize("folder", ["/proc", "/proc/at/all", "/usr/bin/env"])
def test_folder_that_cannot_be_written_fails_before_running(callpath: Callpath, tmp_path: Path, folder: str) -> None:
    spy = tmp_path / "gdb"
    spy.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    spy.chmod(0o755)
    done = walk(callpath, Path(folder), "--route", "gdb", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert (done.returncode, done.stdout) == (1, "")
    assert folder in done.stderr
    assert not (tmp_path / "started").exists()


def test_missing_gdb_is_said_with_its_package_before_running(callpath: Callpath, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    done = walk(callpath, out, env={"PATH": str(tmp_path / "bin")})
    assert (done.returncode, done.stdout) == (1, "")
    assert "apt-get install gdb" in done.stderr and "--route process" in done.stderr
    assert nothing_written(out)


def test_process_route_needs_no_gdb(callpath: Callpath, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "out").mkdir()
    done = walk(callpath, tmp_path / "out", "--route", "process", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 0, done.stderr


def test_python_without_symbols_is_said_with_its_package_before_running(callpath: Callpath, tmp_path: Path, python: str) -> None:
    bare, out = tmp_path / NAME, tmp_path / "out"
    out.mkdir()
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", "--remove-section=.gnu_debuglink", os.path.realpath(python), bare], check=True)
    done = walk(callpath, out, "--python", bare)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"apt-get install {NAME}-dbg" in done.stderr
    assert nothing_written(out)


@pytest.mark.parametrize("route", ["process", "gdb", "both"])
def test_stop_that_is_not_reached_is_status_3_and_writes_nothing(callpath: Callpath, tmp_path: Path, route: str) -> None:
    done = walk(callpath, tmp_path, "--route", route, "--line", "X[:, 0] + X[:, 1]")
    assert (done.returncode, done.stdout) == (3, "")
    assert "did not reach" in done.stderr
    assert nothing_written(tmp_path)


def test_line_that_raises_is_said(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--line", "undefined_name**3")
    assert done.returncode == 3 and "undefined_name" in done.stderr and nothing_written(tmp_path)


@pytest.mark.parametrize("arguments", [("--line", ""), ("--line", "a\nb"), ("--line", "X**3", "--variant", "contiguous")])
def test_lines_that_are_none(callpath: Callpath, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = walk(callpath, tmp_path, *arguments)
    assert done.returncode == 1 and done.stderr.startswith("callpath: ") and nothing_written(tmp_path)


def fake_gdb(folder: Path, script: str) -> dict[str, str | None]:
    """An environment in which gdb is this script."""
    folder.mkdir()
    (folder / "gdb").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "gdb").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_routes_that_differ_are_shown_and_fail(callpath: Callpath, tmp_path: Path, both: tuple[Done, Path]) -> None:
    """gdb's record is replaced by one that lacks the binding's frame."""
    record = json.loads((both[1] / "01_pow_kernel.json").read_text())
    event = record["events"][0]
    gone = next(i for i, f in enumerate(event["frames"]) if f["layer"] == "binding")
    del event["frames"][gone]
    event["facts"] = event["decisions"] = []
    (tmp_path / "other.json").write_text(json.dumps(record))
    out = tmp_path / "out"
    out.mkdir()
    done = walk(callpath, out, env=fake_gdb(tmp_path / "bin", f"cp '{tmp_path}/other.json' \"$CALLPATH_OUT\""))
    assert done.returncode == 4
    assert "different paths" in done.stderr
    assert "THPVariable_pow" in done.stdout
    assert sorted(p.name for p in out.iterdir()) == ["01_pow_kernel-gdb.json", "01_pow_kernel-process.json"]


def test_gdb_that_dies_is_an_error_not_a_missed_stop(callpath: Callpath, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    done = walk(callpath, out, env=fake_gdb(tmp_path / "bin", "kill -SEGV $$"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "signal 11" in done.stderr and nothing_written(out)


def test_record_that_gdb_cut_off_is_an_error(callpath: Callpath, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    done = walk(callpath, out, env=fake_gdb(tmp_path / "bin", "printf '{\"format\": \"callpath/1\", \"ev' > \"$CALLPATH_OUT\""))
    assert (done.returncode, done.stdout) == (1, "")
    assert nothing_written(out)


def test_hostile_environment_reaches_neither_gdb_nor_breaks_the_routes(callpath: Callpath, tmp_path: Path) -> None:
    """Field case G06: gdb embeds a Python that the user's PYTHONHOME would break. The program cannot have it either, so it is not set for that."""
    (tmp_path / "json.py").write_text("raise ImportError('not the json you wanted')\n")
    out = tmp_path / "out"
    out.mkdir()
    hostile: dict[str, str | None] = {"PYTHONSTARTUP": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tmp_path), "DEBUGINFOD_URLS": "http://127.0.0.1:9/"}
    done = walk(callpath, out, env=hostile)
    assert done.returncode == 0, done.stderr


def test_temporary_files_go(callpath: Callpath, tmp_path: Path) -> None:
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir()
    out.mkdir()
    for line in ("X[:, 1]**3", "X[:, 0] + X[:, 1]"):
        walk(callpath, out, "--route", "process", "--line", line, env={"TMPDIR": str(scratch)})
    assert nothing_written(scratch)


def test_current_folder_is_where_files_go(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "1", "--route", "process", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["01_pow_kernel.html", "01_pow_kernel.json"]
    assert "Wrote 01_pow_kernel.html and 01_pow_kernel.json" in done.stdout


def test_chinese_notes(callpath: Callpath, tmp_path: Path) -> None:
    done = walk(callpath, tmp_path, "--route", "process", "--lang", "zh")
    assert done.returncode == 0, done.stderr
    assert re.search(r"[\u4e00-\u9fff]", done.stdout) and "THPVariable_pow" in done.stdout
    assert 'lang="zh' in (tmp_path / "01_pow_kernel.html").read_text()


assert shutil.which("objcopy"), "binutils are part of what the build needs"
