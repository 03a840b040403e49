"""Random addresses against llvm-symbolizer: a library that has only dynamic symbols, and parts of the engine built by two compilers at four levels.

Every disagreement has to fall under a rule below that gives its reason; what falls under none fails.
"""

import bisect
import json
import os
import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from debian import CLANG, SYMBOLIZER

from conftest import ROOT
from test_symbols_addresses import text_section

TORCH = Path("/usr/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13")
SOURCES = ["tensorlib/core/TensorImpl.cpp", "tensorlib/core/Scalar.cpp", "tensorlib/core/ScalarType.cpp"]
LONG_SOURCES = ["tensorlib/native/TensorIterator.cpp", "tensorlib/native/cpu/PowKernel.cpp"]


@pytest.fixture(scope="module")
def ask(build: Path) -> Callable[[Path, list[int]], list[list[dict]]]:
    """Our answers, from the debug information itself."""

    def at(file: Path, addresses: list[int]) -> list[list[dict]]:
        done = subprocess.run(
            [str(build / "bin" / "symbols_probe"), "at", str(file)],
            input="\n".join(map(hex, addresses)),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"XDG_CACHE_HOME": "/proc/nowhere"},
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return at


def llvm(file: Path, addresses: list[int]) -> list[list[dict]]:
    command = [SYMBOLIZER, "-i", "--no-demangle", "--output-style=JSON", f"--obj={file}"]
    done = subprocess.run(command, input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True)
    return [json.loads(line)["Symbol"] for line in done.stdout.splitlines()]


def demangled(names: list[str]) -> list[str]:
    """By binutils, in the short form: std::ostream, as libstdc++ writes."""
    return subprocess.run(["c++filt", "-i"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.split("\n")[: len(names)]


def random_addresses(file: Path, count: int, seed: int) -> list[int]:
    begin, size = text_section(file)
    chance = random.Random(seed)
    return [begin + chance.randrange(size) for _ in range(count)]


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_library_with_dynamic_symbols_only(ask: Callable[[Path, list[int]], list[list[dict]]], count: int) -> None:
    if not TORCH.exists():
        pytest.skip("libtorch is not installed (Debian: python3-torch)")
    ends: dict[int, int] = {}
    names = defaultdict(set)
    for line in subprocess.run(["nm", "-D", "-S", "--defined-only", str(TORCH)], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "TtWwVviu":
            start = int(words[0], 16)
            ends[start] = max(ends.get(start, 0), start + int(words[1], 16))
            names[start].add(words[3].split("@")[0])
    starts = sorted(ends)
    addresses = random_addresses(TORCH, count, 11)
    reasons, unexplained = Counter(), []
    theirs = demangled([chain[0]["FunctionName"] for chain in llvm(TORCH, addresses)])
    for address, (mine,), other in zip(addresses, ask(TORCH, addresses), theirs, strict=True):
        at = bisect.bisect_right(starts, address) - 1
        inside = at >= 0 and address < ends[starts[at]]
        if not inside:
            # A symbol counts only up to its size; llvm-symbolizer 14 names such code by the symbol before it, however far that is.
            reasons["beyond every symbol"] += mine["confidence"] == "module" and mine["full"] == f"{TORCH.name}+{address:#x}"
            if mine["confidence"] != "module":
                unexplained.append((hex(address), mine["full"], other))
        elif mine["full"] == other:
            reasons["same"] += 1
        elif mine["full"] in names[starts[at]] and mine["note"] == "no demangler takes this name":
            reasons["refused by libstdc++'s demangler"] += demangled([mine["full"]]) == [other]
        elif {mine["full"], other} <= set(demangled(list(names[starts[at]]))):
            reasons["several names for one function"] += 1  # constructors and their base variants
        else:
            unexplained.append((hex(address), mine["full"], other))
    assert unexplained == [], unexplained[:5]
    assert reasons["same"] > count / 100
    assert sum(reasons.values()) == count


class LineTable:
    """The rows of a file, as binutils reads them."""

    def __init__(self, file: Path) -> None:
        self.rows = defaultdict(list)
        listing = subprocess.run(["objdump", "--dwarf=decodedline", "-WL", str(file)], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            m = re.match(r"\S.*?\s+(\d+|-)\s+(0x[0-9a-f]+)", line)
            if m:
                self.rows[int(m[2], 16)].append(0 if m[1] == "-" else int(m[1]))
        self.addresses = sorted(self.rows)

    def at(self, address: int) -> list[int]:
        """Lines of all rows for the address that covers this one, in order."""
        place = bisect.bisect_right(self.addresses, address) - 1
        return self.rows[self.addresses[place]] if place >= 0 else []

    def first_of_run(self, address: int, line: int) -> list[int]:
        """Lines where a run of addresses begins whose rows up to this one name that line alone."""
        place = bisect.bisect_right(self.addresses, address) - 1
        while place > 0 and set(self.rows[self.addresses[place]]) == {line}:
            place -= 1
        return self.rows[self.addresses[place]] if place >= 0 else []

    def before(self, address: int) -> list[int]:
        """Lines of the rows before those with line 0."""
        place = bisect.bisect_right(self.addresses, address) - 1
        while place > 0 and set(self.rows[self.addresses[place]]) == {0}:
            place -= 1
        return self.rows[self.addresses[place]] if place >= 0 else []


def bare(name: str) -> str:
    """For names that have no linkage name in DWARF, where llvm-symbolizer gives the last component alone, with template arguments."""
    return name if name.startswith("operator") else re.sub(r"[<(.].*", "", name)


def reason(address: int, mine: list[dict], other: list[dict], names: list[str], lines: LineTable) -> str | None:
    """Why the two differ; "same" if they do not; nothing if no rule says so."""
    if mine[0]["confidence"] != "exact":
        if not other[0]["FunctionName"] and mine[0].get("line"):
            said = other[0]["Line"] or (lines.before(address) or [0])[-1]
            return "padding: a line, but no function" if (mine[0].get("line") or 0) == said else None
        return "no debug information there" if mine[0].get("line") is None or other[0]["Line"] == 0 or not other[0]["FileName"] else None
    if len(mine) != len(other):
        return None
    for i, (f, g, name) in enumerate(zip(mine, other, names, strict=True)):
        whole = re.sub(r"(\.(cold|constprop|isra|part)(\.\d+)?)+$| \[clone .*\]$", "", f["full"])
        if name == g["FunctionName"] and not g["FunctionName"].startswith("_Z"):
            # no linkage name: a lambda's operator() and other local functions of GCC, C functions
            if bare(name) != f["name"] and not name.startswith(f["name"] + "<") and not (name == "operator()" and ("lambda" in f["name"] or "operator()" in whole)):
                return None
        elif re.sub(r" \[clone .*\]$| \(\..*\)$", "", name) != re.sub(r" \(\..*\)$", "", whole):
            return None
        if i > 0 and (f.get("line") or 0) != g["Line"]:
            return None
        if i > 0 and g["FileName"] and os.path.normpath(f["file"]) != os.path.normpath(g["FileName"]):
            return None
    if (mine[0].get("line") or 0) == other[0]["Line"]:
        return "same"
    rows = lines.at(address)
    if other[0]["Line"] == 0:
        # A row without a line says nothing: as in gdb the row before it goes on.
        return "line 0" if mine[0].get("line") in lines.before(address) else None
    if len(rows) > 1 and {mine[0].get("line"), other[0]["Line"]} <= set(rows):
        # Of several rows for one address a statement speaks, as in gdb; llvm-symbolizer takes the last.
        return "several rows at one address"
    if {mine[0].get("line"), other[0]["Line"]} <= set(lines.first_of_run(address, other[0]["Line"])):
        # The same a few rows later: gdb takes repeated rows of a line that has discriminators for one.
        return "a repeated row after several at one address"
    return None


def build_object(build: Path, source: str, compiler: str, level: str, folder: Path) -> Path:
    """A part of the engine as a library that is never loaded, compiled as the build does but for the compiler and the level."""
    commands = json.loads((build / "compile_commands.json").read_text())
    command = next(c for c in commands if c["file"].endswith(source))
    kept = [w for w in command["command"].split() if w.startswith(("-I", "-D", "-std", "-isystem", "-m", "-f"))]
    includes = [w for flag, w in zip(command["command"].split(), command["command"].split()[1:], strict=False) if flag == "-isystem"]
    words = [w for w in kept if w != "-isystem"] + [w for i in includes for w in ("-isystem", i)]
    out = folder / f"{Path(source).stem}-{compiler}{level}.so"
    command_line = [compiler, *words, "-g", level, "-fPIC", "-shared", "-Wl,--unresolved-symbols=ignore-all", str(ROOT / source), "-o", str(out)]
    subprocess.run([w.replace('\\"', '"') for w in command_line], check=True, cwd=command["directory"], capture_output=True)
    return out


CASES = [
    pytest.param(source, level, compiler, 800, marks=[] if level in ("-O0", "-O2") and source in SOURCES[1:2] else [pytest.mark.long])
    for source in SOURCES + LONG_SOURCES
    for level in ("-O0", "-O1", "-O2", "-O3")
    for compiler in ("g++", CLANG)
]


@pytest.mark.parametrize("source, level, compiler, count", CASES)
def test_the_engine_by_two_compilers(
    ask: Callable[[Path, list[int]], list[list[dict]]], build: Path, tmp_path: Path, source: str, level: str, compiler: str, count: int
) -> None:
    if not (ROOT / source).exists():
        pytest.skip(f"{source} is not there any more")
    file = build_object(build, source, compiler, level, tmp_path)
    addresses = random_addresses(file, count, 5)
    theirs = llvm(file, addresses)
    flat = iter(demangled([f["FunctionName"] for chain in theirs for f in chain]))
    lines = LineTable(file)
    reasons, unexplained = Counter(), []
    for address, mine, other in zip(addresses, ask(file, addresses), theirs, strict=True):
        names = [next(flat) for _ in other]
        why = reason(address, mine, other, names, lines)
        reasons[why] += 1
        if why is None:
            unexplained.append((hex(address), [(f["full"], f.get("line")) for f in mine], [(n, f["Line"]) for n, f in zip(names, other, strict=True)]))
    assert unexplained == [], f"{len(unexplained)} of {count}: {unexplained[:5]}"
    assert reasons["same"] > count / 10
