"""The command line as a whole: help, versions, colours, exit codes, words that are no command."""

import importlib.util
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from conftest import clean_environment

Callpath = Callable[..., subprocess.CompletedProcess[str]]

WORDS = ("walk", "teach", "run", "report", "diff", "python", "doctor", "test", "bench", "room", "build-python")


def refresh(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh", root / "docs" / "refresh.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_help_lists_every_command(callpath: Callpath) -> None:
    listed = re.search(r"Subcommands:\n(.*?)\n\n", callpath("--help").stdout, re.S)
    assert listed
    assert tuple(re.findall(r"^  ([\w-]+) ", listed[1], re.M)) == WORDS


@pytest.mark.parametrize("word", WORDS)
def test_every_command_has_help_with_an_example(callpath: Callpath, word: str) -> None:
    done = callpath(word, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert re.search(rf"^Examples?:\n  callpath {word}", done.stdout, re.M)


def test_no_arguments_print_the_help(callpath: Callpath) -> None:
    assert callpath().stdout == callpath("--help").stdout


def test_version_is_that_of_the_build(callpath: Callpath, root: Path) -> None:
    (version,) = re.findall(r"^project\(callpath VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)
    assert callpath("--version").stdout == f"callpath {version}\n"


@pytest.mark.parametrize(("typed", "meant"), [("wlak", "walk"), ("reports", "report"), ("pyhton", "python")])
def test_mistyped_command_names_the_nearest(callpath: Callpath, typed: str, meant: str) -> None:
    done = callpath(typed, "01")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{typed}'" in done.stderr and f"'{meant}'" in done.stderr


def test_word_like_no_command_names_none(callpath: Callpath) -> None:
    done = callpath("frobnicate")
    assert done.returncode == 2 and "Did you mean" not in done.stderr


@pytest.mark.parametrize("arguments", [("--nonsense",), ("walk", "01", "--nonsense"), ("report",), ("walk", "01", "--route", "teleport"), ("walk", "01", "02")])
def test_wrong_command_line_is_status_2_and_says_where_help_is(callpath: Callpath, arguments: tuple[str, ...]) -> None:
    done = callpath(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("callpath: ") and "--help" in done.stderr


@pytest.mark.parametrize("word", WORDS)
def test_page_of_docs_has_the_present_help(callpath: Callpath, root: Path, word: str) -> None:
    """Mended by: /usr/bin/python3 docs/refresh.py build/teach/bin/callpath"""
    page = (root / "docs" / f"{word}.md").read_text()
    assert "<!-- callpath --help -->" in page
    assert refresh(root).refreshed(page, callpath(word, "--help").stdout) == page


def test_help_before_set_up_is_the_present_help(callpath: Callpath, root: Path) -> None:
    """Mended by: /usr/bin/python3 docs/refresh.py build/teach/bin/callpath"""
    assert (root / "cmake" / "help.txt").read_text() == callpath("--help").stdout


def on_a_terminal(build: Path, *arguments: str | Path, **environment: str) -> bytes:
    """Output of callpath when standard output is a terminal that can do 24-bit colour."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [build / "bin" / "callpath", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
        env=clean_environment(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8", **environment),
    )
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError:  # the terminal's other side is closed
        pass
    os.close(leader)
    assert child.wait(timeout=60) == 0
    return text


def test_colours_on_a_terminal_and_ways_to_have_none(build: Path, root: Path) -> None:
    report = ("report", root / "tests" / "data" / "records" / "pow_kernel.json")
    assert b"\x1b[" in on_a_terminal(build, *report)
    assert b"\x1b[" not in on_a_terminal(build, "--no-color", *report)
    assert b"\x1b[" not in on_a_terminal(build, *report, "--no-color")
    assert b"\x1b[" not in on_a_terminal(build, *report, NO_COLOR="1")


def test_empty_no_color_does_not_count(build: Path, root: Path) -> None:
    """As https://no-color.org has it: present and not empty."""
    assert b"\x1b[" in on_a_terminal(build, "report", root / "tests" / "data" / "records" / "pow_kernel.json", NO_COLOR="")


def test_piped_text_has_no_colours(callpath: Callpath, root: Path) -> None:
    done = callpath("report", root / "tests" / "data" / "records" / "pow_kernel.json", env={"COLORTERM": "truecolor", "TERM": "xterm-256color"})
    assert done.returncode == 0 and "\x1b[" not in done.stdout


def test_doctor_of_the_built_program_is_the_launcher_s(callpath: Callpath, root: Path) -> None:
    launcher = subprocess.run([root / "callpath", "doctor"], env=clean_environment(), capture_output=True, text=True, timeout=60)
    assert callpath("doctor").stdout == launcher.stdout
