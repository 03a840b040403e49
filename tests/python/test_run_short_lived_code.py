"""Code objects that died since: their addresses are used again, and names read later would be others'."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = """
import sys
addresses = set()
for i in range(int(sys.argv[1])):
    code = compile(f"def f{i}(x):\\n    return x ** 3.5\\nf{i}(2.5)", f"<made {i}>", "exec")
    addresses.add(id(code))
    exec(code, {})
    del code
print(len(addresses))
"""


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.long)])
def test_many_modules_at_few_addresses(callpath: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, count: int) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    output = tmp_path / "record.json"
    done = callpath("run", "--quiet", "--at", "float_pow", "--limit", str(count), "-o", output, tmp_path / "program.py", str(count), timeout=500)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < count / 10, "the code objects must have shared addresses for this to prove anything"
    events = json.loads(output.read_text())["events"]
    assert len(events) == count
    for i, event in enumerate(events):
        pythons = [(f["name"], f["source"]["file"], f["source"]["line"]) for f in event["frames"] if f["kind"] == "python"]
        assert pythons[:2] == [(f"f{i}", f"<made {i}>", 2), ("<module>", f"<made {i}>", 3)]
