"""Write what CPython's own headers say of its layout and opcodes into tables that need no headers to be built.

Usage: refresh.py [--print] INCLUDE...   where each INCLUDE is a folder with Python.h, of one minor version each.

Writes tables/python_3_MINOR.c beside this file; with --print to standard output instead. A test runs it on every set of headers that the
machine has and compares.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

HEADER = """/* CPython 3.{minor} as its own headers describe it. Written by refresh.py; do not edit. */
/* clang-format off */
#include "python/layout.h"

"""


def describe(program: str, include: Path, *flags: str) -> str:
    """The output of describe_*.c compiled with these headers."""
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "describe"
        command = ["gcc", "-w", "-O0", f"-I{include}", f"-I{include}/internal", "-idirafter", str(include.parent), *flags, str(HERE / program), "-o", str(binary)]
        # What the headers declare and nobody calls is not linked: inline functions may name it.
        subprocess.run([*command, "-Wl,--unresolved-symbols=ignore-all"], check=True)
        return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout


def minor_version(include: Path) -> int:
    found = re.search(r"^#define PY_MINOR_VERSION\s+(\d+)", (include / "patchlevel.h").read_text(), re.M)
    if not found:
        raise SystemExit(f"{include}: no PY_MINOR_VERSION in patchlevel.h")
    return int(found.group(1))


def table(include: Path) -> str:
    """The whole file for these headers."""
    layout, debug = (describe("describe_layout.c", include, *flags) for flags in ((), ("-DPy_DEBUG=1",)))
    if layout != debug:
        raise SystemExit(f"{include}: debug builds are laid out differently, which one table cannot say")
    return HEADER.format(minor=minor_version(include)) + layout + "\n" + describe("describe_opcodes.c", include)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true")
    parser.add_argument("include", nargs="+", type=Path)
    arguments = parser.parse_args()
    for include in arguments.include:
        text = table(include)
        if arguments.print:
            sys.stdout.write(text)
        else:
            (HERE / f"python_3_{minor_version(include)}.c").write_text(text)


if __name__ == "__main__":
    main()
