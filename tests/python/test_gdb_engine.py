"""Walkthrough 01 under gdb on the engine itself: the record against gdb's own backtrace, the other outcomes, and the same in plain gdb."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from gdb_support import PYTHON, ROOT, backtrace, clean_environment, event, file_name, gdb, native, python_frames, typed

FOLDER = ROOT / "walkthroughs" / "01_pow_kernel"
WALK = tomllib.loads((FOLDER / "walk.toml").read_text())
PROGRAM = FOLDER / WALK["program"]


@pytest.fixture(scope="module")
def recorded(build: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """The walkthrough's record, taken once."""
    folder = tmp_path_factory.mktemp("walk")
    drive(build, folder)
    return json.loads((folder / "out.json").read_text())


def drive(build: Path, folder: Path, script: Path = PROGRAM, condition: str | None = None, variant: str = "", **environment: str) -> int:
    variables = {
        "CALLPATH_WALK": str(FOLDER),
        "CALLPATH_VARIANT": variant,
        "CALLPATH_OUT": str(folder / "out.json"),
        "CALLPATH_SCRIPT": str(script),
        "CALLPATH_BIN": str(build / "bin" / "callpath"),
        "CALLPATH_PROGRAM_ENV": json.dumps({"PYTHONPATH": str(build / "python"), **environment}),
    }
    if condition is not None:
        variables["CALLPATH_CONDITION"] = condition
    done = subprocess.run(
        ["gdb", "-nx", "-batch", "-x", str(FOLDER.parent / "drive.py")], env=clean_environment(**variables), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    assert done.returncode in (0, 3), done.stderr
    return done.returncode


def with_line(folder: Path, line: str) -> Path:
    lines = PROGRAM.read_text().splitlines()
    lines[WALK["line"]["number"] - 1] = line
    (folder / WALK["program"]).write_text("\n".join(lines) + "\n")
    return folder / WALK["program"]


def layers(frames: list[dict]) -> list[str]:
    """Layers in order, repeats and C++ plumbing left out."""
    found: list[str] = []
    for frame in frames:
        if frame["layer"] != "glue" and (not found or found[-1] != frame["layer"]):
            found.append(frame["layer"])
    return found


def fact(only: dict, name: str) -> object:
    return next(f["value"] for f in only["facts"] if f["name"] == name)


def test_the_article_s_frame_is_innermost(recorded: dict) -> None:
    (only,) = recorded["events"]
    innermost = only["frames"][0]
    assert re.fullmatch(
        r"tensorlib::native::(DEFAULT|AVX2|AVX512)::pow_tensor_scalar_optimized_kernel<float, double, double>"
        r"\(tensorlib::TensorIteratorBase&, double\)::\{lambda\(float\)#\d+\}::operator\(\)\(float\) const",
        innermost["full"],
    )
    assert {a["name"]: a["value"] for a in innermost["arguments"]}["base"] == "-1.1523602"
    excerpt = innermost["source"]["excerpt"]
    assert excerpt["lines"][innermost["source"]["line"] - excerpt["first"]].strip() == "return base * base * base;"
    assert file_name(innermost) == "PowKernel.cpp"


def test_the_path_runs_through_every_layer(recorded: dict) -> None:
    (only,) = recorded["events"]
    expected = ["kernel", "loop", "kernel", "stub", "operator", "dispatcher", "autograd", "dispatcher", "binding", "protocol", "wrapper", "eval", "protocol", "user", "eval", "startup"]
    assert layers(only["frames"]) == expected
    assert only["complete"] and not only["thread"].get("note")


def test_python_frames_are_the_wrapper_and_the_line(recorded: dict) -> None:
    wrapped, module = python_frames(recorded["events"][0]["frames"])
    assert wrapped["name"] == "wrapped" and file_name(wrapped) == "_tensor.py"
    assert "return f(*args, **kwargs)" in wrapped["source"]["excerpt"]["lines"][wrapped["source"]["line"] - wrapped["source"]["excerpt"]["first"]]
    assert module["name"] == "<module>" and module["source"]["line"] == 11
    instruction = module["python"]["instruction"]
    assert (instruction["opcode"], instruction["argrepr"]) == ("BINARY_OP", "**")
    # the columns of X[:, 1]**3, as Python itself compiles the line
    line = PROGRAM.read_text().splitlines()[10]
    positions = {p[2:] for p in compile(PROGRAM.read_text(), "learn1.py", "exec").co_positions() if p[0] == 11}
    (power,) = {(begin, end) for begin, end in positions if line[begin:end] == "X[:, 1]**3"}
    assert (instruction["column"], instruction["end_column"]) == power


def test_functions_that_left_by_a_jump_stand_between_wrapper_and_kernel(recorded: dict) -> None:
    frames = recorded["events"][0]["frames"]
    names = [f["name"] for f in frames]
    between = frames[names.index("pow_tensor_scalar_kernel") + 1 : names.index("wrapper_CPU_pow_Tensor_Scalar")]
    assert [(f["kind"], f["layer"]) for f in between] == [("elided", "stub"), ("elided", "operator")]
    assert re.match(r"tensorlib::native::DispatchStub<.*>::operator\(\)\(", between[0]["full"])
    assert between[1]["full"].startswith("tensorlib::native::structured_pow_Tensor_Scalar_out::impl(")


def test_facts_are_read_from_the_stopped_program(recorded: dict) -> None:
    (only,) = recorded["events"]
    assert fact(only, "base") == -1.1523602
    assert fact(only, "strides") == [4, 8] and fact(only, "n") == 10000 and fact(only, "exponent") == 3
    decisions = {d["id"]: d["taken"] for d in only["decisions"]}
    assert decisions["loop.lambda"] == "scalar" and decisions["kernel.exponent"] == "3"


def test_the_record_obeys_the_schema(recorded: dict) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(recorded, json.loads((ROOT / "tracer" / "data" / "callpath-1.schema.json").read_text()))


def test_native_frames_are_those_of_plain_gdb(recorded: dict, build: Path, tmp_path: Path) -> None:
    """by_hand.gdb stops in the same place with nothing of ours; its backtrace names the same functions, files and lines."""
    said = by_hand(build, tmp_path, ["echo \\n--- names\\n", "bt -frame-arguments none"])
    theirs = backtrace(said.partition("--- names")[2])
    ours = native(recorded["events"][0]["frames"])
    assert [f["number"] for f in ours] == [t.level for t in theirs]
    assert [(file_name(f), f["source"]["line"]) for f in ours if f.get("source")] == [(t.file, t.line) for t in theirs if t.file]
    assert [plain(f["full"]) for f in ours] == [plain(t.function) for t in theirs]


def plain(name: str) -> str:
    """The last component of a name: gdb leaves return types, parameters and template arguments of some frames out, never this."""
    name = re.sub(r"\.(constprop|isra|part|lto_priv)(\.\d+)*", "", name).replace("operator()", "operator_call").replace("->", "")
    outer, depth = "", 0
    for char in name:
        depth += (char in "<({") - (char in ">)}")
        outer += char if depth == 0 and char not in ">)}" else ""
    return re.split(r"::|\s", outer.removesuffix(" const"))[-1]


def by_hand(build: Path, folder: Path, more: list[str]) -> str:
    script = folder / "by_hand.gdb"
    script.write_text("\n".join([f"source {FOLDER / 'by_hand.gdb'}", *more]) + "\n")
    argv = ["gdb", "-nx", "-batch", "-iex", f"set environment PYTHONPATH {build / 'python'}", "-x", str(script), "--args", PYTHON, str(PROGRAM)]
    done = subprocess.run(argv, env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def test_plain_gdb_shows_the_same(build: Path, tmp_path: Path) -> None:
    said = by_hand(build, tmp_path, [])
    assert "base = -1.1523602" in said and "$1 = -1.1523602" in said and "$2 = -1.5302583" in said
    assert "return f(*args, **kwargs)" in said and "learn1.py\", line 11, in <module>" in said
    assert "callpath" not in re.sub(r"#.*", "", (FOLDER / "by_hand.gdb").read_text())


def test_the_plain_commands_of_every_stage_work(recorded: dict, build: Path, tmp_path: Path) -> None:
    """Each as the report prints it, for each frame that it is meant for, in one gdb session that has nothing of ours."""
    commands = []
    for stage in WALK["by_hand_stage"]:
        numbers = [f["number"] for f in recorded["events"][0]["frames"] if f["layer"] == stage["layer"] and f.get("number") is not None and re.search(stage.get("function", ""), f["full"])]
        assert numbers, f"no frame for {stage}"
        commands += [command.replace("{frame}", str(numbers[0])) for command in stage["commands"]]
    said = by_hand(build, tmp_path, ["echo \\n--- stages\\n", *commands]).partition("--- stages")[2]
    for shown in ("= -1.1523602", "= 3", "{4, 8}", "= 10000", ">11 ", "args = (<Tensor", "ScalarType::Float", "= false"):
        assert shown in said, shown
    assert not re.search(r"\$\d+ = <optimized out>|No symbol|No frame", said)


@pytest.mark.parametrize("variant", WALK["variant"], ids=lambda v: v["name"])
def test_each_variant_differs_where_it_says(variant: dict, recorded: dict, build: Path, tmp_path: Path) -> None:
    script = with_line(tmp_path, variant["line"])
    assert drive(build, tmp_path, script, variant.get("condition"), variant["name"], **variant.get("environment", {})) == 0
    ours, theirs = ({d["id"]: d["taken"] for d in r["events"][0]["decisions"]} for r in (json.loads((tmp_path / "out.json").read_text()), recorded))
    same_capability = variant["name"] in ("default", "avx2") and variant["name"] == theirs[variant["differs"]].lower()
    assert (ours[variant["differs"]] != theirs[variant["differs"]]) != same_capability


@pytest.mark.parametrize(("line", "condition", "name"), [("y = X[0]**3", "exp == 3", "lambda(float)"), ("y = X.contiguous()**3.0", "exp == 3.0", "Vectorized"), ("y = X[:, 1]**0.5", "exp == 0.5", "lambda(float)")])
def test_lines_of_the_learners_own(line: str, condition: str, name: str, build: Path, tmp_path: Path) -> None:
    assert drive(build, tmp_path, with_line(tmp_path, line), condition) == 0
    assert name in event(tmp_path / "out.json")["frames"][0]["name"]


def test_a_line_that_needs_no_kernel_does_not_reach_the_stop(build: Path, tmp_path: Path) -> None:
    assert drive(build, tmp_path, with_line(tmp_path, "y = X[:, 1]**1"), "exp == 1") == 3
    assert not (tmp_path / "out.json").exists()


AT_KERNEL = ["break pow_tensor_scalar_optimized_kernel if exp == 3", "run"]


def at_prompt(build: Path, folder: Path, commands: list[str]) -> str:
    session = gdb(
        [f"set environment PYTHONPATH {build / 'python'}", *AT_KERNEL, *commands], [PYTHON, PROGRAM], folder, env={"CALLPATH_BIN": str(build / "bin" / "callpath")}
    )
    assert session.code == 0, session.err
    return session.out.partition("exp == 2.0")[2] or session.out


def frames(text: str) -> set[int]:
    return {int(n) for n in re.findall(r"^\W*#(\d+) ", text, re.M)}


def rows(text: str) -> list[int]:
    """First frame of each stage: the number that ends in column 15 of a row that names a layer."""
    return [int(m[1]) for m in re.finditer(r"^.{8} *(\d+)(?:[–-]\d+)?  ?[a-z-]+ ", text, re.M)]


def test_bt_prints_the_path_in_gdbs_order(build: Path, tmp_path: Path) -> None:
    said = at_prompt(build, tmp_path, ["callpath bt"])
    numbers = rows(said)
    assert numbers[0] == 0 and numbers == sorted(numbers) and len(numbers) > 8
    assert said.index("pow_tensor_scalar_optimized_kernel") < said.index("wrapped") < said.index("<module>")
    assert "\x1b[" not in said


def test_bt_full_shows_every_frame_and_a_limit_the_innermost(build: Path, tmp_path: Path) -> None:
    said = at_prompt(build, tmp_path, ["callpath bt -full", "echo --- limit\\n", "callpath bt -full 3", "echo --- gdb\\n", "bt -frame-arguments none"])
    full, _, rest = said.partition("--- limit")
    limited, _, plain_gdb = rest.partition("--- gdb")
    assert frames(full) == {line.level for line in backtrace(plain_gdb)}
    assert frames(limited) == {0, 1, 2}
    assert rows(limited)[0] == 0 and max(rows(limited)) < 3
    assert "More stack frames follow" in limited


def test_at_a_terminal_bt_uses_its_colours_and_its_width(build: Path, tmp_path: Path) -> None:
    env = clean_environment(CALLPATH_BIN=str(build / "bin" / "callpath"), TERM="xterm-256color", LC_ALL="C.UTF-8", NO_COLOR=None)
    start = ["set confirm off", "set pagination off", "set width 120", "set debuginfod enabled off", "set breakpoint pending on", f"source {ROOT}/gdb/load.py"]
    start += [f"set environment PYTHONPATH {build / 'python'}", *AT_KERNEL]
    screen = typed([*start, "callpath bt", "set style enabled off", "echo --- plain\\n", "callpath bt"], ["--args", PYTHON, str(PROGRAM)], tmp_path, env)
    coloured, _, plain_text = screen.rpartition("--- plain")
    coloured = coloured[coloured.index("pow_tensor_scalar_optimized_kernel", coloured.rindex("callpath bt")) :]
    assert "\x1b[" in coloured[: coloured.index("startup")]
    assert "\x1b[3" not in plain_text and "startup" in plain_text
    assert 100 < max(len(line) for line in plain_text.splitlines()) <= 120
