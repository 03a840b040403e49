"""Tensors among a frame's values, against what the library itself says of them."""

import importlib.util
import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

COMMON = ["library.arange(20, dtype=library.float32).reshape(10, 2)[:, 1]", "library.arange(24, dtype=library.float64).reshape(2, 3, 4).permute(2, 0, 1)",
          "library.tensor(-7)", "library.tensor([300, -300], dtype=library.int16)", "library.tensor([250, 3], dtype=library.uint8)",
          "library.zeros(0, 3)", "library.tensor(2.5)", "library.tensor([[float('inf')], [float('nan')]])"]
TORCH_ONLY = ["library.arange(64, dtype=library.float32).reshape(2, 2, 2, 2, 2, 2)", "library.tensor([1.5, -2, 65504], dtype=library.float16)",
              "library.tensor([1.5, -2, 1e38], dtype=library.bfloat16)"]

PROGRAM = """
import json
import {library} as library
tensors = [{tensors}]
told = []
for t in tensors:
    flat = t.reshape(-1)
    told.append([str(t.dtype).split(".")[-1], list(t.shape), list(t.stride()), t.storage_offset(), t.data_ptr(), [flat[i].item() for i in range(min(3, t.numel()))], t.numel()])
open({path!r}, "w").write(json.dumps(told))
for t in tensors:
    library.neg(t)
"""

FORM = re.compile(r"(\w+) \{([\d, ]*)\} strides \{([\d, ]*)\}(?: offset (\d+))?(?:, data 0x([0-9a-f]+)(?:: (.*))?)?")


def check(callpath: Run, folder: Path, library: str, tensors: list[str], at: str) -> None:
    """Every tensor as the first argument of neg."""
    program, out, path = folder / "p.py", folder / "r.json", folder / "told.json"
    program.write_text(PROGRAM.format(library=library, tensors=", ".join(tensors), path=str(path)))
    done = callpath("run", "--quiet", "--limit", str(len(tensors)), "--at", at, "-o", out, program)
    assert done.returncode == 0, done.stderr
    told, events = json.loads(path.read_text()), json.loads(out.read_text())["events"]
    assert len(events) == len(told) == len(tensors)
    for event, (dtype, sizes, strides, offset, data, first, numel) in zip(events, told):
        text = event["frames"][0]["arguments"][0]["value"]
        found = FORM.fullmatch(text)
        assert found, text
        assert found[1] == dtype
        assert [[int(n) for n in found[i].split(", ") if n] for i in (2, 3)] == [sizes, strides], text
        assert int(found[4] or 0) == offset, text
        if not numel:
            continue
        assert int(found[5], 16) == data, text
        shown = found[6].removesuffix(", ...").split(", ")
        assert found[6].endswith(", ...") == (numel > 3)
        assert all(float(a) == b or (math.isnan(float(a)) and math.isnan(b)) or math.isclose(float(a), b, rel_tol=1e-6) for a, b in zip(shown, first)), text
        assert len(shown) == len(first)


def test_the_engines_tensors(callpath: Run, tmp_path: Path) -> None:
    check(callpath, tmp_path, "tensorlib", COMMON, "tensorlib::_ops::neg::call")


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="python3-torch is not installed")
def test_pytorchs_tensors_without_debug_information(callpath: Run, tmp_path: Path) -> None:
    check(callpath, tmp_path, "torch", COMMON + TORCH_ONLY, "at::_ops::neg::call")


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="python3-torch is not installed")
def test_arguments_behind_the_place_for_a_result(callpath: Run, tmp_path: Path) -> None:
    """`pow` returns a new tensor, whose place is the first register; `pow_` and `out=` return what they were given."""
    program, out = tmp_path / "p.py", tmp_path / "r.json"
    for statement, at, values in [("X**3", "pow_Tensor_Scalar", ["float32 {4}", "3"]), ("X.pow_(2.5)", "pow__Scalar", ["float32 {4}", "2.5"]),
                                  ("torch.pow(X, 2, out=Y)", "pow_Tensor_Scalar_out", ["float32 {4}", "2", "float32 {4} strides {1}"])]:
        program.write_text(f"import torch\nX = torch.ones(4, 2)[:, 1]\nY = torch.zeros(4)\n{statement}\n")
        done = callpath("run", "--quiet", "--limit", "1", "--at", f"at::_ops::{at}::call", "-o", out, program)
        assert done.returncode == 0, done.stderr
        arguments = json.loads(out.read_text())["events"][0]["frames"][0]["arguments"]
        assert len(arguments) == len(values)
        assert all(a["value"].startswith(v) for a, v in zip(arguments, values)), arguments
