"""callpath_capture_merged against what Python says of its own frames."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment, other_pythons

PROGRAM = """
import ctypes, sys, threading

class Frame(ctypes.Structure): _fields_ = [("pc", ctypes.c_uint64), ("sp", ctypes.c_uint64)]
class Python(ctypes.Structure):
    _fields_ = [("frame", ctypes.c_uint64), ("code", ctypes.c_uint64), ("instruction", ctypes.c_uint64), ("native", ctypes.c_uint32), ("owner", ctypes.c_uint32)]

library = ctypes.PyDLL(sys.argv[1])
library.callpath_capture_merged.restype = ctypes.c_size_t
frames, pythons = (Frame * 4096)(), (Python * 4096)()
assert library.callpath_refresh_modules() == 0

def look(expected_evaluations):
    count, end = ctypes.c_size_t(), ctypes.c_int(-1)
    natives = library.callpath_capture_merged(frames, 4096, pythons, 4096, ctypes.byref(count), ctypes.byref(end))
    theirs, frame = [], sys._getframe()
    while frame is not None:
        theirs.append(id(frame.f_code)); frame = frame.f_back
    assert end.value == 0
    assert [p.code for p in pythons[:count.value]] == theirs
    homes = [p.native for p in pythons[:count.value]]
    assert homes == sorted(homes) and len(set(homes)) == (expected_evaluations or len(set(homes))) and homes[-1] < natives
    sps = [frames[i].sp & ~1 for i in range(natives)]
    assert sps == sorted(sps)
    return True

def plain(depth): return plain(depth - 1) if depth else look(1)
def through_c(depth): return sorted([1], key=lambda _: through_c(depth - 1) if depth else look(6))

plain(20)
through_c(4)
done = []
thread = threading.Thread(target=lambda: done.append(look(0))); thread.start(); thread.join()
assert done == [True]
print("all the same")
"""


@pytest.mark.parametrize("interpreter", ["/usr/bin/python3", *other_pythons()])
def test_the_frames_are_those_of_python_itself(build: Path, tmp_path: Path, interpreter: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [interpreter, tmp_path / "program.py", build / "lib" / "libcallpath.so"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=120)
    assert (done.returncode, done.stdout) == (0, "all the same\n"), done.stderr
