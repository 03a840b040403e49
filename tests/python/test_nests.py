"""Merged stacks of random call nests against what the functions themselves wrote down on entry and exit (nest_kinds.py, data/nests).

The names must stand in the order of the calls, Python's and C's between one another, and each Python frame in the very C frame that libgcc's
unwinder found at the function's entry to run it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import nest_kinds
import pytest
from debian import BUILDS
from conftest import clean_environment, other_pythons

HERE = Path(__file__).parent
PYTHONS = ["/usr/bin/python3", BUILDS["debug"], *other_pythons()]
EACH_PYTHON = pytest.mark.parametrize("interpreter", PYTHONS)
BATCH = 500


@pytest.fixture(scope="module")
def helpers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """helpers(INTERPRETER): the folder that holds nest_helpers, built for it."""
    folders: dict[str, Path] = {}

    def made(interpreter: str) -> Path:
        if interpreter not in folders:
            ask = "import sysconfig; print(sysconfig.get_paths()['include'], sysconfig.get_config_var('EXT_SUFFIX'))"
            include, suffix = subprocess.run([interpreter, "-c", ask], capture_output=True, text=True, check=True).stdout.split()
            if not (Path(include) / "Python.h").exists():
                pytest.skip(f"no headers of {interpreter}")
            folder = tmp_path_factory.mktemp("nests")
            source = HERE.parent / "data" / "nests" / "nest_helpers.c"
            subprocess.run(["gcc", "-O2", "-fno-optimize-sibling-calls", "-shared", "-fPIC", f"-I{include}", source, "-o", folder / f"nest_helpers{suffix}"], check=True)
            folders[interpreter] = folder
        return folders[interpreter]

    return made


def run(build: Path, folder: Path, interpreter: str, first: int, count: int, fault: str = "") -> dict[str, Any]:
    library = build / "lib" / "libnest_capture.so"
    command = [interpreter, "-W", "ignore", HERE / "nest_program.py", library, folder, str(first), str(count), fault]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_000, env=clean_environment(), stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def add(total: dict[str, Any], part: dict[str, Any]) -> None:
    for name, value in part.items():
        if isinstance(value, dict):
            add(total.setdefault(name, {}), value)
        else:
            total[name] = total[name] + value if name in total else value


def check(build: Path, folder: Path, interpreter: str, programs: int) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for first in range(0, programs, BATCH):
        add(total, run(build, folder, interpreter, first, min(BATCH, programs - first)))
    print(f"{interpreter}: {total['programs']} programs, {total['captures']} stacks, {total['frames']} frames that wrote themselves down")
    for kind, count in sorted(total["kinds"].items()):
        print(f"  {count:8} {kind}")
    assert not total["failed"], "\n".join(total["failures"])
    assert total["wrong"] == 0, "\n".join(total["complaints"])
    return total


@EACH_PYTHON
def test_no_merge_is_wrong(build: Path, helpers: Any, interpreter: str) -> None:
    total = check(build, helpers(interpreter), interpreter, 300)
    assert total["captures"] > 300 and total["frames"] > 4_000
    assert len(total["kinds"]) > 100


@pytest.mark.long
@EACH_PYTHON
def test_no_merge_of_ten_thousand_programs_is_wrong(build: Path, helpers: Any, interpreter: str) -> None:
    total = check(build, helpers(interpreter), interpreter, 10_000)
    # What has no greenlets, or no frame of its own for a comprehension, writes nothing down; the natives' own kinds come on top.
    has_greenlets = subprocess.run([interpreter, "-c", "import greenlet"], capture_output=True, check=False).returncode == 0
    missing = set(nest_kinds.KINDS) - set(total["kinds"]) - (set() if has_greenlets else nest_kinds.GREENLETS)
    assert not missing


@pytest.mark.parametrize("fault", ["swap", "drop", "shift"])
def test_a_wrong_merge_is_noticed(build: Path, helpers: Any, fault: str) -> None:
    interpreter = PYTHONS[0]
    spoilt = run(build, helpers(interpreter), interpreter, 0, 40, fault)
    assert spoilt["wrong"] > spoilt["captures"] * 0.8
