"""The record's JSON Schema: it is one, the records of the tests obey it, and the reader and the schema refuse the same."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

Callpath = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    return json.loads((root / "tracer/data/callpath-1.schema.json").read_text())


def records(root: Path) -> list[Path]:
    return sorted((root / "tests/data/records").glob("*.json"))


def errors(schema: dict[str, Any], record: Any) -> list[str]:
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in jsonschema.Draft7Validator(schema).iter_errors(record)]


def test_the_schema_is_draft_07(schema: dict[str, Any]) -> None:
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_records_of_the_tests_obey_it_before_and_after_annotating(schema: dict[str, Any], root: Path, callpath: Callpath) -> None:
    assert records(root)
    for record in records(root):
        assert errors(schema, json.loads(record.read_text())) == [], record
        done = callpath("annotate", record)
        assert done.returncode == 0, done.stderr
        assert errors(schema, json.loads(done.stdout)) == [], record


BROKEN: dict[str, Callable[[dict[str, Any]], object]] = {
    "format": lambda r: r.update(format="callpath/2"),
    "no format": lambda r: r.pop("format"),
    "no events": lambda r: r.pop("events"),
    "no target": lambda r: r.pop("target"),
    "argv is text": lambda r: r["target"].update(argv="x"),
    "debug level": lambda r: r["modules"][0].update(debug="some"),
    "kind": lambda r: r["events"][0]["frames"][0].update(kind="other"),
    "layer": lambda r: r["events"][0]["frames"][0].update(layer="other"),
    "confidence": lambda r: r["events"][0]["frames"][0].update(confidence="sure"),
    "number is text": lambda r: r["events"][0]["frames"][0].update(number="0"),
    "pc is a number": lambda r: r["events"][0]["frames"][0].update(pc=1),
    "pc is no hex": lambda r: r["events"][0]["frames"][0].update(pc="1"),
    "negative module": lambda r: r["events"][0]["frames"][0].update(module=-1),
    "no name": lambda r: r["events"][0]["frames"][0].pop("name"),
    "value and reason": lambda r: r["events"][0]["frames"][0]["arguments"][0].update(reason="x"),
    "neither value nor reason": lambda r: r["events"][0]["frames"][0]["arguments"][0].pop("value"),
    "state": lambda r: r["events"][0]["operations"][0].update(state="x"),
    "no fact text": lambda r: r["events"][0]["facts"][0].pop("text"),
    "negative frame": lambda r: r["events"][0]["facts"][0].update(frame=-1),
    "options are text": lambda r: r["events"][0]["decisions"][0].update(options="x"),
    "lines are numbers": lambda r: r["events"][0]["frames"][0]["source"]["excerpt"].update(lines=[1]),
    "thread without id": lambda r: r["events"][0]["thread"].pop("tid"),
    "code without bytes": lambda r: r["events"][0]["frames"][26]["python"].update(code={"first_line": 1}),
}


@pytest.mark.parametrize("what", BROKEN)
def test_reader_and_schema_refuse_the_same(schema: dict[str, Any], root: Path, callpath: Callpath, what: str) -> None:
    record = json.loads((root / "tests/data/records/pow_kernel.json").read_text())
    broken = copy.deepcopy(record)
    BROKEN[what](broken)
    assert broken != record
    assert errors(schema, broken)
    done = callpath("annotate", "-", input=json.dumps(broken))
    assert done.returncode == 1 and "standard input" in done.stderr and done.stdout == ""


def test_annotate_is_hidden_but_has_help(callpath: Callpath) -> None:
    assert "annotate" not in callpath("--help").stdout
    assert "Example" in callpath("annotate", "--help").stdout


def test_annotate_writes_a_file_as_a_whole_or_not_at_all(root: Path, callpath: Callpath, tmp_path: Path) -> None:
    record = root / "tests/data/records/pow_kernel.json"
    out = tmp_path / "out.json"
    assert callpath("annotate", record, "-o", out).returncode == 0
    assert json.loads(out.read_text())["format"] == "callpath/1"
    before = out.read_text()
    cut = tmp_path / "cut.json"
    cut.write_text(before[:1000])
    done = callpath("annotate", cut, "-o", out)
    assert done.returncode == 1 and "cut off" in done.stderr
    assert out.read_text() == before
    assert callpath("annotate", record, "-o", tmp_path / "no" / "out.json").returncode == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.json", "out.json"]


def test_raw_code_is_decoded_and_dropped(root: Path, callpath: Callpath) -> None:
    import base64
    import dis
    import sys

    line = "y = X[:, 0]**2 + X[:, 1]**3        # true function"
    code = compile("\n" * 10 + line, "learn1.py", "exec")
    power = [i for i in dis.get_instructions(code) if i.opname == "BINARY_OP" and i.argrepr == "**"][1]
    record = json.loads((root / "tests/data/records/pow_kernel.json").read_text())
    event = record["events"][0]
    user = next(f for f in event["frames"] if f["layer"] == "user")
    user["python"] = {"qualname": "<module>", "code": {
        "bytecode": base64.b64encode(code._co_code_adaptive).decode(),  # type: ignore[attr-defined]
        "line_table": base64.b64encode(code.co_linetable).decode(), "first_line": code.co_firstlineno, "names": list(code.co_names),
        "instruction_offset": power.offset, "hex_version": sys.hexversion}}
    event["operations"] = []
    done = callpath("annotate", "-", input=json.dumps(record))
    assert done.returncode == 0, done.stderr
    event = json.loads(done.stdout)["events"][0]
    user = next(f for f in event["frames"] if f["layer"] == "user")
    assert "code" not in user["python"]
    instruction = user["python"]["instruction"]
    assert (instruction["opcode"], instruction["argrepr"], instruction["column"], instruction["end_column"]) == ("BINARY_OP", "**", 17, 27)
    marks = [(line[o["mark_begin"]:o["mark_end"]], o["state"]) for o in event["operations"]]
    assert marks == [("[:, 0]", "returned"), ("**2", "returned"), ("[:, 1]", "returned"), ("**3", "current"), ("+", "pending")]
