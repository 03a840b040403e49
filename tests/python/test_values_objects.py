"""Python objects among the arguments of C functions, read from memory, against repr() itself."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]

SAME = ["0", "3", "-7", "2**30", "-(2**31)", "2**59 - 1", "True", "False", "None", "0.5", "-2.0", "1e16", "1e-5", "123456789.125", "1e300", "float('nan')",
        "float('-inf')", "'abc'", "''", "\"it's\"", "'a\\nb\\\\'", "'été'", "'日本'", "(1, 2.5)", "(3,)", "()", "[]", "['x', None]", "((1, 2), [3])", "{}", "int", "ValueError"]
SPECIAL = [("lambda: 1", "<function <lambda>>"), ("len", "<built-in len>"), ("str.join", "<method 'join' of 'str' objects>"), ("object()", "<object object>"),
           ("(lambda: 1).__code__", "<code object <lambda>>"), ("{1: 2, 3: 4}", "<dict of 2>"), ("list(range(9))", "[0, 1, 2, 3, … 9 in all]"),
           ("2**100", "<int of 4 digits to base 2**30>"), ("type('Own', (), {})()", "<Own object>"), ("'x' * 100", "'" + "x" * 59 + "…")]


def shown(callpath: Run, folder: Path, expressions: list[str]) -> list[str]:
    """What the argument of id() is said to be, one call an expression."""
    program, out = folder / "p.py", folder / "r.json"
    program.write_text("".join(f"id({expression})\n" for expression in expressions))
    done = callpath("run", "--quiet", "--limit", str(len(expressions) + 200), "--at", "builtin_id", "-o", out, program)
    assert done.returncode == 0, done.stderr
    found = []
    for event in json.loads(out.read_text())["events"]:
        user = next(f for f in event["frames"] if f["kind"] == "python")
        if user.get("source", {}).get("file") == str(program):
            value = next(a for a in event["frames"][0]["arguments"] if a["name"] == "v")
            found.append(re.fullmatch(r"\(PyObject \*\) 0x[0-9a-f]+ (.*)", value["value"], re.DOTALL)[1])
    return found


@pytest.mark.skipif(not Path("/usr/lib/debug/.build-id").exists(), reason="python3-dbg, which describes the arguments, is not installed")
def test_objects_are_shown_as_repr_shows_them(callpath: Run, python: str, tmp_path: Path) -> None:
    code = f"import json\nprint(json.dumps([repr(eval(e)) for e in {SAME!r}]))"
    truth = json.loads(subprocess.run([python, "-c", code], capture_output=True, text=True, env=clean_environment(), check=True).stdout)
    assert shown(callpath, tmp_path, SAME) == truth
    assert shown(callpath, tmp_path, [expression for expression, _ in SPECIAL]) == [text for _, text in SPECIAL]
