"""What differs between the Debians that the tests run on: the versions in names of interpreters and compilers."""

from __future__ import annotations

import shutil
import sys

PYTHON = "/usr/bin/python3"
MINOR = sys.version_info[1]  # the tests run in the interpreter that they look into
NAME = f"python3.{MINOR}"
BUILDS = {"release": f"/usr/bin/{NAME}", "debug": f"/usr/bin/{NAME}-dbg"}
LLVM = next((version for version in (19, 14) if shutil.which(f"clang++-{version}")), 14)
CLANG, SYMBOLIZER = f"clang++-{LLVM}", f"llvm-symbolizer-{LLVM}"
