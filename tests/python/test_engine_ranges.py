"""arange and linspace: PyTorch's bits, for many starts, steps, ends and lengths."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_support import PYTHON, capabilities, engine_environment, evaluate

# PyTorch's bits depend on the capability (it fuses multiply and add from AVX2 on) and on the threads' shares of the work; ours are those of AVX2, one thread.
PROGRAM = """
import ctypes, hashlib, importlib, json, math, random, sys
T = importlib.import_module(sys.argv[1])
if sys.argv[1] == "torch": T.set_num_threads(1)
R = random.Random(3)
def raw(x): return ctypes.string_at(x.data_ptr(), x.numel() * x.element_size()).hex()
out = []
for dtype in ("float32", "float64"):
    kind = getattr(T, dtype)
    for _ in range(400):
        start, step, n = R.uniform(-10, 10), R.choice([R.uniform(-1, 1), 0.1, 1 / 3, -1e-3, R.uniform(-1e6, 1e6), 2.0 ** R.randint(-20, 20)]), R.choice([R.randint(0, 100), R.randint(0, 3000)])
        out.append([f"arange({start!r}, {start + step * n!r}, {step!r}, {dtype})", raw(T.arange(start, start + step * n, step, dtype=kind))])
        end = R.choice([R.uniform(-10, 10), 0.0, 1e30, -1e-30, start])
        out.append([f"linspace({start!r}, {end!r}, {n}, {dtype})", raw(T.linspace(start, end, n, dtype=kind))])
for dtype in ("int64", "int32", "int16", "int8", "uint8", "float32"):
    for _ in range(60):
        low = 0 if dtype == "uint8" else -100
        start, step, n = R.randint(low, 100), R.randint(1, 7), R.randint(0, 60)
        end = min(start + step * n, 120)
        if end >= start: out.append([f"arange({start}, {end}, {step}, {dtype})", raw(T.arange(start, end, step, dtype=getattr(T, dtype)))])
base = T.zeros(40, 2)
T.arange(0.1, 4.0, 0.1, out=base[:39, 1]); out.append(["arange strided", base.tolist()])
T.linspace(0.1, 4.0, 39, out=base[:39, 0]); out.append(["linspace strided", base.tolist()])
print(json.dumps(out))
"""


def answers(library: str, environment: dict[str, str]) -> list[Any]:
    done = subprocess.run([PYTHON, "-W", "ignore", "-c", PROGRAM, library], env=environment, capture_output=True, text=True, timeout=300)
    if "No module named 'torch'" in done.stderr:
        pytest.skip("python3-torch is not installed")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_bits_are_pytorchs_at_every_capability(build: Path) -> None:
    if "avx2" not in capabilities(build):
        pytest.skip("PyTorch fuses multiply and add from AVX2 on")
    theirs = answers("torch", engine_environment(build, ATEN_CPU_CAPABILITY="avx2"))
    for capability in capabilities(build):
        ours = answers("tensorlib", engine_environment(build, capability=capability))
        wrong = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        assert not wrong, f"{len(wrong)} of {len(ours)}: {wrong[0]}"


def test_linspace_of_integers_rounds_down_from_the_nearer_end(build: Path) -> None:
    """PyTorch 1.13 takes steps from vectors' first elements after they were cut off to integers; 2.6 does as here."""
    cases = [(-50, 69, 41), (37, -20, 10), (0, 10, 4), (5, 5, 3), (0, 255, 1), (-3, 3, 2)]
    got = evaluate(build, [f"torch.linspace({a}, {b}, {n}, dtype=torch.int64).tolist()" for a, b, n in cases])

    def element(a: int, b: int, n: int, i: int) -> int:
        if n == 1:
            return a
        step = (b - a) / (n - 1)
        return int(a + step * i) if i < n // 2 else int(b - step * (n - 1 - i))

    assert got == [[element(a, b, n, i) for i in range(n)] for a, b, n in cases]
