"""How tensors print, against PyTorch, to the character."""

from __future__ import annotations

import re
from pathlib import Path

from engine_support import as_torch_says, evaluate, torch_values

NUMBERS = ["0.", "-0.", "1.", "1.5", "-2.25", "1e-8", "1e10", "123456789.", "0.1", "99999.5", "1e-4", "9.9e-5", "1e8", "100000001.", "nan", "inf", "-inf", "3e38", "1e-40"]
VECTORS = [
    "[1., 2.]", "[1.5, -2.25]", "[1e-8, 1.]", "[1e10, 1.]", "[nan, 1.]", "[0.5, inf, -inf]", "[-0., 0.]", "[1000., 1.]", "[1001., 1.]", "[1000.5, 1.]", "[1001.5, 1.]",
    "[1e8, 1e6]", "[2e8, 1e6]", "[0., 1e-5]", "[0., 12345.]", "[nan, inf]", "[nan, 1.5]", "[-1., 10., 100.]", "[0.00012, 0.1]", "[1., 1.0001]", "[1., 1.00001]",
    "[1, 2]", "[-1, 100]", "[True, False]", "[False]", "[]", "[[]]", "[[1.], [2.]]", "[[1, -2], [30, 4]]", "[[[1.5]]]", "[16777216., 1.]", "[2.**53, 1.]",
]  # fmt: skip
TYPES = ["float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"]
SHAPES = ["()", "(0,)", "(3, 0)", "(0, 3)", "(1,)", "(25,)", "(1000,)", "(1001,)", "(2, 3)", "(7, 150)", "(8, 2, 3)", "(2, 3, 4, 1)", "(1, 1001)", "(1001, 1)", "(10, 10, 11)"]


def expressions() -> list[str]:
    tensors = [f"t({n})" for n in NUMBERS] + [f"t({n}, dtype=f64)" for n in NUMBERS] + [f"t({v})" for v in VECTORS]
    tensors += [f"t([0, 1, 100, 3]).to(torch.{d})" for d in TYPES] + [f"torch.zeros(0, dtype=torch.{d})" for d in TYPES]
    tensors += [f"torch.arange({shape}.numel() if False else int(torch.ones({shape}).sum())).reshape({shape})" for shape in SHAPES if "0" not in shape.split(",")[0] or shape == "(10, 10, 11)"]
    tensors += [f"torch.full({shape}, {value}, dtype=torch.{d})" for shape in SHAPES for value, d in (("-1.5", "float32"), ("2", "int64"), ("1", "bool"), ("1e-9", "float64"))]
    tensors += ["(torch.arange(1200) ** 2 / 7).reshape(30, 40)", "torch.arange(1200).reshape(2, 600) - 600", "torch.ones(3, requires_grad=True)", "t(1., requires_grad=True)"]
    tensors += ["torch.ones(14, dtype=f64, requires_grad=True)", "torch.full((18,), 1.5, dtype=f64)", "torch.ones(2, 3).t()", "torch.arange(20.)[::3]", "torch.ones(1).expand(3, 3)"]
    return tensors


def test_printing_is_pytorchs(build: Path) -> None:
    asked = [f"repr({e})" for e in expressions()]
    # `tensorlib.float64` is longer than `torch.float64`, so a line may end before it.
    theirs = [re.sub(r",\n +dtype", ", dtype", text) for text in torch_values(asked)]
    ours = [re.sub(r",\n +dtype", ", dtype", str(as_torch_says(text))) for text in evaluate(build, asked)]
    assert [row for row in zip(asked, ours, theirs) if row[1] != row[2]] == []


def test_what_was_computed_names_its_node(build: Path) -> None:
    asked = ["repr(torch.ones(2, requires_grad=True) ** 2)", "repr(torch.ones(2, requires_grad=True) ** t([1., 2.]))", "repr(t([1.], requires_grad=True) * 2)"]
    ours = evaluate(build, asked)
    assert [as_torch_says(text) for text in ours] == torch_values(asked)


OPTIONS = ["precision=2", "precision=8", "threshold=5", "edgeitems=1, threshold=5", "linewidth=40", "profile='short'", "profile='full'", "sci_mode=True", "sci_mode=False"]


def test_print_options(build: Path) -> None:
    setup = """
    def with_options(**options):
        torch.set_printoptions(profile='default')
        torch.set_printoptions(**options)
        return [repr(torch.arange(30.) / 7), repr(torch.arange(1300)), repr(t([1e-9, 1e9])), repr(t([1., 2.])), repr(torch.arange(60).reshape(4, 15))]
    """
    asked = [f"with_options({options})" for options in OPTIONS]
    assert dict(zip(OPTIONS, evaluate(build, asked, setup))) == dict(zip(OPTIONS, torch_values(asked, setup)))
