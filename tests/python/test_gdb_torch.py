"""`callpath break kernel` in the PyTorch that Debian ships, stripped as it is; names of frames without symbols; tensors read from memory.

What is expected comes from torch itself (addresses, sizes, strides, values), from gdb's own backtrace, and from a table of the frames and function
starts of Debian's build that was read off plain gdb sessions.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from gdb_support import PYTHON, answers, backtrace

torch = pytest.importorskip("torch")
OF_DEBIAN_12 = torch.__version__.startswith("1.13")  # whose function starts are in the table below

PROGRAM = """import json, torch
torch.set_num_threads(1)
torch.manual_seed(0)
X = torch.randn(10000, 2)
A, B = torch.full((4, 4), 2.0, dtype=torch.float64), torch.ones(5, 6, dtype=torch.int16)
json.dump({"column": X[:, 1].data_ptr(), "A": A.data_ptr(), "B": B.data_ptr(), "X": X.data_ptr()}, open("places.json", "w"))
y = X[:, 0]**2 + X[:, 1]**3
torch.empty(0).pow(3)
A.pow_(2.5)
torch.cumsum(B, dim=0)
torch.cumsum(B, dim=1)
A.relu()
out = torch.zeros(4, 4)
torch.neg(X[:4, :].repeat(1, 2), out=out)
"""
# Innermost first: gdb's own name (None where it prints ??), and the start of the function in Debian 12's file, for functions without a symbol.
FRAMES = [
    (None, {"default": "0x2b480b0", "avx512": "0x539cb10"}),
    ("at::TensorIteratorBase::serial_for_each", None),
    ("at::TensorIteratorBase::for_each", None),
    (None, {"default": "0x2b2f8f0", "avx512": "0x538d750"}),
    (None, {"default": "0x1e65530", "avx512": "0x1e65530"}),
    (None, {"default": "0x1e65600", "avx512": "0x1e65600"}),
    ("at::_ops::pow_Tensor_Scalar::redispatch", None),
    (None, {"default": "0x3155d50", "avx512": "0x3155d50"}),
    (None, {"default": "0x3156590", "avx512": "0x3156590"}),
    ("at::_ops::pow_Tensor_Scalar::call", None),
    (None, {"default": "0x3af800", "avx512": "0x3af800"}),
    ("method_vectorcall_VARARGS_KEYWORDS", None),
]
SCRIPT = {
    "pending": "callpath break kernel pow if exp == 3",
    "run": "run",
    "bt": "bt -frame-arguments none 12",
    "full": "bt -frame-arguments none",
    "record": "callpath record pow.json",
    "layer": "print $_layer()",
    "path": "callpath bt",
    "unknown": "callpath break kernel pow if expo_nent == 3",
    "by hand": "callpath break kernel pow.Tensor_Scalar if exp == 3 -by-hand",
    "delete": "callpath break kernel -delete",
    "in place": "callpath break kernel pow_ if exponent > 2 && exponent < 3",
    "in place run": "continue",
    "in place on": "callpath break kernel cumsum if dim == 1",
    "cumsum": "continue",
    "relu": "callpath break kernel relu if self.ndim == 2 && self.numel == 16",
    "relu run": "continue",
    "neg": "callpath break kernel neg",
    "neg run": "continue",
    "end": "continue",
    "ended": "info program",
}


@dataclass
class Session:
    said: dict[str, str]
    folder: Path
    capability: str

    @property
    def frames(self) -> list[dict]:
        (event,) = json.loads((self.folder / "pow.json").read_text())["events"]
        return [frame for frame in event["frames"] if frame["kind"] in ("native", "inlined")]

    @property
    def places(self) -> dict[str, int]:
        return json.loads((self.folder / "places.json").read_text())


@pytest.fixture(scope="module", params=["default", "avx512"])
def session(request: pytest.FixtureRequest, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    if request.param == "avx512" and "avx512bw" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this machine has no AVX-512")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "program.py").write_text(PROGRAM)
    said = answers(list(SCRIPT.values()), [PYTHON, "program.py"], folder, {"CALLPATH_BIN": str(build / "bin" / "callpath"), "ATEN_CPU_CAPABILITY": request.param})
    return Session(dict(zip(SCRIPT, said, strict=True)), folder, request.param)


def test_the_stop_is_in_the_loop_that_reads_the_element(session: Session) -> None:
    assert "is looked for in each one" in session.said["pending"]
    assert "The kernel of pow.Tensor_Scalar reads the first element of self" in session.said["run"]
    assert f"{session.places['column']:#x} = -1.15236" in session.said["run"]  # X[0, 1], past X[:, 0]**2
    lines = backtrace(session.said["bt"])
    assert [line.function.split("(")[0] if line.function != "??" else None for line in lines] == [name for name, _ in FRAMES]


def test_frames_without_a_symbol_have_a_name_with_its_evidence(session: Session) -> None:
    frames, capability = session.frames[: len(FRAMES)], session.capability.upper()
    assert [(f["full"].split("(")[0].split(".lto_priv")[0].replace("_TensorBase", "TensorBase"), f["layer"]) for f in frames] == [
        (f"loop callback of {capability} kernel of at::native::pow_tensor_scalar_stub", "kernel"), ("at::TensorIteratorBase::serial_for_each", "loop"),
        ("at::TensorIteratorBase::for_each", "loop"), (f"{capability} kernel of at::native::pow_tensor_scalar_stub", "kernel"),
        ("structured CPU wrapper of aten::pow.Tensor_Scalar", "operator"), ("CPU unboxed wrapper of aten::pow.Tensor_Scalar", "glue"),
        ("at::_ops::pow_Tensor_Scalar::redispatch", "dispatcher"), ("autograd kernel of aten::pow.Tensor_Scalar", "autograd"),
        ("autograd unboxed wrapper of aten::pow.Tensor_Scalar", "glue"), ("at::_ops::pow_Tensor_Scalar::call", "dispatcher"),
        ("method torch._C.TensorBase.pow", "binding"), ("method_vectorcall_VARARGS_KEYWORDS", "protocol"),
    ]  # fmt: skip
    assert '"kernel"' in session.said["layer"]
    for frame, (symbol, start) in zip(frames, FRAMES, strict=True):
        assert (frame["confidence"] == "inferred") == (symbol is None)
        assert bool(frame.get("evidence")) == (symbol is None)
        if start and OF_DEBIAN_12:
            assert 0 < int(frame["offset"], 16) - int(start[session.capability], 16) < 0x2000


def test_the_operator_that_left_by_a_jump_is_elided(session: Session) -> None:
    (event,) = json.loads((session.folder / "pow.json").read_text())["events"]
    full = [f["full"].split("(")[0] for f in event["frames"]]
    at = full.index("at::native::structured_pow_Tensor_Scalar_out::impl")
    assert event["frames"][at]["kind"] == "elided"
    assert full[at + 1].startswith("structured CPU wrapper") and "kernel of at::native::pow_tensor_scalar_stub" in full[at - 1]


def test_every_frame_of_gdbs_is_in_the_record(session: Session) -> None:
    assert [f["number"] for f in session.frames] == [line.level for line in backtrace(session.said["full"])]


def test_the_reader_sees_the_names(session: Session) -> None:
    for name in ("pow_tensor_scalar_stub", "inferred", "torch._C.", "wrapped"):
        assert name in session.said["path"]


def test_conditions_on_what_no_overload_has_are_refused(session: Session) -> None:
    assert session.said["unknown"].startswith("error: No overload of pow has an argument expo_nent. Its arguments: exponent, out, self")


@pytest.mark.parametrize(("step", "operator", "place"), [("in place run", "pow_.Scalar", "A"), ("cumsum", "cumsum", "B"), ("relu run", "relu", "A")])
def test_other_operators_and_conditions(session: Session, step: str, operator: str, place: str) -> None:
    """In place, an int argument, a tensor's sizes; the condition passes over the calls for which it does not hold."""
    assert f"The kernel of {operator} reads the first element of self: " in session.said[step]
    assert f"{session.places[place]:#x} = " in session.said[step]


def test_an_out_operand_is_not_what_is_read(session: Session) -> None:
    assert "The kernel of neg.out reads the first element of self" in session.said["neg run"]
    assert "float32 sizes [4, 4] strides [4, 1] offset 0" in session.said["neg run"]
    assert "is not being run" in session.said["ended"]


def test_plain_gdb_comes_to_the_same_place(session: Session) -> None:
    commands = session.said["by hand"].splitlines()
    (session.folder / "plain.gdb").write_text("\n".join(["set confirm off", "set pagination off", "set debuginfod enabled off", *commands]) + "\n")
    done = subprocess.run(["gdb", "-nx", "-batch", "-x", "plain.gdb", "--args", PYTHON, "program.py"], cwd=session.folder, capture_output=True, text=True, timeout=300)
    assert "Value = -1.15236" in done.stdout, done.stdout + done.stderr
    assert [line.function for line in backtrace(done.stdout)][:10] == [line.function for line in backtrace(session.said["bt"])][:10]


TENSORS = """import torch
class Mine(torch.Tensor): pass
base = torch.arange(24.0).reshape(2, 3, 4)
things = [base, base[:, 1], base.t() if base.dim() == 2 else base.transpose(0, 2), base[1, 2, 3], torch.empty(0, 3), torch.zeros(1, 1, 1, 1, 1, 1, 2)[..., 1:],
          torch.ones(3).expand(2, 3), torch.tensor([True]), torch.tensor(5), torch.ones(2, dtype=torch.half)[1:], torch.ones(2, dtype=torch.bfloat16),
          torch.ones(2, dtype=torch.complex64), torch.nn.Parameter(base[0]), torch.ones(2).as_subclass(Mine), torch.ones(2, dtype=torch.uint8)]
if __name__ == "__main__":
    id("begin")
    for thing in things:
        id(thing)
"""


def test_tensors_are_described_as_torch_describes_them(build: Path, tmp_path: Path) -> None:
    (tmp_path / "things.py").write_text(TENSORS)
    told: dict = {"__name__": "things"}
    exec(compile(TENSORS, "things.py", "exec"), told)
    expected = [f"{str(t.dtype).removeprefix('torch.')} sizes {list(t.shape)} strides {list(t.stride())} offset {t.storage_offset()} at " for t in told["things"]]
    begin = ["break builtin_id if $_streq($_py(v), \"'begin'\")", "run", "delete", "break builtin_id"]
    stops = [command for _ in expected for command in ("continue", "callpath inspect v")]
    said = answers([*begin, *stops], [PYTHON, "things.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    described = said[len(begin) + 1 :: 2]
    assert len(described) == len(expected) == 15
    for text, wanted in zip(described, expected, strict=True):
        assert wanted in text, text


def _tensor_statement() -> ast.ClassDef:
    file = Path(torch.__file__).with_name("_tensor.py")
    (found,) = [s for s in ast.parse(file.read_text()).body if isinstance(s, ast.ClassDef) and s.name == "Tensor"]
    return found


def _tensor_body() -> bytes:
    """The bytecode of the class body, from this process's compiler."""
    file = Path(torch.__file__).with_name("_tensor.py")
    module = compile(file.read_text(), str(file), "exec", dont_inherit=True)
    (body,) = [code for code in module.co_consts if getattr(code, "co_name", "") == "Tensor"]
    return body.co_code


def test_the_class_of_the_article_is_stopped_at_while_torch_is_imported(build: Path, tmp_path: Path) -> None:
    """`class Tensor(torch._C._TensorBase)`, past the hundreds of classes that are built before it; then its compilation, the statement with its lines."""
    script = {
        "class": "callpath break class Tensor torch/_tensor.py", "run": "run", "name": "callpath inspect args[1]", "bt": "callpath bt", "delete": "delete",
        "prefix": "set environment PYTHONPYCACHEPREFIX /nonexistent", "compile": "callpath break compile Tensor torch/_tensor.py", "again": "run",
    }  # fmt: skip
    found = answers(list(script.values()), [PYTHON, "-B", "-c", "import torch"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath"), "PYTHONPYCACHEPREFIX": None})
    said = dict(zip(script, found, strict=True))
    body, statement = _tensor_body(), _tensor_statement()
    assert re.search(rf"class Tensor, \S+/torch/_tensor\.py:{statement.lineno};", said["run"])
    assert f"{len(body)} bytes of bytecode" in said["run"] and f"the first word {int.from_bytes(body[:8], 'little'):#018x}" in said["run"]
    assert said["name"] == "'Tensor'\n" and "_tensor.py" in said["bt"] and "class-build" in said["bt"]
    assert re.search(rf"ClassDef, s->lineno = {statement.lineno}, s->end_lineno = {statement.end_lineno}", said["again"])


@pytest.mark.long
def test_the_copy_of_the_class_s_bytecode_is_watched(build: Path, tmp_path: Path) -> None:
    script = ["callpath watch code Tensor torch/_tensor.py", "bt -frame-arguments none 4"]
    watched, bt = answers(script, [PYTHON, "-B", "-c", "import torch"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    assert f"Second run: {int.from_bytes(_tensor_body()[:8], 'little'):#018x} arrives" in watched
    assert re.match(r"__mem(cpy|move)_\w+", backtrace(bt)[0].function) and "init_code" in bt


OTHER_THREAD = """import ctypes, threading, torch
torch.set_num_threads(2)
X = torch.full((100_000,), 2.0)
done = False
def peek(place=ctypes.c_float.from_address(X.data_ptr())):
    while not done:
        place.value
thread = threading.Thread(target=peek)
thread.start()
X.pow(3)
done = True
thread.join()
"""


def test_another_threads_look_at_the_element_is_not_the_kernel(build: Path, tmp_path: Path) -> None:
    """A Python thread reads the same address all the time; the operator works on two threads of its own."""
    (tmp_path / "program.py").write_text(OTHER_THREAD)
    script = ["callpath break kernel pow if exp == 3", "run", "print $_thread", "callpath record here.json", "continue", "info program"]
    _, told, thread, _, _, ended = answers(script, [PYTHON, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath")})
    assert "reads the first element of self" in told and thread.rstrip().endswith("= 1")
    (event,) = json.loads((tmp_path / "here.json").read_text())["events"]
    assert event["frames"][0]["full"].startswith("loop callback of ") and any(f["full"].startswith("at::_ops::pow_Tensor_Scalar::call") for f in event["frames"])
    assert "not being run" in ended
