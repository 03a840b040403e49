"""Every differentiable operator: its gradient in float64 against finite differences, for operands that are dense, strided, transposed, broadcast and
0-dim; the gradient of the gradient likewise; and both against torch."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_support import PYTHON, engine_environment

# name: (function of x, or of x and y; where x is taken from). All values are away from the places where a function has no derivative.
UNARY = {
    "neg": "-x", "abs": "x.abs()", "exp": "x.exp()", "log": "x.log()", "sqrt": "x.sqrt()", "rsqrt": "x.rsqrt()", "reciprocal": "x.reciprocal()",
    "tanh": "x.tanh()", "sigmoid": "x.sigmoid()", "sin": "x.sin()", "cos": "x.cos()", "square": "x.square()", "log1p": "x.log1p()",
    "expm1": "x.expm1()", "exp2": "x.exp2()", "log2": "x.log2()", "log10": "x.log10()", "relu": "(x - 1).relu()", "clamp": "x.clamp(0.8, 1.5)",
    "clamp_min": "x.clamp(min=1.1)", "pow3": "x**3", "pow_half": "x**0.5", "pow_neg": "x**-1.5", "pow_scalar": "2**x", "floor": "x.floor() * x",
    "sum": "x.sum() * 2", "mean": "x.mean()", "prod": "x.prod()", "max": "x.max()", "min": "x.min()", "clone": "x.clone()", "to": "x.to(torch.float64) * 2",
    "masked_fill": "x.masked_fill(x > 1.1, 3.)", "rsub": "2 - x", "rdiv": "1 / x", "as_float": "x.float().double()",
}  # fmt: skip
BINARY = {
    "add": "torch.add(x, y, alpha=3)", "sub": "torch.sub(x, y, alpha=2)", "mul": "x * y", "div": "x / y", "div_floor": "torch.div(x, y, rounding_mode='floor') * x",
    "pow": "x**y", "remainder": "x % y", "fmod": "torch.fmod(x, y)", "maximum": "torch.maximum(x, y)", "minimum": "torch.minimum(x, y)",
    "where": "torch.where(x > y, x * 2, y * 3)", "mse_none": "F.mse_loss(x, y, reduction='none')", "copy": "(x * 1).copy_(y * y) * x",
    "inplace": "(x * 1).mul_(y).add_(x)",
}  # fmt: skip
MATRIX = {
    "sum_dim": "x.sum(1)", "sum_keep": "x.sum(0, keepdim=True)", "sum_dims": "x.sum((0, 1))", "mean_dim": "x.mean(-1)", "prod_dim": "x.prod(1)",
    "max_dim": "x.max(1)[0]", "min_dim": "x.min(0, keepdim=True)[0]", "amax": "x.amax(0)", "amin": "x.amin(1, keepdim=True)", "t": "x.t() * 2",
    "permute": "x.permute(1, 0)", "transpose": "x.transpose(0, 1)", "view": "x.contiguous().view(-1)", "reshape": "x.reshape(-1)", "select": "x[1]",
    "slice": "x[:, 1:]", "slice_step": "x[::2]", "unsqueeze": "x.unsqueeze(1) * x", "squeeze": "x.unsqueeze(0).squeeze()", "squeeze_dim": "x[:1].squeeze(0)",
    "expand": "x.unsqueeze(0).expand(3, -1, -1)", "flatten": "x.flatten()", "cat": "torch.cat([x, x * 2], 1)", "stack": "torch.stack([x, x * x])",
    "unbind": "x.unbind(1)[1]", "split": "x.split(1, 0)[1]", "index": "x[torch.tensor([0, 1, 0])]", "bool_index": "x[x > 1.1]",
    "index_select": "x.index_select(1, torch.tensor([1, 1, 0]))", "gather": "x.gather(1, torch.tensor([[0, 1], [1, 1]]))",
    "as_strided": "x.contiguous().as_strided((2, 2), (1, 2))", "overlapping": "x.contiguous().as_strided((3, 2), (1, 1))", "narrow": "x.narrow(1, 1, 2)",
    "mm": "x.mm(x.t())", "mv": "x.mv(x[0])", "dot": "x[0].dot(x[1])", "bmm": "x.unsqueeze(0).bmm(x.t().unsqueeze(0))", "matmul": "x @ x.t()",
    "addmm": "torch.addmm(x[:, :2], x, x.t(), beta=0.5, alpha=2)", "linear": "F.linear(x, x, x[:, 0])", "mse": "F.mse_loss(x, x.t().t() * 2)",
    "log_softmax": "x.log_softmax(1)", "softmax": "x.softmax(0)", "nll": "F.nll_loss(x, torch.tensor([1, 0]))",
    "cross_entropy": "F.cross_entropy(x, torch.tensor([2, 0]))", "weighted": "F.cross_entropy(x, torch.tensor([2, 0]), weight=torch.tensor([1., 2., 3.]).double())",
    "view_inplace": "written(x)", "column_inplace": "column(x)", "flip": "x.flip(0)", "repeat": "x.repeat(2, 1)", "diagonal": "x.diagonal()",
    "index_put": "(x * 1).index_put((torch.tensor([0]), torch.tensor([1])), x[1, 1])", "set_item": "set_item(x)",
    "var": "x.var()", "var_dim": "x.var(1)", "var_biased": "x.var((0, 1), unbiased=False, keepdim=True)", "std": "x.std(0, keepdim=True)", "std_biased": "x.std(dim=1, correction=0)",
    "tril": "x.tril()", "triu": "x.triu(1)", "movedim": "x.movedim(0, 1) * 2", "take": "x.take(torch.tensor([[0, 5], [-1, 0]]))",
    "scatter": "x.scatter(1, torch.tensor([[0, 2], [1, 0]]), x.t()[:2] * 3)", "scatter_value": "x.scatter(0, torch.tensor([[0, 1, 0]]), 3.)",
    "scatter_inplace": "(x * 1).scatter_(1, torch.tensor([[0, 2], [1, 0]]), (x * x)[:, :2])", "scatter_add_inplace": "(x * 1).scatter_add_(1, torch.tensor([[0, 0], [1, 1]]), (x * x)[:, 1:])",
    "index_fill": "x.index_fill(1, torch.tensor([0, 2]), 2.)", "index_fill_value": "x.index_fill(1, torch.tensor([0, 2]), x[0, 1])",
    "index_fill_inplace": "(x * 1).index_fill_(0, torch.tensor([1]), x[0, 1] * 2)", "index_add_inplace": "(x * 1).index_add_(0, torch.tensor([1, 1]), x * x, alpha=3)",
    "smoothed": "F.cross_entropy(x, torch.tensor([2, 0]), label_smoothing=.2)", "shares": "F.cross_entropy(x, torch.full((2, 3), 0.25, dtype=torch.float64), label_smoothing=.3)",
}  # fmt: skip

PROGRAM = """
import json, sys, importlib
torch = importlib.import_module(sys.argv[1]); F = importlib.import_module(sys.argv[1] + ".nn.functional")
unary, binary, matrix = json.loads(sys.stdin.read())
f64 = torch.float64
V = [1.37, 0.62, 1.91, 0.83, 1.14, 0.45, 1.66, 0.97, 2.12, 0.71, 1.23, 1.58]

def written(x):
    y = x * 2; y[0].mul_(x[1]); y[:, 1].add_(x[:, 0]); return y
def column(x):
    y = x * 1; z = y.t(); z[1].pow_(2); return y * z.t()
def set_item(x):
    y = x * 1; y[0, 1:] = x[1, :-1] * 3; return y
def leaf(n, which): return torch.tensor([v + 0.031 * which for v in (V[3 * which :] + V)[:n]], dtype=f64).requires_grad_()

LAYOUTS = {
    "dense": (6, lambda v: v.reshape(2, 3)), "strided": (12, lambda v: v.reshape(2, 6)[:, ::2]), "transposed": (6, lambda v: v.reshape(3, 2).t()),
    "vector": (5, lambda v: v), "scalar": (1, lambda v: v.reshape(())),
}
PAIRS = {
    "dense": ("dense", "dense"), "strided": ("strided", "transposed"), "0-dim": ("dense", "scalar"), "broadcast": ("column", "row"), "0-dims": ("scalar", "scalar"),
}
LAYOUTS["column"] = (2, lambda v: v.reshape(2, 1)); LAYOUTS["row"] = (3, lambda v: v.reshape(1, 3))

def weighted(out):
    n = out.numel()
    w = torch.tensor([0.3 + 0.17 * (i % 7) for i in range(n)], dtype=f64).reshape(out.shape)
    return (out.to(f64) * w).sum()

def numeric(f, leaves, h=1e-6):
    result = []
    for v in leaves:
        base = v.tolist(); grads = []
        for i in range(len(base)):
            ends = []
            for sign in (1, -1):
                moved = list(base); moved[i] += sign * h
                args = [torch.tensor(moved, dtype=f64) if u is v else u.detach() for u in leaves]
                ends.append(f(*[a.requires_grad_() for a in args]).item())
            grads.append((ends[0] - ends[1]) / (2 * h))
        result.append(grads)
    return result

def check(text, layouts, with_numbers):
    leaves = [leaf(LAYOUTS[l][0], i) for i, l in enumerate(layouts)]
    function = eval("lambda " + ", ".join("xy"[: len(leaves)]) + ": " + text, globals())
    def f(*vs): return weighted(function(*[LAYOUTS[l][1](v) for l, v in zip(layouts, vs)]))
    def slope(*vs):
        gs = torch.autograd.grad(f(*vs), vs, create_graph=True, allow_unused=True)
        return sum((g * g).sum() for g in gs if g is not None)
    def grads(y):
        if not y.requires_grad: return [[0.0] * v.numel() for v in leaves]
        gs = torch.autograd.grad(y, leaves, allow_unused=True)
        return [[0.0] * v.numel() if g is None else (g + 0).tolist() for g, v in zip(gs, leaves)]
    first, second = grads(f(*leaves)), grads(slope(*leaves))
    return [first, second] + ([numeric(f, leaves), numeric(slope, leaves)] if with_numbers else [])

result = {}
def note(name, *args):
    try: result[name] = check(*args)
    except Exception as e: result[name] = f"{type(e).__name__}: {e}"
numbers = sys.argv[1] == "tensorlib"
for name, text in unary.items():
    for layout in ("dense", "strided", "transposed", "scalar"): note(f"{name} {layout}", text, [layout], numbers)
for name, text in binary.items():
    for pair, layouts in PAIRS.items():
        if name in ("copy", "inplace", "mse_none") and pair == "broadcast": continue
        note(f"{name} {pair}", text, list(layouts), numbers)
for name, text in matrix.items():
    for layout in ("dense", "strided", "transposed"): note(f"{name} {layout}", text, [layout], numbers)
print(json.dumps(result))
"""


def answers(library: str, environment: dict[str, str]) -> dict[str, Any]:
    run = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", PROGRAM, library], input=json.dumps([UNARY, BINARY, MATRIX]), env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b))
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


@pytest.fixture(scope="module")
def ours(build: Path) -> dict[str, Any]:
    return answers("tensorlib", engine_environment(build))


def test_gradients_are_slopes(ours: dict[str, Any]) -> None:
    errors = {name: value for name, value in ours.items() if isinstance(value, str)}
    assert not errors, errors
    # float32 in the middle: differences of 1e-6 are not to be seen through it.
    checked = {name: v for name, v in ours.items() if not name.startswith("as_float")}
    assert not [(name, v[0], v[2]) for name, v in checked.items() if not close(v[0], v[2], 2e-7)]
    assert not [(name, v[1], v[3]) for name, v in checked.items() if not close(v[1], v[3], 5e-6)]


def test_gradients_are_torchs(ours: dict[str, Any], build: Path) -> None:
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        pytest.skip("torch is not installed")
    torchs = answers("torch", engine_environment(build))
    refused = {name: value for name, value in torchs.items() if isinstance(value, str)}
    assert not refused, refused
    assert not [(name, ours[name], v) for name, v in torchs.items() if not close(ours[name][:2], v, 1e-12)]
