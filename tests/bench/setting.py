"""Where things are and how commands are run and timed."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEACH = Path(os.environ.get("CALLPATH_BUILD", ROOT / "build" / "teach"))
RELEASE = Path(os.environ.get("CALLPATH_RELEASE", ROOT / "build" / "release"))
PYTHON = os.environ.get("CALLPATH_PYTHON", "/usr/bin/python3")


class Broken(Exception):
    """A benchmark cannot run; the text says why."""


def environment(**more: str) -> dict[str, str]:
    """Ours without what would change the programs that are measured."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LD_", "CALLPATH_", "DEBUGINFOD"))}
    return kept | more


def seconds(command: list[str], cwd: Path | None = None, expect: tuple[int, ...] = (0,), env: dict[str, str] | None = None) -> float:
    """Wall time of a command that must end well; its output is thrown away."""
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env or environment(), stdin=subprocess.DEVNULL, capture_output=True)
    took = time.perf_counter() - begin
    if done.returncode not in expect:
        raise Broken(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-400:]}")
    return took
