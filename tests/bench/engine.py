"""The engine against numpy and, where it is installed, torch: one process, one thread, in turn (engine_worker.py)."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from rows import Report, Row
from setting import PYTHON, RELEASE, Broken, environment

Figures = dict[str, dict[str, float]]
IMPORTS = 15


def _environment(**more: str) -> dict[str, str]:
    if not (RELEASE / "python" / "tensorlib").exists():
        raise Broken(f"{RELEASE}/python/tensorlib is not built; ./callpath bench builds it")
    hand_written = str(RELEASE / "lib" / "libhand_written.so")
    settings = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CALLPATH_BENCH_HAND_WRITTEN": hand_written}
    return environment(PYTHONPATH=str(RELEASE / "python"), **settings | more)


def _measured(what: str, **more: str) -> Figures:
    command = [PYTHON, str(Path(__file__).with_name("engine_worker.py")), what]
    done = subprocess.run(command, env=_environment(**more), capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"engine_worker.py {what}: {done.stderr.strip()[-400:]}")
    return dict(json.loads(done.stdout))


def _rows(report: Report, name: str, figures: Figures, at_least: dict[str, float | None], unit: str = "el/ns") -> None:
    """A line for each row and rival; a rival without a ratio only informs."""
    for row, figure in figures.items():
        for rival, ratio in at_least.items():
            if rival in figure:
                report.rows.append(Row(f"{name} {row}", unit, figure["tensorlib"], rival, figure[rival], unit != "ns", at_least=ratio))
            elif rival != "hand-written" and not (rival == "numpy" and "sigmoid" in row):
                report.skipped.append(f"{name} {row}: {rival} is not installed")


def engine_cube(report: Report) -> None:
    """x**3 of 100,000 contiguous float32, elements a nanosecond."""
    _rows(report, "engine_cube", _measured("cube"), {"numpy": 1.0, "torch": 1.0})


def engine_cube_strided(report: Report) -> None:
    """The same with a stride of two, as X[:, 1]**3 has it."""
    _rows(report, "engine_cube_strided", _measured("cube_strided"), {"numpy": 1.0, "torch": 1.0})


def engine_cube_large(report: Report) -> None:
    """x**3 of ten million, each result a new tensor."""
    _rows(report, "engine_cube_large", _measured("cube_large"), {"numpy": 1.0, "torch": 2.5})


def engine_call(report: Report) -> None:
    """One element: what the way through all layers costs."""
    _rows(report, "engine_call", _measured("call"), {"numpy": 1.0, "torch": 4.0}, "ns")


def engine_call_method(report: Report) -> None:
    """The same by x.pow(3), which has no Python function around it."""
    _rows(report, "engine_call_method", _measured("call_method"), {"torch": 6.0}, "ns")


def engine_powers(report: Report) -> None:
    """The short exponents through out=, also against loops written by hand with AVX-512."""
    figures = _measured("powers")
    general = {row: figures.pop(row) for row in list(figures) if "x^2.5" in row}
    _rows(report, "engine_powers", figures, {"hand-written": 0.9, "torch": 1.0, "numpy": 1.0})
    _rows(report, "engine_powers", general, {"torch": 4.5, "numpy": 1.4})


def engine_functions(report: Report) -> None:
    """exp, log, tanh and sigmoid through out=."""
    _rows(report, "engine_functions", _measured("functions"), {"torch": 1.0, "numpy": None})


def engine_capabilities(report: Report) -> None:
    """The powers and functions with both libraries held to a capability of the CPU, torch also as it chooses by itself."""
    for label, settings in {
        "default": {"ATEN_CPU_CAPABILITY": "default", "TENSORLIB_CPU_CAPABILITY": "default"},
        "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "TENSORLIB_CPU_CAPABILITY": "avx2"},
        "avx512": {"ATEN_CPU_CAPABILITY": "avx512", "TENSORLIB_CPU_CAPABILITY": "avx512"},
        "each by itself": {},
    }.items():
        for what in ("powers", "functions"):
            _rows(report, label, _measured(what, **settings), {"torch": 1.0})


def engine_matmul(report: Report) -> None:
    """A product of two matrices and a sum, on one thread and on two."""
    for what in ("matmul", "matmul_threads", "sum", "sum_threads"):
        threads = "2" if what.endswith("_threads") else "1"
        _rows(report, "engine_matmul", _measured(what, OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads), {"torch": None})


def engine_kernels(report: Report) -> None:
    """The short exponents' kernels against loops written by hand with AVX-512, without the way there."""
    program = RELEASE / "bin" / "bench_kernels"
    if not program.exists():
        raise Broken(f"{program} is not built; ./callpath bench builds it")
    core = max(os.sched_getaffinity(0))
    options = ["--benchmark_format=json", "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=15", "--benchmark_min_time=0.02"]
    done = subprocess.run(["taskset", "-c", str(core), str(program), *options], env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"bench_kernels: {done.stderr.strip()[-400:]}")
    medians = {r["run_name"]: r["el/ns"] for r in json.loads(done.stdout)["benchmarks"] if r.get("aggregate_name") == "median"}
    for name, figure in medians.items():
        rival = name.replace("kernel", "hand-written")
        if rival not in medians:
            report.skipped.append(f"{name}: this CPU has no AVX-512")
        elif rival != name:
            report.rows.append(Row(f"engine_kernels {name}", "el/ns", figure, "hand-written", medians[rival], True, at_least=0.95))


def engine_import(report: Report) -> None:
    """`import tensorlib`, beyond what starting Python takes."""
    def once(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([PYTHON, "-c", code], env=_environment(), check=True)
        return (time.perf_counter() - begin) * 1e3

    runs = [(once("pass"), once("import tensorlib")) for _ in range(IMPORTS)]
    report.rows.append(Row("engine_import", "ms", statistics.median(after - before for before, after in runs), limit=50))


BENCHMARKS = {
    f.__name__: f
    for f in (engine_cube, engine_cube_strided, engine_cube_large, engine_call, engine_call_method, engine_kernels, engine_powers, engine_functions,
              engine_capabilities, engine_matmul, engine_import)
}
