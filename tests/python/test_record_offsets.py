"""Places in CPython's objects that callpath takes to be the same in all its versions, against each version's headers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, other_pythons

PROGRAM = ROOT / "tests" / "data" / "layout" / "offsets.cpp"


def headers(interpreter: str) -> Path:
    """The folder with the interpreter's Python.h."""
    code = "import sysconfig; print(sysconfig.get_paths()['include'])"
    return Path(subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=True).stdout.strip())


def compare(interpreter: str, sources: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    if not (headers(interpreter) / "Python.h").exists():
        pytest.skip(f"no headers of {interpreter}")
    program = folder / "offsets"
    subprocess.run(["c++", "-std=c++20", "-Wno-invalid-offsetof", f"-I{sources}", f"-I{headers(interpreter)}", PROGRAM, "-o", program], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("interpreter", [sys.executable, *other_pythons()])
def test_offsets_are_those_of_the_headers(interpreter: str, tmp_path: Path) -> None:
    told = compare(interpreter, ROOT / "tracer", tmp_path)
    assert told.returncode == 0, told.stdout
    assert int(told.stdout.split()[0]) > 90


def test_a_wrong_offset_is_noticed(tmp_path: Path) -> None:
    for name in ("core/cpython_offsets.hpp", "tables/type_slots.hpp"):
        (tmp_path / name).parent.mkdir()
        text = (ROOT / "tracer" / name).read_text()
        wrong = text.replace("type_flags = 168", "type_flags = 160").replace('"nb_subtract",\n      "nb_multiply"', '"nb_multiply",\n      "nb_subtract"')
        assert wrong != text
        (tmp_path / name).write_text(wrong)
    told = compare(sys.executable, tmp_path, tmp_path)
    assert told.returncode == 1
    assert "type_flags: 160, the headers say 168" in told.stdout
    assert "nb_subtract: 16, the headers say 8" in told.stdout
