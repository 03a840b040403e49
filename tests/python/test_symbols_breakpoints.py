"""Where functions and lines are stopped at: the addresses and lines that gdb's `break` reports."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from debian import BUILDS as INTERPRETERS, CLANG

ROOT = Path(__file__).resolve().parents[1] / "cpp"
SAMPLES = {
    "inlines": ROOT / "symbols" / "samples" / "inlines.cpp",
    "nested": ROOT / "symbols" / "samples" / "nested.cpp",
    "wide": ROOT / "symbols" / "samples" / "wide.cpp",
    "types": ROOT / "values" / "samples" / "types.cpp",
}
GDB = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off", "-iex", "set width 0", "-iex", "set breakpoint pending off"]
BUILDS = ["g++ -O0", "g++ -O2", f"{CLANG} -O0", f"{CLANG} -O2"]
RARER_BUILDS = ["g++ -Og", f"{CLANG} -Og", "g++ -O0 -fomit-frame-pointer", f"{CLANG} -O0 -fomit-frame-pointer", "g++ -O1 -gdwarf-4", "g++ -O3"]


def probe(build: Path, *arguments: str) -> list[dict]:
    done = subprocess.run([str(build / "bin" / "symbols_probe"), *arguments], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def gdb_breaks(file: Path, specs: list[str], folder: Path) -> list[dict[int, int]]:
    """For each location the addresses where gdb stops, with the line it reports; empty if it refuses."""
    (folder / "specs.json").write_text(json.dumps(specs))
    script = folder / "breaks.py"
    script.write_text(
        "import gdb, json, re\n"
        f"for spec in json.load(open({str(folder / 'specs.json')!r})):\n"
        "    found = {}\n"
        "    try:\n"
        "        said = gdb.execute('break ' + spec, to_string=True)\n"
        "        number = said.split()[1]\n"
        "        listing = gdb.execute('info breakpoints ' + number, to_string=True)\n"
        "        for m in re.finditer(r'(0x[0-9a-f]+) (?:in .*? at \\S+?:(\\d+)|<)', listing):\n"
        "            found[int(m.group(1), 16)] = int(m.group(2) or 0)\n"
        "        gdb.execute('delete ' + number)\n"
        "    except gdb.error:\n"
        "        pass\n"
        "    print('R', json.dumps(list(found.items())))\n"
    )
    done = subprocess.run([*GDB, "-x", str(script), str(file)], capture_output=True, text=True, check=True, timeout=120)
    return [dict(json.loads(line[2:])) for line in done.stdout.splitlines() if line.startswith("R ")]


def without_return_type(full: str) -> str:
    depth = start = 0
    for i, c in enumerate(full):
        if c == "(" and depth == 0 and i > start and not full.startswith("(anonymous namespace)", i):
            break
        if c in "<({":
            depth += 1
        elif c in ">)}" and full[i - 1] != "-":
            depth -= 1
        elif c == " " and depth == 0 and not full[:i].endswith("operator"):
            start = i + 1
    return full[start:]


def compare_functions(build: Path, file: Path, pattern: str, folder: Path, most: int = 100_000) -> tuple[int, list[str]]:
    """Agreements and disagreements over the functions a pattern finds. What gdb does not know by that name is left out."""
    mine = [f for f in probe(build, "find", str(file), pattern)][:most]
    base = [without_return_type(f["full"]).split(" [clone")[0] for f in mine]
    specs = ["-q -function " + (b if "(" in b else b.split(".")[0]) for b in base]
    agreed, wrong = 0, []
    for f, spec, theirs in zip(mine, specs, gdb_breaks(file, specs, folder), strict=True):
        if specs.count(spec) > 1 or not theirs or "." in f["full"].split("(")[0] or "[clone" in f["full"]:
            continue
        if f["after_prologue"] in theirs and f.get("line", 0) == theirs[f["after_prologue"]]:
            agreed += 1
        else:
            wrong.append(f"{f['full']}: {f['after_prologue']:#x} line {f.get('line')}, gdb: {[(hex(a), n) for a, n in theirs.items()]}")
    return agreed, wrong


@pytest.fixture(
    params=[(s, b) for s in SAMPLES for b in BUILDS] + [pytest.param((s, b), marks=pytest.mark.long) for s in SAMPLES for b in RARER_BUILDS],
    ids=lambda p: f"{p[0]} {p[1]}",
)
def built(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path, Path]:
    sample, how = request.param
    file = tmp_path / sample
    source = SAMPLES[sample]
    compiler, *flags = how.split()
    kind = ["-shared", "-fPIC"] if sample == "inlines" else ["-no-pie"]
    wide = ["-mavx512f"] if sample == "wide" else []
    subprocess.run([compiler, "-std=c++20", "-g", "-w", *flags, *wide, *kind, str(source), "-o", str(file)], check=True)
    return sample, source, file


def test_functions_stop_where_gdb_stops(build: Path, built: tuple[str, Path, Path], tmp_path: Path) -> None:
    sample, _, file = built
    agreed, wrong = compare_functions(build, file, "*", tmp_path)
    assert wrong == []
    assert agreed >= {"inlines": 5, "nested": 2, "wide": 3, "types": 10}[sample]


def test_lines_stop_where_gdb_stops(build: Path, built: tuple[str, Path, Path], tmp_path: Path) -> None:
    sample, source, file = built
    count = len(source.read_text().splitlines())
    theirs = gdb_breaks(file, [f"{source.name}:{n}" for n in range(1, count + 1)], tmp_path)
    wrong = []
    for number, expected in enumerate(theirs, start=1):
        mine = {f["after_prologue"] for f in probe(build, "line", str(file), source.name, str(number))}
        if sample == "inlines" and number in (26, 27) and mine and set(expected) == {probe(build, "find", str(file), "withcold")[0]["after_prologue"]}:
            continue  # gdb takes the cold part, which lies before the function, for its prologue; the line itself is the better place
        if mine != set(expected):
            wrong.append(f"line {number}: {sorted(map(hex, mine))}, gdb: {sorted(map(hex, expected))}")
    assert wrong == []


def test_functions_of_the_interpreter(build: Path, tmp_path: Path) -> None:
    """Optimised by GCC with location lists: gdb stops at the entry."""
    agreed, wrong = compare_functions(build, Path(INTERPRETERS["release"]).resolve(), "_Py*", tmp_path, most=500)
    assert wrong == []
    assert agreed > 200


def test_without_debug_information_the_frame_setup_is_skipped(build: Path, tmp_path: Path) -> None:
    file = tmp_path / "bare"
    subprocess.run(["g++", "-std=c++20", "-O0", "-w", "-no-pie", str(SAMPLES["types"]), "-o", str(file)], check=True)
    names = ["integers", "floats", "compound", "blocks", "successor", "main"]
    theirs = gdb_breaks(file, names, tmp_path)
    for name, expected in zip(names, theirs, strict=True):
        assert [f["after_prologue"] for f in probe(build, "find", str(file), name)] == list(expected), name
        assert re.fullmatch(r"\w+", name)
