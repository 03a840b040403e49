"""The article's training against torch, on the same OpenBLAS: one pinned core, one thread, the two in turn.

tensorlib loads OpenBLAS's serial flavour by its path; torch is given the same by LD_LIBRARY_PATH. Which file each has mapped is in the notes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from rows import Report, Row
from setting import PYTHON, RELEASE, Broken, environment

WORKER = Path(__file__).with_name("training_worker.py")
PROCESS_RUNS = 5
SERIAL_OPENBLAS = next(iter(Path("/usr/lib").glob("*/openblas-serial")), None)


def _command(*arguments: str) -> list[str]:
    # The last of this process's cores: the first has the machine's interrupts.
    core = max(os.sched_getaffinity(0))
    return ["taskset", "-c", str(core), PYTHON, str(WORKER), *arguments]


def _run(*arguments: str) -> str:
    if not (RELEASE / "python" / "tensorlib").exists():
        raise Broken(f"{RELEASE}/python/tensorlib is not built; ./callpath bench builds it")
    same_blas = {"LD_LIBRARY_PATH": str(SERIAL_OPENBLAS)} if SERIAL_OPENBLAS else {}
    env = environment(PYTHONPATH=str(RELEASE / "python"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", **same_blas)
    done = subprocess.run(_command(*arguments), env=env, capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"training_worker.py {' '.join(arguments)}: {done.stderr.strip()[-400:]}")
    return done.stdout


def _has_torch() -> bool:
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def engine_train_epoch(report: Report) -> None:
    """An epoch of the article's training: 10,000 points, MLP 2-64-64-1, Adam."""
    if not _has_torch():
        report.skipped.append("engine_train_epoch: torch is not installed")
        return
    figures = json.loads(_run("epochs"))
    report.notes += [f"engine_train: {library} has mapped {', '.join(json.loads(_run('blas', library)))}" for library in ("tensorlib", "torch")]
    report.rows.append(Row("engine_train_epoch", "ms", figures["tensorlib"], "torch", figures["torch"], at_least=1.3))


def engine_train_process(report: Report) -> None:
    """The whole program of 200 epochs, imports included."""
    libraries = ["tensorlib", "torch"] if _has_torch() else ["tensorlib"]
    seconds: dict[str, list[float]] = {library: [] for library in libraries}
    for _ in range(PROCESS_RUNS):
        for library in libraries:
            start = time.perf_counter()
            _run("process", library)
            seconds[library].append(time.perf_counter() - start)
    ours = statistics.median(seconds["tensorlib"])
    if "torch" not in seconds:
        report.skipped.append("engine_train_process: torch is not installed")
    else:
        report.rows.append(Row("engine_train_process", "s", ours, "torch", statistics.median(seconds["torch"]), at_least=2.0))


BENCHMARKS = {f.__name__: f for f in (engine_train_epoch, engine_train_process)}
