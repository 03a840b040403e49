"""LIBRARY REPORT PART INSTRUCTIONS ROUNDS: does the work of one part while the library compares unwinders.

First each piece of work for so many instructions, one by one; then all of it so often, by a timer.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable


def interpreter() -> list[Callable[[], object]]:
    import hashlib
    import json
    import re
    import time
    import zlib

    text = "x1 y22 " * 30
    return [
        lambda: sorted(range(30), key=lambda x: -x),
        lambda: functools.reduce(lambda a, b: a + b, map(str, range(20))),
        lambda: [time.perf_counter() for _ in range(20)],
        lambda: hashlib.sha256(b"a" * 4096).hexdigest(),
        lambda: hashlib.sha3_256(b"a" * 4096).hexdigest(),
        lambda: zlib.crc32(zlib.compress(text.encode())),
        lambda: re.sub(r"(\w)(\d+)", lambda m: m[2], text),
        lambda: json.loads(json.dumps({str(i): [i] * 3 for i in range(20)})),
        lambda: [int(str(7**300)) % 97, "a".encode().decode(), f"{1 / 3:.30f}"],
        lambda: type("Made", (dict,), {"__missing__": lambda self, key: key})()[1],
        lambda: exec("try:\n  raise ValueError\nexcept ValueError:\n  pass"),
    ]


def numpy() -> list[Callable[[], object]]:
    import numpy as np

    a = np.arange(4096.0).reshape(64, 64)
    # Arguments that send the vector functions down their rare branches, where they call scalar ones from under saved mask registers.
    odd = [np.array([1e30, np.inf, -1e-300, np.nan, 700.0, -5.0, 1e-310, 0.0] * 8).astype(t) for t in ("f4", "f8")]
    functions = (np.sin, np.cos, np.tan, np.exp, np.log, np.cbrt, np.sinh, np.arctan, np.log1p, np.exp2, np.arcsin)

    np.seterr(all="ignore")
    return [
        *[lambda f=f: [f(one) for one in odd] for f in functions],
        lambda: a @ a,
        lambda: np.linalg.solve(a + np.eye(64) * 1e6, a),
        lambda: np.sin(a) ** 2.5,
        lambda: np.sort(a[::-1].ravel()),
        lambda: a[::2].sum(axis=1),
        lambda: np.fft.fft(a),
        lambda: np.vectorize(lambda x: x + 1)(a[0]),
    ]


def torch() -> list[Callable[[], object]]:
    import torch

    torch.set_num_threads(3)
    x = torch.randn(200, 200, requires_grad=True)

    def train() -> object:
        ((x @ x) ** 3).sum().backward()
        return x.grad

    return [lambda: x**3, lambda: x**2.5, lambda: torch.nn.functional.softmax(x, 1), train, lambda: torch.randn(300_000).exp(), lambda: x[:, 1] ** 3]


def main() -> None:
    library, report, part = sys.argv[1:4]
    instructions, rounds = int(sys.argv[4]), int(sys.argv[5])
    work = {"interpreter": interpreter, "numpy": numpy, "torch": torch}[part]()
    own = ctypes.PyDLL(library)
    for action in work:
        action()
    own.corpus_start()
    for action in work:
        own.corpus_step(instructions)
        action()
        own.corpus_stop_stepping()
    own.corpus_timer(1000)
    for _ in range(rounds):
        for action in work:
            action()
    own.corpus_timer(0)
    assert own.corpus_report(report.encode()) == 0


if __name__ == "__main__":
    main()
