"""Bytecode decoded by the tracer equals what Python's own `dis` and `co_positions` say of it."""

import base64
import dis
import json
import opcode
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

MODULES = """argparse ast asyncio.base_events asyncio.events base64 bdb calendar cgi cmd code codecs collections concurrent.futures.thread configparser
contextlib copy csv ctypes dataclasses datetime decimal difflib dis doctest email.message email.header enum fileinput fractions ftplib functools
gettext glob gzip hashlib heapq html.parser http.client imaplib inspect ipaddress json.decoder json.encoder keyword linecache locale logging
mailbox mimetypes multiprocessing.pool numbers opcode optparse os pathlib pdb pickle pickletools platform plistlib pprint profile pydoc queue
random re._compiler re._parser sched shelve shlex shutil smtplib socket socketserver sqlite3.dbapi2 ssl statistics string subprocess symtable
tarfile tempfile textwrap threading timeit tokenize traceback turtle types typing unittest.case unittest.mock urllib.parse urllib.request uuid
warnings weakref xml.dom.minidom xml.etree.ElementTree zipfile zipimport""".split()

# dis prints nothing for these; the record names what they compare.
NAMED_BY_US = {"CONTAINS_OP", "IS_OP"}
NAMES = {"BINARY_OP", "COMPARE_OP", "LOAD_GLOBAL"} | {opcode.opname[number] for number in opcode.hasname}


def as_json(code: CodeType, **more: object) -> str:
    raw = {
        "bytecode": base64.b64encode(code._co_code_adaptive).decode(),  # type: ignore[attr-defined]
        "line_table": base64.b64encode(code.co_linetable).decode(),
        "first_line": code.co_firstlineno,
        "names": list(code.co_names),
        "hex_version": sys.hexversion,
    }
    return json.dumps(raw | more)


def ask(build: Path, command: str, questions: list[str]) -> list[Any]:
    probe = build / "bin" / "callpath_python_probe"
    answer = subprocess.run([probe, command], input="\n".join(questions) + "\n", capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_codes(constant)


def expected(code: CodeType) -> list[list[Any]]:
    base = {i.offset: i for i in dis.get_instructions(code)}
    rows = []
    for adaptive in dis.get_instructions(code, adaptive=True):
        plain = base[adaptive.offset]
        places = [*plain.positions] if plain.positions else [None] * 4
        argument = plain.argrepr if plain.opname in NAMES else ""
        rows.append([plain.offset, plain.opname, adaptive.opname, plain.arg if plain.arg is not None else None, argument, *places])
    return rows


def compare(build: Path, codes: list[CodeType]) -> int:
    """How many instructions were compared."""
    count = 0
    for code, ours in zip(codes, ask(build, "decode", [as_json(code) for code in codes]), strict=True):
        theirs = expected(code)
        assert len(ours) == len(theirs), code
        for our, their in zip(ours, theirs, strict=True):
            if their[3] is None:
                our[3] = None
            if their[1] in NAMED_BY_US:
                our[4] = ""
            assert our == their, f"{code} at {their[0]}"
            count += 1
    return count


def source_of(module: str) -> Path:
    """Its file in the library; frozen modules name none themselves."""
    path = Path(sysconfig.get_paths()["stdlib"], *module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_every_instruction_and_position_of_many_modules_equals_dis(build: Path) -> None:
    codes: list[CodeType] = []
    for name in MODULES:
        file = source_of(name)
        codes += all_codes(compile(file.read_bytes(), str(file), "exec", dont_inherit=True))
    assert len(MODULES) >= 50
    assert compare(build, codes) > 300_000


def test_specialised_instructions_are_known_by_both_names(build: Path) -> None:
    def warm(numbers: list[int], words: dict[str, int]) -> int:
        total = 0
        for i in range(len(numbers)):
            total = total + numbers[i] + words["a"]
            total *= 2
            total %= 7
            if total == 3:
                total -= 1
        return total

    for _ in range(100):
        warm([1, 2, 3], {"a": 1})
    names = {row[2] for row in expected(warm.__code__)}
    assert {"BINARY_OP_ADD_INT", "BINARY_SUBSCR_LIST_INT", "BINARY_SUBSCR_DICT"} <= names
    compare(build, [warm.__code__])


def test_extended_arguments_and_lines_far_apart(build: Path) -> None:
    names = ", ".join(f"name_{i}.attribute_{i}" for i in range(70_000))
    source = f"def f():\n    return [{names}]\n" + "\n" * 3_000 + "x = f(1,\n" + "\n" * 300 + "2)\n"
    compare(build, list(all_codes(compile(source, "long.py", "exec"))))


def test_code_without_a_line_table_has_no_lines(build: Path) -> None:
    def f(a: int) -> int:
        return a + 1

    bare = f.__code__.replace(co_linetable=b"")
    rows = ask(build, "decode", [as_json(bare)])[0]
    assert rows and all(row[5:] == [None] * 4 for row in rows)
    assert rows == [[*row[:5], None, None, None, None] for row in ask(build, "decode", [as_json(f.__code__)])[0]]


def operations(build: Path, source: str, pick: str, with_source: bool = True) -> list[tuple[str, str]]:
    """Marked text and state of each operation of the statement in which `pick` ("OPCODE" or "OPCODE argument", first such) stands."""
    source = textwrap.dedent(source)
    code = compile(source, "picked.py", "exec")
    if "def " in source:
        code = next(c for c in code.co_consts if isinstance(c, CodeType))
    wanted = pick.split()
    at = next(i for i in dis.get_instructions(code) if i.opname == wanted[0] and wanted[1:] in ([], [i.argrepr]))
    lines = source.splitlines()
    question = as_json(code, offset=at.offset, **({"source": lines} if with_source else {}))
    return [(marked(lines, row), row["state"]) for row in ask(build, "operations", [question])[0]]


def marked(lines: list[str], row: dict[str, Any]) -> str:
    begin, end = row["mark"]
    return "" if begin is None else lines[row["line"] - 1].encode()[begin:end].decode()


ARTICLE = "y = X[:, 0]**2 + X[:, 1]**3        # true function\n"


def test_the_articles_line_has_five_operations(build: Path) -> None:
    assert operations(build, ARTICLE, "BINARY_OP +") == [
        ("[:, 0]", "returned"), ("**2", "returned"), ("[:, 1]", "returned"), ("**3", "returned"), ("+", "current"),
    ]
    source = "import torch\n" * 3 + "X = torch.randn(1)\n" + ARTICLE + "y = y.unsqueeze(1)\n"
    assert operations(build, source, "BINARY_OP **") == [
        ("[:, 0]", "returned"), ("**2", "current"), ("[:, 1]", "pending"), ("**3", "pending"), ("+", "pending"),
    ]


@pytest.mark.parametrize(
    ("source", "pick", "marks"),
    [
        ("r = f(g(x), y)\n", "CALL", ["(x)", "("]),
        ("r = X[:, 1].contiguous()**3\n", "CALL", ["[:, 1]", ".contiguous()", "**3"]),
        ("r = (a + b) * c\n", "BINARY_OP *", ["+ b", "* c"]),
        ("x += 1\n", "BINARY_OP +=", ["+= 1"]),
        ("r = -x < y\n", "COMPARE_OP", ["-x", "< y"]),
        ("a.b[i] = v\n", "STORE_SUBSCR", [".b", "[i]"]),
        ("import os\nimport sys\n", "IMPORT_NAME sys", ["import sys"]),
        ("ä = 'äöü' + x[1]\n", "BINARY_OP +", ["[1]", "+"]),
        ("a = f(1); b = g(2)\n", "CALL", ["(1)", "(2)"]),
        ("y = f(*a, **k)\n", "CALL_FUNCTION_EX", ["(*a, **k)"]),
        ("if a in b:\n    c()\n", "CONTAINS_OP", ["in b"]),
    ],
)
def test_an_operation_is_marked_without_its_operands_own_operations(build: Path, source: str, pick: str, marks: list[str]) -> None:
    found = [text for text, _ in operations(build, source, pick)]
    assert found == marks


def test_a_call_spread_over_lines_is_one_statement(build: Path) -> None:
    source = """\
        before()
        r = multi(
            1,
            (lambda: 2)(),
            a[0] + 1,
        )
        after()
        """
    assert operations(build, source, "BINARY_OP +") == [("()", "returned"), ("[0]", "returned"), ("+ 1", "current"), ("(", "pending")]
    assert [text for text, _ in operations(build, source, "CALL")] == ["()"], "before() is a statement of its own"


def test_lines_of_a_with_block_stay_statements_of_their_own(build: Path) -> None:
    source = """\
        def f():
            with first(a) as b:
                second(b)
                x = third(
                    b)
            return fourth(x)
        """
    assert [text for text, _ in operations(build, source, "CALL")] == ["(a)", "with"]
    code = compile(textwrap.dedent(source), "f.py", "exec").co_consts[0]
    calls = [i for i in dis.get_instructions(code) if i.opname == "CALL"]
    lines = [sorted({row["line"] for row in rows}) for rows in ask(build, "operations", [as_json(code, offset=i.offset) for i in calls])]
    assert lines == [[2], [3], [4], [2], [6]]  # the fourth is __exit__, which carries the line of `with`


def test_precall_counts_as_its_call(build: Path) -> None:
    assert operations(build, "f(1)\n", "PRECALL") == [("(1)", "current")]


def test_a_current_instruction_that_is_no_operation_is_listed_all_the_same(build: Path) -> None:
    assert ("current") in [state for _, state in operations(build, "a.method(1)\n", "LOAD_METHOD")]
