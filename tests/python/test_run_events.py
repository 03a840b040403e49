"""`callpath run --events`: class bodies, code objects, imports and audit events, against what Python itself tells of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = '''
class Meta(type):
    pass


class Tensor(metaclass=Meta):
    def norm(self):
        return [x for x in ()]


class Größe(Tensor):
    pass


import colorsys
'''

# Python's own word: an audit hook and a replaced __build_class__ see the same events.
WITNESS = '''
import builtins, json, sys
seen = {"class": [], "import": []}
build = builtins.__build_class__
def witness(body, name, *bases, **keywords):
    seen["class"].append(name)
    return build(body, name, *bases, **keywords)
builtins.__build_class__ = witness
sys.addaudithook(lambda event, args: seen["import"].append(args[0]) if event == "import" else None)
code = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
exec(code, {"__name__": "__main__"})
print(json.dumps(seen))
'''


@pytest.fixture
def events_of(callpath: Run, tmp_path: Path) -> Callable[..., list[dict]]:
    """events_of(kinds, program, *options): the recorded events."""

    def run(kinds: str, program: str = PROGRAM, *options: str) -> list[dict]:
        script, record = tmp_path / "program.py", tmp_path / "record.json"
        script.write_text(program)
        done = callpath("run", "--quiet", "--events", kinds, *options, "-o", record, script)
        assert done.returncode == 0, done.stderr
        return json.loads(record.read_text())["events"]

    return run


def name_of(event: dict) -> str:
    """What the event is about: the fact of the innermost frame that is named like its kind."""
    word = {"class-build": "class"}.get(event["trigger"]["kind"], event["trigger"]["kind"])
    return next(fact["value"] for fact in event["facts"] if fact["name"] == word)


def of_program(event: dict, script: str = "program.py") -> bool:
    return any(frame["kind"] == "python" and (frame.get("source") or {}).get("file", "").endswith(script) for frame in event["frames"])


def witnessed(tmp_path: Path) -> dict[str, list[str]]:
    (tmp_path / "witness.py").write_text(WITNESS)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        ["/usr/bin/python3", tmp_path / "witness.py", tmp_path / "program.py"], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_classes_and_imports_are_those_that_python_tells(events_of: Callable[..., list[dict]], tmp_path: Path) -> None:
    events = [event for event in events_of("class,import", PROGRAM, "--limit", "1000") if of_program(event)]
    truth = witnessed(tmp_path)
    truth["import"].remove("unicodedata")  # The compiler's own, for the name Größe, before the program runs.
    for kind, trigger in (("class", "class-build"), ("import", "import")):
        assert [name_of(e) for e in events if e["trigger"]["kind"] == trigger] == truth[kind]
    assert "Größe" in truth["class"] and "colorsys" in truth["import"]


def code_names(code: CodeType) -> list[str]:
    """The names of a module's code objects in the order in which the compiler finishes them: inner ones first."""
    names: list[str] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += code_names(constant)
    return [*names, code.co_name]


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the order of code objects is told by the compiler of the traced version, 3.11")
def test_code_objects_are_those_that_the_compiler_makes(events_of: Callable[..., list[dict]]) -> None:
    events = events_of("compile", PROGRAM, "--limit", "10000")
    names = [name_of(event) for event in events]
    own = code_names(compile(PROGRAM, "program.py", "exec"))
    start = next(i for i in range(len(names)) if names[i : i + len(own)] == own)
    # The program is compiled before its first line runs.
    assert not any(of_program(event) for event in events[start : start + len(own)])
    functions = [frame["name"] for frame in events[start]["frames"]]
    assert functions[0] == "_PyCode_New" or "_PyCode_New" in functions
    assert "compiler_class" in " ".join(functions) or "compiler_visit_stmt" in " ".join(functions)


def test_a_name_chooses_among_events(events_of: Callable[..., list[dict]]) -> None:
    (event,) = events_of("class:Tens*")
    assert name_of(event) == "Tensor"
    assert event["trigger"]["spec"] == "class:Tens*"
    fact = next(fact for fact in event["facts"] if fact["name"] == "class")
    assert fact["how"] == "argument args[1]"
    user = next(frame for frame in event["frames"] if frame["kind"] == "python")
    assert user["python"]["instruction"]["opcode"] == "CALL"
    assert user["source"]["line"] == PROGRAM[: PROGRAM.index("class Tensor")].count("\n") + 1


def test_audit_events_have_their_names(events_of: Callable[..., list[dict]]) -> None:
    program = "import sys\nsys.addaudithook(lambda *event: None)\nsys.audit('callpath.test', 1)\nopen('/dev/null').close()\n"
    names = [name_of(event) for event in events_of("audit", program, "--limit", "10000") if of_program(event)]
    assert [name for name in names if name in ("callpath.test", "open")] == ["callpath.test", "open"]


def test_events_and_probes_share_a_run(events_of: Callable[..., list[dict]]) -> None:
    events = events_of("class:A", "class A: pass\nx = 2.5\nx **= 3.5\nclass B: pass\n", "--at", "float_pow", "--limit", "2")
    assert [event["trigger"]["kind"] for event in events] == ["class-build", "probe"]


def test_unknown_kinds_and_empty_names_are_refused(callpath: Run, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("")
    for kinds, what in (("clas", "'clas' is no kind of event"), ("class:", "the name after 'class:' is empty"), ("", "--at PROBE or --events KINDS")):
        done = callpath("run", "--events", kinds, tmp_path / "p.py")
        assert done.returncode in (1, 2)
        assert what in done.stderr


def test_a_name_that_no_event_has_is_not_reached(callpath: Run, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("class A: pass\n")
    done = callpath("run", "--events", "class:Tensor", tmp_path / "p.py")
    assert done.returncode == 3
    assert "no event had that name" in done.stderr


def passes(event: dict, function: str) -> bool:
    return any(frame["name"] == function for frame in event["frames"])


def test_events_begin_with_the_program(events_of: Callable[..., list[dict]]) -> None:
    own = events_of("class")
    assert [name_of(event) for event in own[:3]] == ["Meta", "Tensor", "Größe"]
    assert not any(passes(event, "Py_InitializeFromConfig") for event in own)


def test_the_interpreters_own_start_is_recorded_on_request(events_of: Callable[..., list[dict]]) -> None:
    first = events_of("class", PROGRAM, "--from-start", "--limit", "3")
    assert all(passes(event, "Py_InitializeFromConfig") for event in first)


def test_a_class_of_the_start_alone_is_told(callpath: Run, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = callpath("run", "--events", "class:Quitter", script)
    assert done.returncode == 3
    assert "'class:Quitter' happened 1 time while Python started and not after that" in done.stderr
    assert "--from-start" in done.stderr


def test_code_read_from_a_pyc_is_not_compiled(callpath: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.py").write_text("def inner(): pass\n")
    script, record = tmp_path / "program.py", tmp_path / "record.json"
    script.write_text("import part\n(lambda: 0).__code__.replace(co_name='copied')\n")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "cache"))

    def names() -> list[str]:
        done = callpath("run", "--quiet", "--events", "compile", "--limit", "1000", "-o", record, script)
        assert done.returncode == 0, done.stderr
        return [name_of(event) for event in json.loads(record.read_text())["events"]]

    first, second = names(), names()
    assert "inner" in first and "inner" not in second
    assert "<lambda>" in second and "copied" not in second
