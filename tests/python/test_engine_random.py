"""The same seed gives torch's very numbers. The digests and values are those of torch 1.13 and 2.6, on AVX2 and AVX-512."""

from pathlib import Path

import pytest
from engine_support import capabilities, evaluate

LEARN1_LINES_1_TO_11 = """
import tensorlib as torch
# import torch.nn as nn
# import torch.optim as optim
# ----------------------------
# 1. Create training data
# ----------------------------
# Input: [x, y]
# Target: z = x^2 + y^3
torch.manual_seed(0)
X = torch.randn(10000, 2)          # 10000 samples, (x, y)
y = X[:, 0]**2 + X[:, 1]**3        # true function
"""

DIGESTS = {
    "torch.manual_seed(0) and md5(torch.randn(10000, 2))": "f3ddb330c1d73c6e82ce7ab5d15557f8",
    "torch.manual_seed(0) and md5(torch.randn(10000, 2, dtype=f64))": "2da5f4bf4bf25db38401c8bd012e9924",
    "torch.manual_seed(0) and md5(torch.randn(15))": "15735a1397ec527120165ded0ee36596",
    "torch.manual_seed(0) and md5(torch.randn(17))": "c190402a04a5902d5354361f124fa8a7",
}


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_normals_have_the_published_bits_at_every_capability(build: Path, capability: str) -> None:
    if capability not in capabilities(build):
        pytest.skip(f"this CPU has no {capability}")
    assert evaluate(build, list(DIGESTS), capability=capability) == list(DIGESTS.values())


@pytest.mark.parametrize("capability", ["default", "avx2", "avx512"])
def test_the_articles_line_gives_the_published_bits(build: Path, capability: str) -> None:
    if capability not in capabilities(build):
        pytest.skip(f"this CPU has no {capability}")
    expressions = ["X[0, 1].item()", "[round(v, 10) for v in X[:2].tolist()[0] + X[:2].tolist()[1]]", "md5(X)", "md5(y.unsqueeze(1))", "list(y.unsqueeze(1).shape)"]
    values = evaluate(build, expressions, setup=LEARN1_LINES_1_TO_11, capability=capability)
    assert values == [
        -1.1523602008819580078125,
        [-1.1258398294, -1.1523602009, -0.2505785823, -0.4338788092],
        "f3ddb330c1d73c6e82ce7ab5d15557f8",
        "0da1500a8f65be43c8d60e83ea9fad01",
        [10000, 1],
    ]


def test_a_seed_starts_anew_and_two_calls_go_on(build: Path) -> None:
    first, again, next_one = evaluate(
        build, ["torch.manual_seed(3) and bits(torch.randn(20))", "torch.manual_seed(3) and bits(torch.randn(20))", "bits(torch.randn(20))"]
    )
    assert first == again != next_one


def test_the_second_of_a_pair_is_kept_over_calls(build: Path) -> None:
    pair, single = evaluate(
        build, ["torch.manual_seed(3) and torch.randn(2).tolist()", "torch.manual_seed(3) and [torch.randn(1).item(), torch.randn(1).item()]"]
    )
    assert pair == single


@pytest.mark.parametrize(
    ("seed", "initial"),
    [("-1", 2**64 - 1), ("-2**63", 2**63), ("2**64 - 1", 2**64 - 1), ("0", 0), ("1.7", 1), ("True", 1)],
)
def test_seeds_are_64_bits(build: Path, seed: str, initial: int) -> None:
    assert evaluate(build, [f"torch.manual_seed({seed}).initial_seed()", "torch.initial_seed()"]) == [initial, initial]


@pytest.mark.parametrize("seed", ["2**64", "-2**63 - 1", "10**30", "-10**30"])
def test_seeds_beyond_64_bits_are_errors(build: Path, seed: str) -> None:
    assert evaluate(build, [f"torch.manual_seed({seed})"])[0].startswith("RuntimeError: Overflow when unpacking long")


def test_a_seed_that_is_no_number_is_an_error(build: Path) -> None:
    assert evaluate(build, ["torch.manual_seed('1')"])[0].startswith("TypeError:")


def test_empty_tensors_draw_nothing(build: Path) -> None:
    with_empty, without = evaluate(
        build,
        ["torch.manual_seed(0) and torch.randn(0, 3) is not None and bits(torch.randn(20))", "torch.manual_seed(0) and bits(torch.randn(20))"],
    )
    assert with_empty == without
