"""Write the C++ that the operator tables stand for.

Usage: run.py TABLES OUTPUT [--list]

--list prints the sources that would be written, joined by semicolons, for CMake: first the engine's, then "|", then those of the Python binding.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Python's -I leaves it out.

import gen_operators
import gen_registration
from model import TableError, read_tables


def optional(name: str) -> list[ModuleType]:
    """A generator that may not be there."""
    return [importlib.import_module(name)] if (Path(__file__).parent / f"{name}.py").exists() else []


ENGINE: list[ModuleType] = [gen_operators, gen_registration, *optional("gen_autograd")]
BINDING: list[ModuleType] = optional("gen_python")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    try:
        functions = read_tables(arguments.tables)
    except TableError as error:
        print(f"tensorlib/ops/functions/{error}", file=sys.stderr)
        return 1
    if arguments.list:
        print("|".join(";".join(os.path.normpath(arguments.output / f) for g in group for f in g.files(functions)) for group in (ENGINE, BINDING)))
        return 0
    for generator in (*ENGINE, *BINDING):
        generator.generate(functions, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
