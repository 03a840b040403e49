"""refresh.py CALLPATH: puts the built program's own --help into docs/*.md and cmake/help.txt. A test fails while they differ."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?<=<!-- callpath --help -->\n```text\n).*?(?=```\n)", re.S)


def help_of(program: str, *command: str) -> str:
    """The help text of a command, as it is printed."""
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def pages() -> dict[str, Path]:
    """The page of each command. Other pages have no place for its help."""
    return {p.stem: p for p in sorted((ROOT / "docs").glob("*.md")) if BLOCK.search(p.read_text())}


def refreshed(page: str, text: str) -> str:
    """A page with its block of help replaced."""
    return BLOCK.sub(lambda _: text, page)


def main(program: str) -> None:
    (ROOT / "cmake" / "help.txt").write_text(help_of(program))
    for command, page in pages().items():
        page.write_text(refreshed(page.read_text(), help_of(program, command)))


if __name__ == "__main__":
    main(sys.argv[1])
