"""pow on many pairs: beside PyTorch's, the C library's powl and mpmath."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from engine_support import PYTHON, engine_environment, evaluate

PROGRAM = Path(__file__).with_name("engine_pow_torch.py")


def compare(build: Path, dtype: str, pairs: int) -> None:
    pytest.importorskip("numpy")
    environment = engine_environment(build, ATEN_CPU_CAPABILITY="avx2")
    done = subprocess.run([PYTHON, str(PROGRAM), dtype, str(pairs)], env=environment, capture_output=True, text=True, timeout=3600)
    if "No module named 'torch'" in done.stderr:
        pytest.skip("python3-torch is not installed")
    print(done.stdout)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("pairs ok"), done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_against_pytorch_and_powl(build: Path, dtype: str) -> None:
    compare(build, dtype, 100_000)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ten_million_pairs_against_pytorch_and_powl(build: Path, dtype: str) -> None:
    compare(build, dtype, 10_000_000)


@pytest.mark.parametrize(("dtype", "mantissa", "least"), [("float32", 24, -149), ("float64", 53, -1074)])
def test_pairs_against_mpmath(build: Path, dtype: str, mantissa: int, least: int) -> None:
    """Within 0.6 of the distance between neighbours, at most 1 where the result is subnormal."""
    mpmath = pytest.importorskip("mpmath")
    setup = f"""
    import random, struct
    R = random.Random(5)
    reach = {126 if mantissa == 24 else 1022}
    bases = [2.0 ** R.uniform(-reach, reach) for _ in range(600)] + [2.0 ** R.uniform(-.5, .5) for _ in range(600)]
    bases = t(bases, dtype=torch.{dtype})
    exps = [R.uniform({least}, reach) / math.log2(b) if b != 1 else 2.5 for b in bases.tolist()]
    exps = t(exps, dtype=torch.{dtype})
    """
    bases, exps, results = evaluate(build, ["bases.tolist()", "exps.tolist()", "(bases**exps).tolist()"], setup)
    mpmath.mp.prec = 300
    far = []
    for base, exp, result in zip(bases, exps, results):
        exact = mpmath.power(mpmath.mpf(base), mpmath.mpf(exp))
        unit = max(int(mpmath.frexp(exact)[1]) - mantissa, least)
        error = abs(mpmath.ldexp(mpmath.mpf(result) - exact, -unit)) if result != float("inf") else 0
        assert error <= (0.6 if unit > least else 1), (base, exp, result)
        far.append(error)
    assert len(far) == 1200 and max(far) > 0.3
