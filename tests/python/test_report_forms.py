"""The forms of a report that other programs read: Markdown, SVG, folded stacks, speedscope, Perfetto; and reports that stay the same."""

import copy
import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from page_support import record

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

HOSTILE = ["operator|", "operator||", "a`b", "``", "`", "vector<T*>", "x_y_z", "two\nlines", "</script><b>x</b>", "a\\|b", "*em* [link](x) ~~s~~", " padded ", "<module>",
           "f<a&b>", '"q\'', "\x1b[31m", "$x$", "@someone", "&amp;", "T" * 10000]


@pytest.fixture(scope="module")
def several(root: Path) -> dict[str, Any]:
    """A record of six events in two threads, of three paths."""
    data = record(root)
    one = data["events"][0]
    shorter = copy.deepcopy(one)
    for key in ("facts", "decisions", "operations"):
        shorter[key] = []
    shorter["frames"] = shorter["frames"][20:]
    elsewhere = copy.deepcopy(shorter)
    elsewhere["thread"] = {"tid": 77, "name": "worker; 2"}
    data["events"] = [copy.deepcopy(event) for event in (one, one, shorter, elsewhere, one, elsewhere)]
    return data


@pytest.fixture
def report(callpath, tmp_path: Path):  # type: ignore[no-untyped-def]
    def run(data: dict[str, Any], form: str, *more: str) -> str:
        (tmp_path / "rec.json").write_text(json.dumps(data))
        done = callpath("report", tmp_path / "rec.json", "--format", form, *more)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def visible(text: str) -> str:
    """How a name is shown: control characters spelled out."""
    return "".join(f"\\x{ord(c):02x}" if ord(c) < 32 or ord(c) == 127 else c for c in text)


def hostile_record(root: Path) -> dict[str, Any]:
    data = record(root)
    frames = data["events"][0]["frames"]
    for frame, name in zip(frames, HOSTILE):
        frame["name"] = frame["full"] = name
    return data


@pytest.mark.skipif(not shutil.which("cmark-gfm"), reason="cmark-gfm is not installed")
def test_markdown_has_a_row_for_each_frame_with_its_name_as_it_is(report, root: Path) -> None:  # type: ignore[no-untyped-def]
    data = hostile_record(root)
    text = report(data, "markdown")
    html = subprocess.run(["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink"], input=text, capture_output=True, text=True, check=True).stdout
    tree = ElementTree.fromstring("<r>" + html.replace("<br />", " ") + "</r>")
    tables = tree.findall(".//table")
    rows = ["".join(row[2].itertext()) for table in tables if len(table.findall("thead/tr/th")) == 5 for row in table.findall("tbody/tr")]
    assert rows == [visible(f["name"]) for f in reversed(data["events"][0]["frames"])]
    assert all(len(row) == len(table.findall("thead/tr/th")) for table in tables for row in table.findall("tbody/tr"))
    assert not tree.findall(".//b") and not tree.findall(".//del") and not tree.findall(".//a")


def test_markdown_names_the_line_the_question_and_the_answer(report, root: Path) -> None:  # type: ignore[no-untyped-def]
    text = report(record(root), "markdown")
    assert "`y = X[:, 0]**2 + X[:, 1]**3`" in text
    assert "Which exponents have a branch of their own?" in text
    marked = [line.split(None, 2)[1:] for line in text.splitlines() if line.startswith("> ") and line[2:].strip()[:1].isdigit()]
    source = record(root)["events"][0]["frames"][0]["source"]
    assert [str(source["line"]), source["excerpt"]["lines"][source["line"] - source["excerpt"]["first"]].strip()] in marked


@pytest.mark.parametrize("language", ["en", "zh"])
def test_svg_is_xml_with_a_row_for_each_stage(report, root: Path, language: str) -> None:  # type: ignore[no-untyped-def]
    tree = ElementTree.fromstring(report(record(root), "svg", "--lang", language))
    ns = "{http://www.w3.org/2000/svg}"
    assert tree.tag == ns + "svg"
    rings = [c for c in tree.iter(ns + "circle") if c.get("r") == "10.5"]
    assert len(list(tree.iter(ns + "circle"))) - len(rings) == 14 and len(rings) == 1
    words = ["".join(t.itertext()) for t in tree.iter(ns + "text")]
    for name in ("wrapped", "THPVariable_pow", "basic_loop", "lambda(float)", "[AVX512]"):
        assert any(name in text for text in words), name
    assert not [e.tag for e in tree.iter() if e.tag.removeprefix(ns) in ("script", "image", "foreignObject", "a")]


def test_svg_escapes_names(report, root: Path) -> None:  # type: ignore[no-untyped-def]
    ElementTree.fromstring(report(hostile_record(root), "svg"))


def stack(event: dict[str, Any]) -> list[str]:
    return [visible(f["name"]) for f in reversed(event["frames"]) if f["kind"] != "elided"]


def test_collapsed_counts_equal_stacks(report, several) -> None:  # type: ignore[no-untyped-def]
    lines = report(several, "collapsed").splitlines()
    wanted = Counter(tuple(name.replace(";", ":") for name in stack(event)) for event in several["events"])
    assert {tuple(line.rsplit(" ", 1)[0].split(";")): int(line.rsplit(" ", 1)[1]) for line in lines} == wanted
    assert lines == sorted(lines)


SPEEDSCOPE = {  # after the format's public description: sampled profiles over shared frames
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "exporter": {"type": "string"},
        "name": {"type": "string"},
        "activeProfileIndex": {"type": "integer", "minimum": 0},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "number"}, "col": {"type": "number"}},
                        "additionalProperties": False,
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {"enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]},
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
                    "weights": {"type": "array", "items": {"type": "number"}},
                },
                "additionalProperties": False,
            },
        },
    },
}


def test_speedscope_has_a_profile_for_each_thread(report, several) -> None:  # type: ignore[no-untyped-def]
    data = json.loads(report(several, "speedscope"))
    jsonschema.validate(data, SPEEDSCOPE)
    names = [frame["name"] for frame in data["shared"]["frames"]]
    assert len(names) == len({json.dumps(frame) for frame in data["shared"]["frames"]})
    threads: dict[int, list[list[str]]] = {}
    for event in several["events"]:
        threads.setdefault(event["thread"]["tid"], []).append(stack(event))
    profiles = [[[names[i] for i in sample] for sample in profile["samples"]] for profile in data["profiles"]]
    assert sorted(profiles) == sorted(threads.values())
    for profile in data["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]


TRACE_EVENTS = {  # after the public description of Chrome's trace events: metadata, and slices that begin and end
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "otherData": {"type": "object", "additionalProperties": {"type": "string"}},
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ph", "pid", "tid"],
                "properties": {"pid": {"type": "integer"}, "tid": {"type": "integer"}, "ts": {"type": "number", "minimum": 0}},
                "oneOf": [
                    {"properties": {"ph": {"const": "M"}, "name": {"enum": ["process_name", "thread_name"]}, "args": {"required": ["name"]}},
                     "required": ["name", "args"]},
                    {"properties": {"ph": {"const": "B"}, "name": {"type": "string"}, "cat": {"type": "string"}, "args": {"type": "object"}},
                     "required": ["name", "ts"]},
                    {"properties": {"ph": {"const": "E"}}, "required": ["ts"]},
                ],
            },
        },
    },
}


def test_perfetto_replays_to_the_stacks(report, several) -> None:  # type: ignore[no-untyped-def]
    """Reading the slices back, each event's stack is what is open in the middle of its millisecond, and nothing stays open."""
    data = json.loads(report(several, "perfetto"))
    jsonschema.validate(data, TRACE_EVENTS)
    slices = [e for e in data["traceEvents"] if e["ph"] in "BE"]
    for number, event in enumerate(several["events"]):
        open_now: list[str] = []
        for entry in slices:
            if entry["tid"] != event["thread"]["tid"] or entry["ts"] > number * 1000 + 500:
                continue
            if entry["ph"] == "B":
                open_now.append(entry["name"])
            else:
                open_now.pop()
        assert open_now == stack(event), number
    for tid in {e["tid"] for e in slices}:
        own = [e for e in slices if e["tid"] == tid]
        assert [e["ts"] for e in own] == sorted(e["ts"] for e in own)
        assert sum(1 if e["ph"] == "B" else -1 for e in own) == 0


def test_every_form_takes_hostile_names(report, root: Path) -> None:  # type: ignore[no-untyped-def]
    data = hostile_record(root)
    json.loads(report(data, "speedscope"))
    json.loads(report(data, "perfetto"))
    assert len(report(data, "collapsed").splitlines()) == 1


def moved(data: dict[str, Any]) -> dict[str, Any]:
    """The same stop in a process that lies elsewhere in memory and has other thread numbers."""
    other = copy.deepcopy(data)
    for event in other["events"]:
        event["thread"]["tid"] += 1000
        for frame in event["frames"]:
            if "pc" in frame:
                frame["pc"] = hex(int(frame["pc"], 16) + 0x7000)
            for value in frame.get("arguments", []) + frame.get("locals", []):
                if "value" in value and "0x7" in value["value"]:
                    value["value"] = value["value"].replace("0x7", "0x6")
    return other


@pytest.mark.parametrize("form", ["text", "bt", "html", "present", "markdown", "svg", "collapsed", "speedscope", "perfetto"])
def test_a_stable_report_is_the_same_from_run_to_run(report, root: Path, form: str) -> None:  # type: ignore[no-untyped-def]
    data = json.loads((root / "tests/data/records/pow_kernel_process.json").read_text())
    other = moved(data)
    assert report(data, form, "--stable") == report(other, form, "--stable")
    if form == "html":
        assert report(data, form) != report(other, form)


def test_a_record_without_events_is_refused_by_every_form(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = record(root)
    data["events"] = []
    (tmp_path / "none.json").write_text(json.dumps(data))
    for form in ("html", "present", "markdown", "svg", "collapsed", "speedscope", "perfetto"):
        out = tmp_path / f"out.{form}"
        done = callpath("report", tmp_path / "none.json", "--format", form, "-o", out)
        assert done.returncode == 1 and "event" in done.stderr, form
        assert not out.exists()
