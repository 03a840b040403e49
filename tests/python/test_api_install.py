"""The library in an installation: a program of its own finds it by find_package, in C and in C++; Python finds it beside its package."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import clean_environment


@pytest.fixture(scope="module")
def prefix(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation that was moved to a folder with a blank."""
    first = tmp_path_factory.mktemp("install") / "first"
    subprocess.run(["cmake", "--install", build, "--prefix", first], check=True, capture_output=True, env=clean_environment())
    moved = first.parent / "a b"
    first.rename(moved)
    return moved


@pytest.fixture(scope="module")
def consumer(prefix: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The consumer, built from nothing but the installation."""
    folder = tmp_path_factory.mktemp("consumer")
    source = root / "tests" / "data" / "consumer"
    for command in (["cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def names(event: dict[str, Any]) -> list[str]:
    return [frame["name"] for frame in event["frames"] if frame["kind"] == "native"]


def run(*command: str | Path) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.splitlines()


def test_from_cpp(consumer: Path, tmp_path: Path) -> None:
    record, page = tmp_path / "path.json", tmp_path / "path.html"
    said = run(consumer / "in_cpp", record, page)
    assert said[:3] == ["1 1", "back", "2"]
    assert said[3].startswith("error: /nowhere/at/all.json")
    here, before = json.loads(record.read_text())["events"]
    assert names(here)[:3] == ["innermost", "outer", "main"]
    assert names(before)[:3] == ["innermost", "outer", "main"]
    native = next(frame for frame in here["frames"] if frame["kind"] == "native")
    assert native["source"]["line"] == 6, "the line of the call, by the return address less one"
    assert (here["trigger"]["kind"], here["trigger"]["spec"]) == ("manual", "from C++")
    assert here["complete"] and before["complete"]
    assert page.read_text().rstrip().endswith("</html>")


def test_from_c_in_a_signal_handler(consumer: Path, tmp_path: Path) -> None:
    record = tmp_path / "path.json"
    said = run(consumer / "in_c", record)
    assert said[:4] == ["the thread's start was reached", "in order", "interrupted", "1"]
    assert said[4].startswith("error: ") and "/nowhere" in said[4]
    found = names(json.loads(record.read_text())["events"][0])
    assert found[0] == "handler" and found.index("raises") < found.index("main")


def test_the_installed_record_is_one_that_report_reads(prefix: Path, consumer: Path, tmp_path: Path) -> None:
    run(consumer / "in_cpp", tmp_path / "path.json", tmp_path / "path.html")
    done = subprocess.run([prefix / "bin" / "callpath", "report", "--full", tmp_path / "path.json"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0 and "innermost" in done.stdout


def test_python_finds_the_installed_library(prefix: Path, python: str) -> None:
    code = "import callpath\ndef f(): return callpath.current_path()\nprint([g.name for g in f().frames if g.kind == 'python'])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env=clean_environment(PYTHONPATH=str(prefix / "lib/callpath/python")))
    assert done.stdout == "['f', '<module>']\n", done.stderr
