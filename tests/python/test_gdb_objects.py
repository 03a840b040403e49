"""Python objects and bytecode read from a stopped program's memory, against `repr` and `dis` of the same program in this process's interpreter."""

from __future__ import annotations

import dis
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from gdb_support import BUILDS, ROOT, answers

PROGRAM = '''class Point:
    def __init__(self):
        self.a = 1
        self.b = "x"

    def move(self):
        pass


def add(x, y):
    return id(x) + y


point = Point()
ring = [1]
ring.append(ring)
things = ["Tensor", "gr\\xf6\\xdfe", "\\u65e5\\u672c", "\\U0001f600", "", 0, -7, 1 << 100, -(1 << 61), True, None, ..., 1.5, -0.0, (1,), (1, (2, "b")), b"ab\\0", [[]], {},
          {"a": 1, 2: "b", None: (3,)}, point.__dict__, Point, int]  # fmt: skip
odd = ["a\\ud800b", ring, list(range(30)), add, add.__code__, point.move, len, str.upper, [[[[[[[1]]]]]]]]
if __name__ == "__main__":
    add((things, odd), 0)
'''


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("objects") / "objects.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def here(program: Path) -> dict:
    return runpy.run_path(str(program))


def item(part: int, index: int) -> str:
    return f"((PyListObject *)((PyTupleObject *)v)->ob_item[{part}])->ob_item[{index}]"


@pytest.fixture(scope="module", params=BUILDS)
def said(request: pytest.FixtureRequest, program: Path, here: dict, build: Path) -> dict[str, str]:
    if not Path(BUILDS[request.param]).exists():
        pytest.skip(f"{BUILDS[request.param]} is not installed")
    commands = {
        "break": "break builtin_id",
        "run": "run",
        **{f"thing {i}": f"callpath inspect {item(0, i)}" for i in range(len(here["things"]))},
        **{f"odd {i}": f"callpath inspect {item(1, i)}" for i in range(len(here["odd"]))},
        "python's": "python [o.pretty_printers.clear() for o in gdb.objfiles()]",  # Debian's own, which an installed python-dbg loads, goes first
        "printer": f"print {item(0, 1)}",
        "condition": f'print $_streq($_pystr({item(0, 0)}), "Tensor")',
        "number": f"print $_pystr({item(0, 6)}) + 1",
        "py": f"print $_py({item(0, 14)})",
        "nonsense": "callpath inspect 0x10",
        "null": "callpath inspect (PyObject *)0",
        "no pointer": "callpath inspect 1.5",
        "nothing": "callpath inspect",
        "listing": "callpath disassemble add",
        "innermost": "callpath disassemble",
        "nobody": "callpath disassemble nobody",
        "raw": "@by-hand callpath disassemble add",
        "by hand": f"@by-hand callpath inspect {item(0, 0)}",
        "layer": "print $_layer()",
    }
    found = answers(list(commands.values()), [BUILDS[request.param], program.name], program.parent, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    return dict(zip(commands, found, strict=True))


def test_values_read_as_repr_has_them(said: dict[str, str], here: dict) -> None:
    seen = [said[f"thing {i}"].strip() for i in range(len(here["things"]))]
    expected = [repr(thing).replace("__main__.", "") for thing in here["things"]]
    expected[-2] = "<class 'Point'>"  # a class made in Python does not carry its module in its C name
    assert seen == expected


def test_what_has_no_end_or_no_repr_is_cut_and_told(said: dict[str, str]) -> None:
    surrogate, ring, long, function, code, method, builtin, descriptor, deep = (said[f"odd {i}"].strip() for i in range(9))
    assert "ud800" in surrogate
    assert ring == "[1, ...]"
    assert long.startswith("[0, 1, ") and long.endswith("19, ... 10 more]")
    assert re.fullmatch(r"<function add, objects\.py:10>|<function add, .*/objects\.py:10>", function)
    assert re.fullmatch(r"<code add, .*objects\.py:10>", code)
    assert "Point.move" in method and "<built-in len at 0x" in builtin and "<method upper at 0x" in descriptor
    assert "..." in deep


def test_mistakes_are_told_as_such(said: dict[str, str]) -> None:
    assert said["nonsense"].startswith("<no object at 0x10")
    assert said["null"].strip() == "NULL"
    assert "is no pointer to a Python object" in said["no pointer"]
    assert "Usage: callpath inspect EXPR" in said["nothing"]
    assert "No Python frame runs nobody; on this thread: add, <module>" in said["nobody"]


def test_conditions_and_printers_use_the_same_reading(said: dict[str, str]) -> None:
    assert re.search(r"= 0x[0-9a-f]+ 'größe'", said["printer"])
    assert said["condition"].endswith("= 1\n") and said["number"].endswith("= -6\n")
    assert '"(1,)"' in said["py"]
    assert re.search(r'= "\w[\w-]+"', said["layer"])
    assert '"str"' in said["by hand"]


def test_bytecode_is_what_dis_shows(said: dict[str, str], here: dict) -> None:
    rows = re.findall(r"^ *(\d*) (=>|  ) +(\d+)  (0x[0-9a-f]+)  0x([0-9a-f]{4})  (.*)$", said["listing"], re.M)
    expected = {i.offset: i for i in dis.get_instructions(here["add"]) if i.opname != "CACHE"}
    assert [int(row[2]) for row in rows] == list(range(0, len(here["add"].__code__.co_code), 2))
    for row in rows:
        instruction = expected.get(int(row[2]))
        if instruction is None:
            assert row[5].strip() == "cache"
        else:
            shown = row[5].split()
            name = shown[shown.index("specialises") + 1] if "specialises" in shown else shown[0].removesuffix("_QUICK").removesuffix("_ADAPTIVE")
            assert name == instruction.opname
    lines = [int(row[0]) for row in rows if row[0]]
    assert lines == [line for _, line in dis.findlinestarts(here["add"].__code__)]
    (at,) = [int(row[2]) for row in rows if row[1] == "=>"]
    assert expected[at].opname in ("CALL", "PRECALL")
    assert said["innermost"] == said["listing"]


def test_plain_gdb_shows_the_same_units(said: dict[str, str]) -> None:
    units = re.findall(r"0x([0-9a-f]{4})\b", re.sub(r"^\s*0x[0-9a-f]+[^:]*:", "", said["raw"], flags=re.M))
    assert units == [row for row in re.findall(r"^ *\d* (?:=>|  ) +\d+  0x[0-9a-f]+  0x([0-9a-f]{4})", said["listing"], re.M)]


def written(*arguments: str | Path) -> str:
    script = ROOT / "tests" / "data" / "gdb" / "write_tables.py"
    return subprocess.run([sys.executable, script, "--print", *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("which", "file"), [("opcodes", "opcode_tables.py"), ("layouts", "layout_tables.py")])
def test_the_tables_are_the_tracers(which: str, file: str) -> None:
    assert (ROOT / "gdb" / "callpath_gdb" / file).read_text() == written(which)


def newest_headers() -> list[Path]:
    """Folders of CPython headers that declare _Py_DebugOffsets."""
    homes = [Path("/usr/include"), *Path.home().glob(".pyenv/versions/3.13.*/include")]
    return sorted(folder for home in homes for folder in home.glob("python3.13") if (folder / "internal" / "pycore_runtime.h").exists())


@pytest.mark.skipif(not newest_headers(), reason="no headers of CPython 3.13 here")
def test_where_an_interpreter_tells_its_own_offsets_is_what_headers_say() -> None:
    for include in newest_headers():
        assert (ROOT / "gdb" / "callpath_gdb" / "debug_offsets.py").read_text() == written("told", include)
