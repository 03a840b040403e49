"""The same rules give each variant of the article's line its other decisions, from what was read in the stopped program."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

Callpath = Callable[..., CompletedProcess[str]]

PROBE = "*::pow_*kernel<*>(*)::{lambda(*)#*}::operator()(*) const"
ARTICLE = "y = X[:, 0]**2 + X[:, 1]**3"


def program(line: str, before: str = "") -> str:
    return f"import tensorlib as torch\n{before}\ntorch.manual_seed(0)\nX = torch.randn(10000, 2)\n{line}\n"


@pytest.fixture(scope="module")
def record(callpath: Callpath, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    schema = jsonschema.Draft7Validator(json.loads((root / "tracer/data/callpath-1.schema.json").read_text()))

    def run(source: str, condition: str = "exp == 3", env: dict[str, str | None] | None = None) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("run")
        (folder / "program.py").write_text(source)
        out = folder / "record.json"
        done = callpath("run", "--at", PROBE, "--if", condition, "--quiet", "-o", out, folder / "program.py", env=env)
        assert done.returncode == 0, done.stderr
        recording = json.loads(out.read_text())
        assert [error.message for error in schema.iter_errors(recording)] == []
        return recording

    return run


def decisions(recording: dict[str, Any]) -> dict[str, str]:
    """Like a row shows them: "exp 0.5 -0.5 -1 2 [3] -2 other"."""
    event = recording["events"][0]
    shown = {}
    for decision in event["decisions"]:
        options = [f"[{option}]" if option == decision["taken"] else option for option in decision["options"]]
        shown[decision["id"]] = " ".join([decision["label"]] + options if "label" in decision else options)
        assert all(any(fact["name"] == name for fact in event["facts"]) for name in decision["facts"]), decision
    return shown


def capability_of(recording: dict[str, Any]) -> str:
    """By the namespace of the innermost frame, which the decisions must not contradict."""
    return recording["events"][0]["frames"][0]["full"].split("native::")[1].split("::")[0]


def stub(capability: str) -> str:
    return " ".join(f"[{name}]" if name == capability else name for name in ("DEFAULT", "AVX2", "AVX512"))


def test_the_articles_line(record: Callable[..., dict[str, Any]]) -> None:
    recording = record(program(ARTICLE))
    capability = capability_of(recording)
    assert decisions(recording) == {
        "user.instruction": "[BINARY_OP **]",
        "wrapper.overridden": "overridden? yes [no]",
        "binding.arguments": "[Tensor, Scalar 3]",
        "dispatcher.call": "[AutogradCPU] CPU",
        "autograd.recorded": "recorded? yes [no]",
        "dispatcher.redispatch": "AutogradCPU [CPU]",
        "operator.result": "[float32, 10000]",
        "stub.capability": stub(capability),
        "kernel.exponent": "exp 0.5 -0.5 -1 2 [3] -2 other",
        "loop.lambda": "vector [scalar]",
        "kernel.value": "[base = -1.1523602]",
    }
    assert recording["target"]["capability"] == capability and recording["target"]["engine"] == "tensorlib"
    marks = [(ARTICLE[o["mark_begin"] : o["mark_end"]], o["state"]) for o in recording["events"][0]["operations"]]
    assert marks == [("[:, 0]", "returned"), ("**2", "returned"), ("[:, 1]", "returned"), ("**3", "current"), ("+", "pending")]


def test_every_frame_of_the_articles_path_has_a_layer(record: Callable[..., dict[str, Any]]) -> None:
    frames = record(program(ARTICLE))["events"][0]["frames"]
    assert [f["full"] for f in frames if f["layer"] == "unknown"] == []
    stages: list[str] = []
    for frame in frames:
        if frame["layer"] not in ("glue", "eval", *stages[-1:]):
            stages.append(frame["layer"])
    assert stages == [
        "kernel", "loop", "kernel", "stub", "operator", "dispatcher", "autograd", "dispatcher", "binding", "protocol", "wrapper", "protocol", "user", "startup",
    ]  # fmt: skip


def test_a_contiguous_input_takes_the_vector_lambda(record: Callable[..., dict[str, Any]]) -> None:
    recording = record(program("y = X[:, 0]**2 + X[:, 1].contiguous()**3"))
    shown = decisions(recording)
    assert shown["loop.lambda"] == "[vector] scalar"
    lanes = {"AVX512": "[base = 16 lanes]", "AVX2": "[base = 8 lanes]"}.get(capability_of(recording))
    assert shown.get("kernel.value") == lanes
    facts = {fact["name"]: fact["value"] for fact in recording["events"][0]["facts"]}
    assert facts["strides"] == [4, 4] and facts["contiguous"] is True


@pytest.mark.parametrize(
    ("exponent", "shown"), [("2", "exp 0.5 -0.5 -1 [2] 3 -2 other"), ("-2", "exp 0.5 -0.5 -1 2 3 [-2] other"), ("2.5", "exp 0.5 -0.5 -1 2 3 -2 [other]"), ("3.0", "exp 0.5 -0.5 -1 2 [3] -2 other")]
)
def test_another_exponent_takes_another_branch(record: Callable[..., dict[str, Any]], exponent: str, shown: str) -> None:
    found = decisions(record(program(f"y = X[:, 1]**{exponent}"), condition=f"exp == {exponent}"))
    assert found["kernel.exponent"] == shown
    assert found["binding.arguments"] == f"[Tensor, Scalar {float(exponent):g}]"


@pytest.mark.parametrize("capability", ["DEFAULT", "AVX2"])
def test_a_forced_capability_is_the_one_that_runs(record: Callable[..., dict[str, Any]], capability: str) -> None:
    flags = Path("/proc/cpuinfo").read_text()
    if capability == "AVX2" and " avx2 " not in flags:
        pytest.skip("this CPU has no AVX2")
    recording = record(program(ARTICLE), env={"TENSORLIB_CPU_CAPABILITY": capability.lower()})
    assert capability_of(recording) == capability
    assert decisions(recording)["stub.capability"] == stub(capability)
    assert recording["target"]["capability"] == capability


def test_a_tensor_that_wants_gradients_is_recorded_unless_the_mode_is_off(record: Callable[..., dict[str, Any]]) -> None:
    wants = "X.requires_grad = True\n"
    assert decisions(record(program(wants + ARTICLE)))["autograd.recorded"] == "recorded? [yes] no"
    assert decisions(record(program(f"{wants}with torch.no_grad():\n    {ARTICLE}")))["autograd.recorded"] == "recorded? yes [no]"


def test_inference_mode_takes_autograd_off_the_path(record: Callable[..., dict[str, Any]]) -> None:
    recording = record(program(f"with torch.inference_mode():\n    X = torch.randn(10000, 2)\n    {ARTICLE}"))
    shown = decisions(recording)
    assert shown["dispatcher.call"] == "[CPU]"
    assert "autograd.recorded" not in shown and "dispatcher.redispatch" not in shown


def test_an_argument_that_overrides_puts_the_wrapper_on_the_stack_twice(record: Callable[..., dict[str, Any]]) -> None:
    subclass = "class Mine(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n        return super().__torch_function__(func, types, args, kwargs or {})\n"
    recording = record(program("Z = X[:, 1].as_subclass(Mine)\ny = Z**3", before=subclass))
    event = recording["events"][0]
    wrappers = [d for d in event["decisions"] if d["id"] == "wrapper.overridden"]
    assert [d["taken"] for d in wrappers] == ["no", "yes"]  # innermost first


def test_the_line_may_stand_in_a_function_in_a_thread(record: Callable[..., dict[str, Any]]) -> None:
    body = "import threading\ndef work():\n    return X[:, 1]**3\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()"
    event = record(program(body))["events"][0]
    user = next(f for f in event["frames"] if f["layer"] == "user")
    assert user["full"] == "work"
    assert [(o["argrepr"] or o["opcode"], o["state"]) for o in event["operations"]] == [("BINARY_SUBSCR", "returned"), ("**", "current")]
    assert {f["layer"] for f in event["frames"][event["frames"].index(user) + 1 :]} <= {"startup", "eval", "wrapper", "protocol"}
