"""The gdb commands: against gdb's own backtraces at the same stop, and against a plain run under gdb."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

from rows import Report, Row
from setting import PYTHON, ROOT, TEACH, Broken, environment, seconds

QUIET = ["set confirm off", "set pagination off", "set debuginfod enabled off", "set breakpoint pending on", "set style enabled off"]
LOAD = f"source {ROOT / 'gdb' / 'load.py'}"
HELPER = "/usr/share/gdb/auto-load/usr/bin/python3.11-gdb.py"
PROGRAM = ROOT / "walkthroughs" / "01_pow_kernel" / "learn1.py"


def _environment() -> dict[str, str]:
    return environment(CALLPATH_BIN=str(TEACH / "bin" / "callpath"))


def _settings() -> list[str]:
    return [part for setting in [*QUIET, f"set environment PYTHONPATH {TEACH / 'python'}"] for part in ("-iex", setting)]


def _timed(before: list[str], timed: dict[str, list[str]], program: list[str], rounds: int = 5) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "took.json"
        job = json.dumps({"before": before, "timed": timed, "rounds": rounds, "out": str(out)})
        argv = ["gdb", "-nx", "-batch", *_settings(), "-x", str(ROOT / "tests/bench/gdb_worker.py"), "--args", *program]
        done = subprocess.run(argv, env=_environment() | {"GDB_JOB": job}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if not out.exists():
            raise Broken(f"gdb did not come to its end: {done.stderr[-500:]}")
        return {name: statistics.median(values) for name, values in json.loads(out.read_text()).items()}


def gdb_bt(report: Report) -> None:
    """`callpath bt` at the stop in the kernel's lambda, against gdb's own `bt` and `py-bt` there."""
    if not os.path.exists(HELPER):
        raise Broken(f"{HELPER} is not there: apt-get install python3.11-dbg")
    before = [LOAD, f"source {HELPER}", "callpath break kernel pow if exp == 3", "run"]
    took = _timed(before, {"ours": ["callpath bt"], "theirs": ["bt -no-filters", "py-bt"]}, [PYTHON, str(PROGRAM)])
    report.rows.append(Row("gdb_bt", "s", took["ours"], "bt, py-bt", took["theirs"], at_least=2))


CLASSES = "def make():\n    for _ in range(10000):\n        class Other: pass\nmake()\n"
_PLAIN = "break builtin___build_class__ if 0"


def gdb_false_stop(report: Report) -> None:
    """CPU time of a hit of `callpath break class` that is no stop, against one of gdb's own breakpoint whose condition is 0."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "classes.py"
        program.write_text(CLASSES)

        def run(*commands: str) -> float:
            """CPU time of gdb and the program, which on a busy machine is what a run costs."""
            executed = [part for command in commands for part in ("-ex", command)]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds(["gdb", "-nx", "-batch", *_settings(), "-ex", LOAD, *executed, "-ex", "run", "--args", PYTHON, str(program)], env=_environment())
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        bare, ours, plain = ([run(*commands) for _ in range(3)] for commands in ([], ["callpath break class Tensor"], [_PLAIN]))
    hit = [(min(took) - min(bare)) / 10_000 * 1e3 for took in (ours, plain)]
    report.rows.append(Row("gdb_false_stop", "ms", hit[0], "break ... if 0", hit[1], limit=0.2))


def gdb_break_class(report: Report) -> None:
    """`callpath break class Tensor` while PyTorch is imported up to its end, against the plain run under gdb."""
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode:
        report.skipped.append("gdb_break_class: Python cannot import torch (apt-get install python3-torch)")
        return

    def run(*commands: str) -> float:
        executed = [part for command in commands for part in ("-ex", command)]
        return seconds(["gdb", "-nx", "-batch", *_settings(), "-ex", LOAD, *executed, "-ex", "run", "--args", PYTHON, "-c", "import torch"], env=_environment())

    ours, plain = [run("callpath break class Tensor no_such_file.py") for _ in range(3)], [run() for _ in range(3)]
    report.rows.append(Row("gdb_break_class", "s", min(ours), "plain run under gdb", min(plain), at_least=1 / 1.5))


BENCHMARKS = {f.__name__: f for f in (gdb_bt, gdb_false_stop, gdb_break_class)}
