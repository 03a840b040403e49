"""What tests of walkthroughs share: their folders, their data, taking one, and plain gdb with nothing of ours."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT, clean_environment

Callpath = Callable[..., subprocess.CompletedProcess[str]]
FOLDERS = sorted(path.parent for path in (ROOT / "walkthroughs").glob("*/walk.toml"))
KINDS = {"en": ["Guess", "Run", "Look", "Why", "Vary", "Transfer"], "zh": ["猜", "运行", "看", "为什么", "变化", "迁移"]}


def folder(number: str) -> Path:
    """The folder of a walkthrough."""
    (found,) = [path for path in FOLDERS if path.name.startswith(number)]
    return found


def data(path: Path) -> dict:
    """Its walk.toml."""
    return tomllib.loads((path / "walk.toml").read_text(encoding="utf-8"))


def skip_without_modules(path: Path) -> None:
    """Skips where Python lacks a module that the walkthrough says it needs."""
    for need in data(path).get("needs", {}).get("process", []):
        kind, _, name = need.partition(":")
        if kind == "module" and importlib.util.find_spec(name) is None:
            pytest.skip(f"walkthrough {path.name[:2]} needs the module {name}")


def event(record: Path) -> dict:
    """The first event of a record."""
    return json.loads(record.read_text(encoding="utf-8"))["events"][0]


def take(callpath: Callpath, out: Path, number: str, *more: str) -> dict:
    """Takes a walkthrough or a variant by the process route, and gives its event."""
    done = callpath("walk", number, "--out", out, "--route", "process", *more)
    assert done.returncode == 0, done.stderr
    name = folder(number).name + (f"-{more[more.index('--variant') + 1]}" if "--variant" in more else "-line" if "--line" in more else "")
    return event(out / f"{name}.json")


def names(found: dict) -> list[str]:
    """Functions on the stack, innermost first: Python frames by their qualified name, native ones without clone suffixes and arguments."""
    return [re.sub(r"\.(constprop|isra|part|lto_priv|cold)(\.\d+)*", "", frame["full"].replace("(anonymous namespace)::", "")).split("(")[0].split("::")[-1] for frame in found["frames"] if frame["kind"] != "elided"]


def python_names(found: dict) -> list[str]:
    """Python frames innermost first, by the name of their code."""
    return [frame["full"].rsplit(".", 1)[-1] for frame in found["frames"] if frame["kind"] == "python"]


@dataclass
class Step:
    """A section of a lesson."""

    kind: str
    gdb: list[str] = field(default_factory=list)


def steps(text: str, language: str) -> list[Step]:
    """The steps of a lesson's text."""
    found = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        kind = next((k for k in KINDS[language] if re.match(rf"{k}[:：]", section)), None)
        assert kind, section.splitlines()[0]
        found.append(Step(KINDS["en"][KINDS[language].index(kind)], [line for block in re.findall(r"^```gdb\n(.*?)^```", section, re.M | re.S) for line in block.splitlines()]))
    return found


def plain_gdb(script: Path, program: Path, build: Path, options: list[str], typed: Path | None = None, packages: str | None = None) -> str:
    """Runs a file of plain gdb commands in batch; what it said."""
    argv = ["gdb", "-nx", "-batch", "-iex", f"set environment PYTHONPATH {packages or build / 'python'}", "-x", str(script), "--args", "/usr/bin/python3", *options, str(program)]
    with open(typed or "/dev/null") as stdin:
        done = subprocess.run(argv, env=clean_environment(), stdin=stdin, capture_output=True, text=True, timeout=240, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout + done.stderr
