"""The path of `X[:, 1]**3` from inside the process, against gdb's own frames of the same stop."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]

LAMBDAS = "*::pow_*kernel<*>(*)::{lambda(*)#*}::operator()(*) const"

LINE = "y = X[:, 0]**2 + X[:, 1]**3"
PROGRAM = "\n" * 7 + "import tensorlib as torch\ntorch.manual_seed(0)\nX = torch.randn(10000, 2)\n{line}\n"

GDB_FRAMES = """
import json
out = []
frame = gdb.newest_frame()
while frame is not None:
    sal = frame.find_sal()
    if frame.type() != gdb.TAILCALL_FRAME:
        out.append({"name": frame.name(), "line": sal.line if sal.symtab else None, "inlined": frame.type() == gdb.INLINE_FRAME,
                    "pc": frame.pc() & 0xfff})
    frame = frame.older()
print("FRAMES " + json.dumps(out))
print("BASE " + str(gdb.newest_frame().read_var("base")))
frame = gdb.newest_frame()
while "optimized_kernel<" not in frame.name() or "lambda" in frame.name():
    frame = frame.older()
frame.select()
print("ITER " + json.dumps({name: str(gdb.parse_and_eval("iter." + name)) for name in ("numel_", "common_dtype_")}))
"""


@pytest.fixture
def recorded(callpath: Run, tmp_path: Path) -> Callable[..., dict]:
    """recorded(line, condition, **environment): the recording of a run, whose statistics are under "stops"."""

    def run(line: str = LINE, condition: str = "exp == 3", **environment: str) -> dict:
        program, record = tmp_path / "learn1.py", tmp_path / "r.json"
        program.write_text(PROGRAM.format(line=line))
        done = callpath("run", "--quiet", "--statistics", "--at", LAMBDAS, "--if", condition, "-o", record, program, env=dict(environment))
        assert done.returncode == 0, done.stderr
        recording = json.loads(record.read_text())
        recording["stops"] = dict((name, int(count)) for count, name in re.findall(r"(\d+) (loader|gate|target)", done.stderr))
        return recording

    return run


def bare(name: str) -> str:
    """A function's name without template arguments, parameters, clone suffix and lambda number."""
    name = re.sub(r"\{lambda\(([^()]*)\)#\d+\}::operator\(\).*", r"lambda", name)
    name = re.sub(r"\.(constprop|isra|part|lto_priv|cold)(\.\d+)*", "", name)
    kept, depth = "", 0
    for at, char in enumerate(name):
        if char in "<(" and not name[:at].endswith("operator"):
            depth += 1
        elif char in ">)" and depth:
            depth -= 1
        elif depth == 0:
            kept += char
    return kept.replace("operator()", "operator").split("::")[-1].removesuffix(" const").strip().removeprefix("__GI_")


@pytest.fixture(scope="module")
def gdbs(build: Path, python: str, root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict], str, dict[str, str]]:
    """gdb's frames at the lambda for exponent 3, and what it prints for `base` and for members of the kernel's `iter`."""
    folder = tmp_path_factory.mktemp("gdb")
    program, frames, script = folder / "learn1.py", folder / "frames.py", folder / "go.gdb"
    program.write_text(PROGRAM.format(line=LINE))
    frames.write_text(GDB_FRAMES)
    source = (root / "tensorlib/native/cpu/PowKernel.cpp").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if text.strip() == "return base * base * base;")
    script.write_text(
        "set pagination off\nset confirm off\nset debuginfod enabled off\nset breakpoint pending on\nset backtrace past-main on\n"
        f"set environment PYTHONPATH {build}/python\n"
        "break pow_tensor_scalar_optimized_kernel if exp == 3\nrun\ndelete\n"
        f"break PowKernel.cpp:{line}\ncontinue\nsource {frames}\nkill\n"
    )
    command = ["gdb", "-nx", "-batch", "-x", str(script), "--args", python, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=clean_environment())
    found = re.search(r"^FRAMES (.*)$", done.stdout, re.M)
    assert found, done.stdout + done.stderr
    base = re.search(r"^BASE (.*)$", done.stdout, re.M)
    iterator = re.search(r"^ITER (.*)$", done.stdout, re.M)
    assert base and iterator
    return json.loads(found[1]), base[1], json.loads(iterator[1])


def test_native_frames_are_gdbs(recorded: Callable[..., dict], gdbs: tuple[list[dict], str, dict[str, str]]) -> None:
    frames = [f for f in recorded()["events"][0]["frames"] if f["kind"] in ("native", "inlined")]
    ours = [(bare(f["full"]), (f.get("source") or {}).get("line"), f["kind"] == "inlined", int(f["pc"], 16) & 0xFFF) for f in frames]
    theirs = [(bare(f["name"]), f["line"], f["inlined"], f["pc"]) for f in gdbs[0]]
    assert len(theirs) > 30
    assert ours == theirs


def test_the_lambda_shows_its_element(recorded: Callable[..., dict], gdbs: tuple[list[dict], str, dict[str, str]]) -> None:
    innermost = recorded()["events"][0]["frames"][0]
    base = next(value for value in innermost["arguments"] if value["name"] == "base")
    assert base["value"] == gdbs[1] == "-1.1523602"
    assert innermost["number"] == 0
    assert innermost["source"]["excerpt"]["lines"][innermost["source"]["line"] - innermost["source"]["excerpt"]["first"]].strip() == (
        "return base * base * base;"
    )


def test_a_member_whose_type_another_unit_defines_reads_as_in_gdb(
    callpath: Run, gdbs: tuple[list[dict], str, dict[str, str]], tmp_path: Path
) -> None:
    """PowKernel.cpp only declares TensorIteratorBase."""
    numel, dtype = gdbs[2]["numel_"], gdbs[2]["common_dtype_"]
    program, record = tmp_path / "learn1.py", tmp_path / "r.json"
    program.write_text(PROGRAM.format(line=LINE))
    for wanted, answer in ((numel, True), (numel + "0", False)):
        condition = f'exp == 3 && iter.numel_ == {wanted} && iter.common_dtype_ == "{dtype}"'
        done = callpath("run", "--quiet", "--at", LAMBDAS, "--if", condition, "-o", record, program)
        assert record.exists() == answer, done.stderr
        record.unlink(missing_ok=True)


def test_python_frames_stand_inside_their_evaluations(recorded: Callable[..., dict]) -> None:
    frames = recorded()["events"][0]["frames"]
    python = [at for at, frame in enumerate(frames) if frame["kind"] == "python"]
    assert [(frames[at]["name"], frames[at]["source"]["line"]) for at in python] == [("wrapped", 39), ("<module>", 11)]
    for at in python:
        assert frames[at + 1]["name"] == "_PyEval_EvalFrameDefault"
        assert frames[at + 1]["number"] == frames[at]["number"]
    instruction = frames[python[1]]["python"]["instruction"]
    assert (instruction["opcode"], instruction["argrepr"], instruction["column"], instruction["end_column"]) == ("BINARY_OP", "**", 17, 27)


def test_the_stub_and_the_operator_left_by_a_jump(recorded: Callable[..., dict]) -> None:
    frames = recorded()["events"][0]["frames"]
    at = next(i for i, frame in enumerate(frames) if frame["name"] == "pow_tensor_scalar_kernel")
    assert [(f["kind"], f["layer"], bare(f["full"])) for f in frames[at + 1 : at + 3]] == [
        ("elided", "stub", "operator"),
        ("elided", "operator", "impl"),
    ]
    assert "DispatchStub" in frames[at + 1]["full"] and "structured_pow_Tensor_Scalar_out" in frames[at + 2]["full"]
    assert all(frame["evidence"] for frame in frames[at + 1 : at + 3])
    assert frames[at + 3]["name"] == "wrapper_CPU_pow_Tensor_Scalar"


def test_ten_thousand_elements_of_the_other_power_cost_one_stop(recorded: Callable[..., dict]) -> None:
    stops = recorded()["stops"]
    assert stops["gate"] == 2, "once for each power on the line"
    assert stops["target"] == 1, "only where the gate was open"


def decisions(recording: dict) -> dict[str, str]:
    return {decision["id"]: decision["taken"] for decision in recording["events"][0]["decisions"]}


def test_other_inputs_take_other_decisions_by_the_same_rules(recorded: Callable[..., dict]) -> None:
    plain = decisions(recorded())
    assert (plain["loop.lambda"], plain["kernel.exponent"]) == ("scalar", "3")
    contiguous = decisions(recorded("y = X[:, 1].contiguous()**3"))
    assert (contiguous["loop.lambda"], contiguous["kernel.exponent"]) == ("vector", "3")
    square = decisions(recorded(LINE, "exp == 2"))
    assert (square["loop.lambda"], square["kernel.exponent"]) == ("scalar", "2")
    assert plain["stub.capability"] == square["stub.capability"]


@pytest.mark.parametrize("capability", ["default", "avx2"])
def test_a_capability_that_is_asked_for(capability: str, recorded: Callable[..., dict]) -> None:
    if capability == "avx2" and " avx2 " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("no AVX2 here")
    recording = recorded(TENSORLIB_CPU_CAPABILITY=capability)
    assert decisions(recording)["stub.capability"] == capability.upper()
    assert f"::{capability.upper()}::" in recording["events"][0]["frames"][0]["full"]
