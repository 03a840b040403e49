"""What a stack shows while a kernel runs, as gdb sees it, and what the compiler made of the frames."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_support import PYTHON, capabilities, engine_environment, run_engine

GDB_SCRIPT = Path(__file__).with_name("engine_gdb_script.py")
IMPL = "tensorlib::native::structured_pow_Tensor_Scalar_out::impl(tensorlib::Tensor const&, tensorlib::Scalar const&, tensorlib::Tensor const&)"
WRAPPER = "tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar(tensorlib::Tensor const&, tensorlib::Scalar const&)"
ARTICLE = "torch.manual_seed(0)\nX = torch.randn(10000, 2)\n"


def line_of(root: Path, file: str, text: str) -> int:
    """The number of the only line that is `text`, blanks at its ends aside."""
    lines = (root / file).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.strip() == text]
    return number


@pytest.fixture
def observe(build: Path, root: Path, tmp_path: Path) -> Any:
    """observe(statement, stops, values, capability): what gdb sees where a program that runs `statement` on X first stops."""
    if not shutil.which("gdb"):
        pytest.skip("gdb is not installed")

    def run(statement: str, stops: list[str], values: list[tuple[str, str]] | None = None, capability: str | None = None) -> Any:
        program = tmp_path / "program.py"
        program.write_text("import tensorlib as torch\n" + ARTICLE + statement + "\n")
        job = {"stops": stops, "values": values or [], "out": str(tmp_path / "answer.json")}
        environment = engine_environment(build, capability=capability, ENGINE_JOB=json.dumps(job))
        command = ["gdb", "-nx", "-batch", "-x", str(GDB_SCRIPT), "--args", PYTHON, str(program)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL)
        assert (tmp_path / "answer.json").exists(), result.stderr
        return json.loads((tmp_path / "answer.json").read_text())

    return run


@pytest.fixture
def cube_line(root: Path) -> str:
    return f"PowKernel.cpp:{line_of(root, 'tensorlib/native/cpu/PowKernel.cpp', 'return base * base * base;')}"


@pytest.fixture
def teach(build: Path) -> None:
    if "TENSORLIB_TEACH:BOOL=ON" not in (build / "CMakeCache.txt").read_text():
        pytest.skip("the kernels' frames are there in the teach build")


def short(name: str) -> str:
    """A C++ name without template arguments, parameters and the lambda's number."""
    name = re.sub(r"\{lambda\((.*?)\)#\d+\}", r"{lambda(\1)}", name)
    depth, out = 0, ""
    for character in name.replace("operator()", "call_operator"):
        depth += character == "<"
        if depth == 0:
            out += character
        depth -= character == ">"
    return out.replace("call_operator", "operator()")


def names(answer: Any) -> list[str]:
    return [frame["name"] or "" for frame in answer["frames"]]


# From the kernel outward to the evaluation loop. A frame is told by how its name ends when template arguments and parameters are left out.
PATH = [
    "{lambda(float)}::operator()(float) const",
    "guts::apply",
    "execute_op",
    "basic_loop",
    "VectorizedLoop2d",
    "function_ref",
    "function_ref",
    "tensorlib::TensorIteratorBase::serial_for_each",
    "tensorlib::TensorIteratorBase::for_each",
    "cpu_kernel_vec",
    "pow_tensor_scalar_optimized_kernel",
    "pow_tensor_scalar_kernel",
    "tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar",
    "tensorlib::impl::wrap_kernel_functor_unboxed_",
    "tensorlib::_ops::pow_Tensor_Scalar::redispatch",
    "tensorlib::autograd::VariableType::(anonymous namespace)::pow_Tensor_Scalar",
    "tensorlib::impl::wrap_kernel_functor_unboxed_",
    "tensorlib::_ops::pow_Tensor_Scalar::call",
    "tensorlib::autograd::THPVariable_pow",
    "method_vectorcall_VARARGS_KEYWORDS",
]


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_the_path_to_the_lambda(build: Path, observe: Any, cube_line: str, teach: None, capability: str) -> None:
    if capability not in capabilities(build):
        pytest.skip(f"this CPU has no {capability}")
    values = [
        ("lambda", "base"),
        ("basic_loop", "strides_[0]"),
        ("basic_loop", "strides_[1]"),
        ("basic_loop", "n"),
        ("pow_tensor_scalar_optimized_kernel", "exp"),
    ]
    # The square of the other column reaches the kernel first: its stop must not be taken for the cube's.
    answer = observe("y = X[:, 0]**2 + X[:, 1]**3", [cube_line], values, capability)
    seen = names(answer)
    missing = [(i, wanted, seen[i]) for i, wanted in enumerate(PATH) if wanted not in seen[i] and wanted not in short(seen[i])]
    assert not missing, missing
    # Frame 0's name comes from gdb with the lambda's own; its namespace says which capability runs.
    assert f"tensorlib::native::{capability.upper()}::pow_tensor_scalar_optimized_kernel<float, double, double>" in seen[0]
    assert not any(other in seen[0] for other in {"::DEFAULT::", "::AVX2::", "::AVX512::"} - {f"::{capability.upper()}::"})
    assert answer["frames"][0]["at"] == ["PowKernel.cpp", int(cube_line.split(":")[1])]
    assert answer["values"] == ["-1.1523602", "4", "8", "10000", "3"]
    assert not any("impl" in name.split("::")[-1] and "structured" in name for name in seen)


def test_values_that_explain_the_path_are_in_its_frames(observe: Any, cube_line: str, teach: None) -> None:
    values = {
        ("wrapper_CPU_pow_Tensor_Scalar", "op.numel_"): "10000",
        ("wrapper_CPU_pow_Tensor_Scalar", "op.common_dtype_"): "tensorlib::ScalarType::Float",
        ("wrapper_CPU_pow_Tensor_Scalar", "op.shape_.data_[0]"): "10000",
        ("wrapper_CPU_pow_Tensor_Scalar", "op.operands_[0].stride_bytes.data_[0]"): "4",
        ("wrapper_CPU_pow_Tensor_Scalar", "op.operands_[1].stride_bytes.data_[0]"): "8",
        ("wrapper_CPU_pow_Tensor_Scalar", "op.outputs_[0].impl_.target_->numel_"): "10000",
        ("wrapper_CPU_pow_Tensor_Scalar", "exponent.v_.i"): "3",
        ("pow_Tensor_Scalar::redispatch", "call.dispatchKeySet_.repr_"): "1",  # CPU
        ("VariableType", "any_requires_grad"): "false",
        ("pow_Tensor_Scalar::call", "call.dispatchKeySet_.repr_"): "9",  # AutogradCPU, CPU
        ("pow_Tensor_Scalar::call", "self.impl_.target_->key_set_.repr_"): "45",  # AutocastCPU, AutogradCPU, ADInplaceOrView, CPU
        ("THPVariable_pow", "self.impl_.target_->key_set_.repr_"): "45",
        ("THPVariable_pow", "self.impl_.target_->requires_grad_"): "false",
        ("THPVariable_pow", "self.impl_.target_->dtype_"): "tensorlib::ScalarType::Float",
        ("THPVariable_pow", "self.impl_.target_->strides_.data_[0]"): "2",
        ("THPVariable_pow", "exponent.v_.i"): "3",
        ("THPVariable_pow", "exponent.tag_"): "tensorlib::Scalar::Tag::Int",
    }
    answer = observe("y = X[:, 1]**3", [cube_line], list(values))
    assert dict(zip(values, answer["values"])) == values


def test_wanting_gradients_changes_no_frame_but_a_value(observe: Any, cube_line: str, teach: None) -> None:
    plain = observe("y = X[:, 1]**3", [cube_line])
    wanting = observe("X.requires_grad_()\ny = X[:, 1]**3", [cube_line], [("VariableType", "any_requires_grad")])
    assert names(plain) == names(wanting)
    assert wanting["values"] == ["true"]


def test_inference_mode_removes_three_frames(observe: Any, cube_line: str, teach: None) -> None:
    plain = names(observe("y = X[:, 1]**3", [cube_line]))
    inference = names(observe("with torch.inference_mode(): y = X[:, 1]**3", [cube_line]))
    gone = ["_ops::pow_Tensor_Scalar::redispatch", "VariableType::", "wrap_kernel_functor_unboxed_"]
    start = next(i for i, name in enumerate(plain) if gone[0] in name)
    assert [a in b for a, b in zip(gone, plain[start : start + 3])] == [True] * 3
    # The wrapper that stays is the CPU kernel's: one of two.
    assert inference == plain[:start] + plain[start + 3 :]


def test_a_contiguous_tensor_runs_the_vector_lambda(build: Path, root: Path, observe: Any, teach: None) -> None:
    line = line_of(root, "tensorlib/native/cpu/PowKernel.cpp", "[](Vec base) -> Vec { return base * base * base; }")
    seen = names(observe("y = X[:, 1].contiguous()**3", [f"PowKernel.cpp:{line}"]))
    assert re.search(r"\{lambda\(.*Vectorized<float>\)#\d+\}::operator\(\)", seen[0]), seen[0]
    assert any("vectorized_loop" in name for name in seen[:6])
    assert not any("basic_loop" in name for name in seen)


def test_addition_has_no_python_frame_of_its_own(observe: Any) -> None:
    seen = names(observe("y = X[:, 0] + X[:, 1]", ["tensorlib::_ops::add_Tensor::call"]))
    binding = next(i for i, name in enumerate(seen) if "THPVariable_add" in name)
    until_eval = seen[binding : next(i for i, name in enumerate(seen) if name.startswith("_PyEval_EvalFrameDefault"))]
    assert any("slot_nb_add" in name for name in until_eval)
    assert sum(name.startswith("_PyEval_EvalFrameDefault") for name in seen) == 1


def test_power_has_one(observe: Any) -> None:
    seen = names(observe("y = X[:, 1]**3", ["tensorlib::_ops::pow_Tensor_Scalar::call"]))
    evals = [i for i, name in enumerate(seen) if name.startswith("_PyEval_EvalFrameDefault")]
    assert len(evals) == 2
    assert any("slot_nb_power" in name for name in seen[evals[0] : evals[1]])


def test_a_subclass_with_torch_function_passes_wrapped_twice(build: Path) -> None:
    program = """
    import traceback
    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return super().__torch_function__(func, types, args, kwargs)
    x = torch.zeros(2).as_subclass(Loud)
    stacks = []
    def profile(frame, event, arg):
        if event == "c_call" and arg.__name__ == "pow":
            stacks.append([s.line for s in traceback.extract_stack(frame) if s.name == "wrapped"])
    sys.setprofile(profile)
    x**3
    sys.setprofile(None)
    print(json.dumps(stacks))
    """
    (stack,) = json.loads(run_engine(build, program).stdout)
    assert stack == ["return handle_torch_function(wrapped, args, *args, **kwargs)", "return f(*args, **kwargs)"]


def trees(build: Path) -> list[Path]:
    """The build under test and, where they are built, teach and release beside it."""
    beside = [build.parent / name for name in ("teach", "release")]
    return [build] + [tree for tree in beside if tree != build and (tree / "lib/libtensorlib.so").exists()]


def disassemble(library: Path, function: str) -> str:
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", f"--disassemble={function}", str(library)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_structured_operator_leaves_by_a_jump_into_the_kernel(build: Path) -> None:
    for tree in trees(build):
        code = disassemble(tree / "lib/libtensorlib.so", IMPL)
        assert re.search(r"\bjmp +\*%r", code), (tree, code)
        assert not re.search(r"\bcall +\*", code), (tree, code)


def test_the_wrapper_calls_the_structured_operator_by_name(build: Path) -> None:
    for tree in trees(build):
        code = disassemble(tree / "lib/libtensorlib.so", WRAPPER)
        assert re.search(r"\bcall +[0-9a-f]+ <" + re.escape(IMPL) + ">", code), (tree, code)


def test_the_debug_information_knows_the_tail_call(build: Path) -> None:
    dwarfdump = shutil.which("llvm-dwarfdump-14") or shutil.which("llvm-dwarfdump")
    if not dwarfdump:
        pytest.skip("llvm-dwarfdump is not installed")
    command = [dwarfdump, "--debug-info", "--name=_ZN9tensorlib6native32structured_pow_Tensor_Scalar_out4implERKNS_6TensorERKNS_6ScalarES4_", "-c"]
    for tree in trees(build):
        text = subprocess.run([*command, str(tree / "lib/libtensorlib.so")], capture_output=True, text=True, check=True).stdout
        assert "DW_AT_call_tail_call\t(true)" in text, tree


@pytest.mark.parametrize("capability", ["AVX2", "AVX512"])
def test_no_function_compiled_for_a_capability_can_stand_in_for_the_baselines(build: Path, capability: str) -> None:
    objects = list((build / f"tensorlib/CMakeFiles/tensorlib_kernels_{capability}.dir").rglob("*.o"))
    assert objects
    listing = subprocess.run(["nm", "-C", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    shared = [line for line in listing.splitlines() if re.search(r" [TWVuBDR] ", line)]
    assert shared
    assert [line for line in shared if f"::{capability}" not in line] == []


def test_no_kernel_fuses_by_itself(build: Path) -> None:
    """Multiply-adds are fused where the source says so, in add with alpha, and nowhere else."""
    for capability in ("AVX2", "AVX512"):
        folder = build / f"tensorlib/CMakeFiles/tensorlib_kernels_{capability}.dir/native/cpu"
        for name, fuses in (("PowKernel.cpp.o", False), ("CopyKernel.cpp.o", False), ("BinaryOpsKernel.cpp.o", True)):
            code = subprocess.run(["objdump", "-d", str(folder / name)], capture_output=True, text=True, check=True).stdout
            assert bool(re.search(r"\bvf(n)?m(add|sub)\d", code)) == fuses, (capability, name)
