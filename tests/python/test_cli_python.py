"""`callpath python`: the target Python, arguments untouched, our packages importable."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Callpath = Callable[..., subprocess.CompletedProcess[str]]

SHOW = "import sys, json; json.dump([sys.argv, sys.executable], sys.stdout)"


@pytest.mark.parametrize("arguments", [[], ["a b", "", "dïr", "$HOME", "--help", "--version", "-c", "--", "--python"]])
def test_arguments_reach_python_untouched(callpath: Callpath, arguments: list[str], python: str) -> None:
    argv, executable = json.loads(callpath("python", "-c", SHOW, *arguments).stdout)
    assert argv == ["-c", *arguments]
    assert executable == python


def test_script_module_and_standard_input(callpath: Callpath, tmp_path: Path) -> None:
    script = tmp_path / "a b.py"
    script.write_text("import sys; print(sys.argv[1:], sys.path[0], __name__)")
    assert callpath("python", script, "-x").stdout == f"['-x'] {tmp_path} __main__\n"
    assert callpath("python", "-m", "json.tool", "--compact", input="[1, 2]").stdout == "[1,2]\n"
    assert callpath("python", "-", input="print(6 * 7)").stdout == "42\n"


def test_help_after_dashes_is_python_s(callpath: Callpath, python: str) -> None:
    assert callpath("python", "--", "--help").stdout == subprocess.run([python, "--help"], capture_output=True, text=True).stdout


def test_exit_status_is_the_program_s(callpath: Callpath) -> None:
    assert callpath("python", "-c", "raise SystemExit(37)").returncode == 37


def test_packages_are_importable_and_the_user_s_stay(callpath: Callpath, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("word = 'here'")
    done = callpath("python", "-c", "import callpath, tensorlib, mine; print(callpath.__version__, mine.word)", env={"PYTHONPATH": str(tmp_path)})
    version = callpath("--version").stdout.split()[1]
    assert done.stdout == f"{version} here\n", done.stderr


def test_shim_on_path_is_not_taken(callpath: Callpath, tmp_path: Path, python: str) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 66\n")
    (tmp_path / "python3").chmod(0o755)
    done = callpath("python", "-c", SHOW, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert json.loads(done.stdout)[1] == python


@pytest.mark.parametrize("how", ["option", "environment"])
def test_another_version_of_python_is_refused(callpath: Callpath, tmp_path: Path, how: str) -> None:
    other = tmp_path / "python3.99"
    other.write_text("#!/bin/sh\nprintf '3.99\\n.cpython-399-x86_64-linux-gnu.so\\n/x\\n'\n")
    other.chmod(0o755)
    if how == "option":
        done = callpath("python", "--python", other, "-c", "pass")
    else:
        done = callpath("python", "-c", "pass", env={"CALLPATH_PYTHON": str(other)})
    assert done.returncode == 1
    assert "3.99" in done.stderr and "3.11" in done.stderr


def test_python_that_is_not_there(callpath: Callpath) -> None:
    done = callpath("python", "--python", "/nowhere/python3", "-c", "pass")
    assert done.returncode == 1 and "/nowhere/python3" in done.stderr


def load(callpath: Callpath, path: Path, code: str) -> str:
    """Runs code in which `r` is the loaded record; what it printed, or the RecordError's text."""
    program = f"import callpath\ntry:\n    r = callpath.load({str(path)!r})\nexcept callpath.RecordError as e:\n    print('error', e)\nelse:\n    {code}\n"
    done = callpath("python", "-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_load_reads_a_record(callpath: Callpath, root: Path) -> None:
    path = root / "tests" / "data" / "records" / "pow_kernel.json"
    data = json.loads(path.read_text())
    shown = load(callpath, path, "print([[f.name, f.layer, f.line] for f in r.events[0].frames], r.events[0].complete)")
    frames = [[f["name"], f["layer"], (f.get("source") or {}).get("line")] for f in data["events"][0]["frames"]]
    assert shown == f"{frames} True\n"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is not JSON"),
        ("hello", "is not JSON"),
        ('{"format": "callpath/1", "events": [', "cut off"),
        ("[]", "no member 'format'"),
        ('{"format": "callpath/2"}', "'callpath/2'"),
        ('{"format": "callpath/1", "events": {}}', "/events"),
        ('{"format": "callpath/1", "events": [{"frames": [{"name": "f"}]}]}', "/events/0/frames/0"),
    ],
)
def test_load_says_what_is_wrong(callpath: Callpath, tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "rec.json"
    path.write_text(text)
    shown = load(callpath, path, "print('read')")
    assert shown.startswith(f"error {path}") and part in shown
