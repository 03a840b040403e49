"""training_worker.py epochs | process LIBRARY | blas LIBRARY: the article's training.

`epochs` prints the median milliseconds of an epoch of each library, epochs taken in turn in one process. `process` is the article's program.
`blas` prints the BLAS libraries that are mapped after an epoch.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable

EPOCHS, WARM_UP = 60, 5


def training(library: str) -> Callable[[], float]:
    """A function that trains for one epoch and returns the loss."""
    torch = importlib.import_module(library)
    nn, optim = importlib.import_module(f"{library}.nn"), importlib.import_module(f"{library}.optim")
    torch.manual_seed(0)
    X = torch.randn(10000, 2)
    y = (X[:, 0] ** 2 + X[:, 1] ** 3).unsqueeze(1)
    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    criterion = nn.MSELoss()
    optimizer = optim.Adam(model.parameters(), lr=0.01)

    def epoch() -> float:
        optimizer.zero_grad()
        loss = criterion(model(X), y)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return epoch


def main() -> int:
    if sys.argv[1] == "process":
        epoch = training(sys.argv[2])
        for _ in range(200):
            epoch()
        return 0
    if sys.argv[1] == "blas":
        training(sys.argv[2])()
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            files = {line.split()[-1] for line in maps if "blas" in line}
        print(json.dumps(sorted(files)))
        return 0
    epochs = {library: training(library) for library in ("tensorlib", "torch")}
    times: dict[str, list[float]] = {library: [] for library in epochs}
    for i in range(WARM_UP + EPOCHS):
        for library, epoch in epochs.items():
            start = time.perf_counter()
            epoch()
            if i >= WARM_UP:
                times[library].append((time.perf_counter() - start) * 1e3)
    print(json.dumps({library: statistics.median(t) for library, t in times.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
