"""The same expressions in the engine and in torch: type, shape, strides and elements, or the error."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_support import PYTHON, engine_environment

PROGRAM = """
import json, math, sys
import MODULE as torch
t, i, inf, nan = torch.tensor, torch.int64, math.inf, math.nan
f32, f64, i32, i16, i8, u8 = torch.float32, torch.float64, torch.int32, torch.int16, torch.int8, torch.uint8
def show(x):
    if isinstance(x, torch.Tensor):
        return [str(x.dtype).split(".")[1], list(x.shape), list(x.stride()), repr(x.tolist())]
    if isinstance(x, (list, tuple)):
        return [show(y) for y in x]
    return repr(x).replace("tensorlib.", "torch.")
def done(x, *steps):
    return x
values = []
for expression in json.load(sys.stdin):
    a = torch.arange(24.).view(2, 3, 4)
    m = torch.arange(12).view(3, 4)
    try:
        values.append(show(eval(expression)))
    except Exception as error:
        values.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
print(json.dumps(values))
"""

VIEWS = [
    "a.select(1, -1)", "a[:, 1:, ::2]", "a[..., None, 2]", "a[None, :, 0]", "a.transpose(0, 2)", "a.permute(2, 0, 1)", "m.t()", "m.T", "a.squeeze()",
    "a[:1].squeeze(0)", "a[:1].squeeze(1)", "a.unsqueeze(-1)", "a.flatten()", "a.flatten(1)", "a.flatten(0, 1)", "a.reshape(4, -1)",
    "a.permute(2, 0, 1).reshape(-1)", "a.view(-1, 6)", "a.narrow(1, 1, 2)", "a.unbind(1)", "m.split(2)", "m.split([1, 2])", "m.chunk(2, 1)",
    "m.diagonal()", "m.diagonal(1)", "m.diagonal(-1)", "t([[1.], [2.]]).expand(3, 2, 4)", "t([1, 2]).expand(2, -1)", "m.as_strided((2, 2), (1, 2), 1)",
    "a.permute(2, 0, 1).contiguous()", "a.permute(2, 0, 1).clone()", "t(5.).reshape(1, 1)", "t(5.).flatten()",
    "torch.zeros(0, 3).reshape(3, 0)", "torch.zeros(3, 0).t()", "m.repeat(2, 1)", "m.repeat(2, 1, 2)", "m.flip(0)", "m.flip(0, 1)", "m.ravel()", "m.view_as(torch.zeros(2, 6))",
    "m.expand_as(torch.zeros(2, 3, 4))", "torch.zeros(2, 1, 3, 1).squeeze().shape",
]

JOINING = [
    "torch.cat([m, m])", "torch.cat([m, m], 1)", "torch.cat([m, m.double()], dim=-1)", "torch.cat([torch.zeros(0), t([1.])])", "torch.stack([m[0], m[1]])",
    "torch.stack([m[0], m[1]], -1)", "torch.cat([t([1], dtype=u8), t([1], dtype=i8)])", "torch.cat([m, m], out=torch.empty(0, dtype=i))", "torch.cat([])",
    "torch.cat([m, m.t()])", "torch.stack([m, m[0]])", "torch.cat([m, m[0]])",
]

FACTORIES = [
    "torch.zeros(2, 3)", "torch.ones(2, dtype=i8)", "torch.full((2,), 7)", "torch.full((2,), True)", "torch.full((2,), 2.5)", "torch.full((2,), 3, dtype=f64)", "torch.arange(5)",
    "torch.arange(2, 9, 3)", "torch.arange(5, 0, -2)", "torch.arange(0, 1, 0.25)", "torch.arange(3.)", "torch.arange(3, dtype=f64)", "torch.arange(-3, 3, dtype=i16)",
    "torch.linspace(0, 1, 5)", "torch.linspace(-8, 8, 17)", "torch.linspace(3, 10, 1)", "torch.linspace(0, 10, 11, dtype=i)", "torch.eye(3)", "torch.eye(2, 4, dtype=i)",
    "torch.zeros_like(m)", "torch.ones_like(a.permute(2, 0, 1))", "torch.full_like(m, 9)", "torch.zeros_like(m, dtype=f64)", "m.new_zeros(2)", "m.new_ones((2, 2))", "m.new_full((2,), 5)",
    "torch.empty(2, 3).shape", "torch.empty_like(m[:, ::2]).stride()", "torch.full((2,), 300, dtype=i8)", "torch.arange(0, 1, 0)", "torch.arange(0, inf)",
    "torch.linspace(0, 1, -1)", "torch.eye(-1)", "torch.zeros(2, -1)",
]

INDEXING = [
    "a[0]", "a[-1, -1, -1]", "m[t([0, 2])]", "m[t([[0, 2], [1, 1]])]", "m[t([0, -1]), t([1, 2])]", "m[:, t([0, 2])]", "a[t([0, 1]), :, t([1, 2])]", "a[:, t([0, 1]), t([1, 2])]", "m[m > 4]", "a[a > 20]",
    "m[t([True, False, True])]", "m[t([True, False, True]), t([1, 3])]", "a[:, m.bool()[:, 0]]", "a[t([True, False]), 1:, t([0])]", "m[t(1)]", "m[t([0, 5])]", "m[t([0.])]",
    "m[t([True, False])]", "m[0, 0, 0]", "m[3]", "m[t([0, 1]), t([0, 1, 2])]", "torch.zeros(0, 3)[t([0])]", "m[t([], dtype=i)]", "m.index_select(0, t([2, 0, 0]))", "m.index_select(-1, t([1]))",
    "m.index_select(0, t([5]))", "m.gather(0, t([[0, 1, 2, 0]]))", "m.gather(1, t([[0], [3], [1]]))", "m.nonzero()", "(m > 9).nonzero()", "torch.nonzero(t(3))", "torch.where(m > 5)",
    "torch.where(m > 5, m, -m)", "torch.where(m > 5, m, 0.5)", "torch.where(m > 5, 1, 0)", "torch.where(m > 5, a, m)", "m.masked_fill(m > 5, -1)", "m.masked_fill(m > 5, t(7))", "a.masked_fill(m > 5, inf)",
    "m.masked_select(m > 7)", "a.masked_select(t([True, False, False, True]))", "torch.where(a, a, a)", "m.index_add(0, t([0, 0, 1]), m)", "m.scatter_add(0, t([[0, 0, 0, 0], [0, 1, 2, 0]]), m)",
    "torch.index_put(m, (t([0, 0]),), t([5]))", "torch.index_put(m, (t([0, 0]), t([1, 1])), t([5, 6]), accumulate=True)",
]

ASSIGNMENT = [
    "done(m, m.fill_(3))", "done(m, m[:, 1].zero_())", "done(m, m.copy_(t([1, 2, 3, 4])))", "done(m, m.copy_(torch.ones(3, 4) * 2.7))", "done(m, m.__setitem__(0, 9))", "done(m, m.__setitem__((slice(None), 1), t([7, 8, 9])))",
    "done(m, m.__setitem__(m > 5, 0))", "done(m, m.__setitem__(t([0, 2]), -1))", "done(m, m.__setitem__((t([0, 2]), t([1, 1])), t([50, 60])))", "done(a, a.__setitem__((Ellipsis, 0), 1))",
    "done(m, m.__setitem__(m[:, 0] > 3, t([1, 2, 3, 4])))", "done(m, m.masked_fill_(m > 3, 0))", "done(m, m.index_put_((t([1]),), t([4]), accumulate=True))", "m.copy_(t([1, 2, 3]))",
    "m.expand(2, 3, 4).fill_(1)", "done(m, m.t().copy_(torch.arange(12).view(4, 3)))", "t([1], dtype=i8).fill_(300)", "m.resize_(2, 2)", "m.masked_fill_(m, 0)",
]

TYPES = [
    f"(t([1, 0, 3], dtype=torch.{x}) + t([2, 1, 1], dtype=torch.{y})).dtype"
    for x in ("uint8", "int8", "int16", "int32", "int64", "float32", "float64")
    for y in ("bool", "uint8", "int8", "int32", "float32", "float64")
] + [
    "t([1, 2], dtype=i8) + 1", "t([1, 2], dtype=i8) + 1.5", "t([1.], dtype=f32) + t(1., dtype=f64)", "t(1.) + t(1., dtype=f64)", "t([300., -1., 2.7]).to(u8)", "t([300., -1., 2.7]).to(i8)", "t([3e9, nan, -inf]).to(i32)",
    "t([3e9, nan, -inf]).to(i)", "t([0., nan, 0.5]).bool()", "t([256, 1]).to(u8)", "t([2**40 + 5]).to(i32)", "t([True, False]).float()", "t([1.5, 2.5]).type_as(m)", "a.double().permute(2, 0, 1).to(f32)",
]  # fmt: skip

GROUPS = {"views": VIEWS, "joining": JOINING, "factories": FACTORIES, "indexing": INDEXING, "assignment": ASSIGNMENT, "types": TYPES}

# Where torch 1.13 and 2.6 say it differently, or torch does not say which index it is.
OTHER_WORDS = {"m[t([0.])]", "m.index_select(0, t([5]))", "m.masked_fill_(m, 0)"}


def run(module: str, build: Path, expressions: list[str]) -> list[Any]:
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", PROGRAM.replace("MODULE", module)], input=json.dumps(expressions), env=engine_environment(build), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def torch_is_there(build: Path) -> None:
    probe = subprocess.run([PYTHON, "-c", "import torch"], env=engine_environment(build), capture_output=True, timeout=300)
    if probe.returncode != 0:
        pytest.skip(f"{PYTHON} has no torch to compare with (Debian: python3-torch)")


def comparable(value: Any, expression: str) -> Any:
    """Of an error whose words differ, its kind."""
    if expression in OTHER_WORDS and isinstance(value, str):
        return value.split(":")[0]
    return value


@pytest.mark.parametrize("group", GROUPS)
def test_gives_what_torch_gives(build: Path, torch_is_there: None, group: str) -> None:
    expressions = GROUPS[group]
    wanted, got = run("torch", build, expressions), run("tensorlib", build, expressions)
    wrong = [f"{e}\n  torch     {w}\n  tensorlib {g}" for e, w, g in zip(expressions, wanted, got) if comparable(g, e) != comparable(w, e)]
    assert not wrong, "\n".join(wrong)
