"""What a probe costs the program, by the program's own clock, against gdb's breakpoint at the same function."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from rows import Report, Row, interleaved
from setting import PYTHON, TEACH, Broken, environment, seconds

HITS = 2000
# Each a ** b enters float_pow once; the clock runs from the first to the last.
PROGRAM = f"""
import time
a, b = 2.5, 3.5
begin = time.perf_counter()
for _ in range({HITS}):
    a ** b
print((time.perf_counter() - begin) / {HITS} * 1e6)
"""


def _per_hit(command: list[str]) -> float:
    """Microseconds a hit; the command's last line of output that is a number."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment())
    numbers = [line for line in done.stdout.splitlines() if line.replace(".", "", 1).isdigit()]
    if not numbers:
        raise Broken(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return float(numbers[-1])


def probe_rejected(report: Report) -> None:
    """A hit that a condition rejects."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text(PROGRAM)
        ours = [str(TEACH / "bin" / "callpath"), "run", "--at", "float_pow", "--if", "v == 1", str(script)]
        gdb = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "break float_pow if v == 1", "-ex", "run", "--args", PYTHON, str(script)]
        took = interleaved(3, ours=lambda: _per_hit(ours), gdb=lambda: _per_hit(gdb))
    report.rows.append(Row("probe_rejected", "us", took["ours"], "gdb, break if", took["gdb"], at_least=1.0))


def probe_recorded(report: Report) -> None:
    """A hit of which the whole path is recorded, names and values included, against gdb's bt."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text(PROGRAM.replace(str(HITS), "200"))
        ours = [str(TEACH / "bin" / "callpath"), "run", "--quiet", "--at", "float_pow", "--limit", "100000", str(script)]
        each = ["-ex", "break float_pow", "-ex", "commands\nsilent\nbt\ncontinue\nend"]
        gdb = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", *each, "-ex", "run", "--args", PYTHON, str(script)]
        took = interleaved(3, ours=lambda: _per_hit(ours), gdb=lambda: _per_hit(gdb))
    report.rows.append(Row("probe_recorded", "us", took["ours"], "gdb, bt", took["gdb"]))


def line_followed(report: Report) -> None:
    """A whole run in which a line is followed to the operations' deepest paths, against the same run untraced."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text("import math\na, b = 2.5, 3.5\nc = a ** b + math.hypot(a, b)\n")
        ours = [str(TEACH / "bin" / "callpath"), "run", "--quiet", "--at", f"{script}:3", str(script)]
        took = interleaved(5, ours=lambda: seconds(ours, env=environment()), plain=lambda: seconds([PYTHON, str(script)]))
    report.rows.append(Row("line_followed", "s", took["ours"], "untraced", took["plain"]))


BENCHMARKS = {f.__name__: f for f in (probe_rejected, probe_recorded, line_followed)}
