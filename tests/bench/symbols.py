"""Names for addresses: 1,000 of them in the interpreter, whose detached debug file is large, against llvm-symbolizer."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
import time

from rows import Report, Row, interleaved
from setting import PYTHON, RELEASE, Broken, environment

LLVM = shutil.which("llvm-symbolizer-14") or shutil.which("llvm-symbolizer")
INTERPRETER = os.path.realpath(PYTHON)


def _text_range() -> tuple[int, int]:
    out = subprocess.run(["readelf", "-SW", INTERPRETER], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        fields = line.replace("[", " ").replace("]", " ").split()
        if len(fields) > 5 and fields[1] == ".text":
            return int(fields[3], 16), int(fields[5], 16)
    raise Broken(f"{INTERPRETER} has no .text")


def _addresses(count: int, seed: int) -> list[int]:
    begin, size = _text_range()
    chance = random.Random(seed)
    return [begin + chance.randrange(size) for _ in range(count)]


def _llvm(addresses: list[int]) -> float:
    assert LLVM
    begin = time.perf_counter()
    text = "\n".join(map(hex, addresses))
    subprocess.run([LLVM, "--obj=" + INTERPRETER, "--inlines"], input=text, capture_output=True, text=True, check=True, env=environment())
    return time.perf_counter() - begin


def _ours(addresses: list[int], more: list[int], cache: str | None = None) -> dict[str, float]:
    """Seconds for the first addresses, then for `more` in the same process (bench_symbols.cpp). With a cache folder its index is used."""
    program = RELEASE / "bin" / "bench_symbols"
    if not program.exists():
        raise Broken(f"{program} is not built; ./callpath bench builds it")
    text = "\n".join(map(str, [len(addresses), *addresses, len(more), *more]))
    begin = time.perf_counter()
    command, changes = ([program, INTERPRETER, "kept"], {"XDG_CACHE_HOME": cache}) if cache else ([program, INTERPRETER], {})
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=environment(**changes))
    whole = time.perf_counter() - begin
    figures: dict[str, float] = json.loads(done.stdout)
    return figures | {"whole": whole}


def symbolise_cold(report: Report) -> None:
    """1,000 addresses, the process's start included."""
    if not LLVM:
        report.skipped.append("symbolise_cold: llvm-symbolizer is not installed")
        return
    addresses = _addresses(1000, 1)
    took = interleaved(5, ours=lambda: _ours(addresses, [])["whole"], llvm=lambda: _llvm(addresses))
    report.rows.append(Row("symbolise_cold", "s", took["ours"], "llvm-symbolizer", took["llvm"], at_least=1.0))


def symbolise_warm(report: Report) -> None:
    """1,000 more when 1,000 are done; the rival's by difference of two runs."""
    if not LLVM:
        report.skipped.append("symbolise_warm: llvm-symbolizer is not installed")
        return
    first, more = _addresses(1000, 1), _addresses(1000, 2)
    took = interleaved(5, ours=lambda: _ours(first, more)["warm"], one=lambda: _llvm(first), two=lambda: _llvm(first + more))
    report.rows.append(Row("symbolise_warm", "s", took["ours"], "llvm-symbolizer", max(took["two"] - took["one"], 0.0), at_least=30.0))


def symbolise_indexed(report: Report) -> None:
    """1,000 addresses, the process's start included, with an index in the cache folder that others of the same units left."""
    if not LLVM:
        report.skipped.append("symbolise_indexed: llvm-symbolizer is not installed")
        return
    addresses = _addresses(1000, 1)
    with tempfile.TemporaryDirectory() as cache:
        _ours(_addresses(20_000, 3), [], cache)
        took = interleaved(
            5,
            whole=lambda: _ours(addresses, [], cache)["whole"],
            names=lambda: _ours(addresses, [], cache)["cold"],
            llvm=lambda: _llvm(addresses),
        )
    report.rows.append(Row("symbolise_indexed", "s", took["names"], "llvm-symbolizer", took["llvm"], limit=0.010))
    report.rows.append(Row("symbolise_indexed_process", "s", took["whole"], "llvm-symbolizer", took["llvm"]))


BENCHMARKS = {f.__name__: f for f in (symbolise_cold, symbolise_warm, symbolise_indexed)}
