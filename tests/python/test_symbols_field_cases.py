"""Small programs, compiled here, that other symbolisers have got wrong."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from debian import CLANG, NAME

SAMPLES = Path(__file__).resolve().parents[1] / "cpp" / "symbols" / "samples"
COMPILERS = ["g++", CLANG]


class Probe:
    """symbols_probe on one file."""

    def __init__(self, build: Path) -> None:
        self.command = str(build / "bin" / "symbols_probe")

    def ask(self, what: str, file: Path, *arguments: str, stdin: str = "") -> list:
        done = subprocess.run([self.command, what, str(file), *arguments], input=stdin, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def at(self, file: Path, address: int) -> list[dict]:
        return self.ask("at", file, stdin=hex(address))[0]

    def find(self, file: Path, pattern: str) -> list[dict]:
        return self.ask("find", file, pattern)


@pytest.fixture(scope="module")
def probe(build: Path) -> Probe:
    return Probe(build)


def compile_sample(folder: Path, sample: str, compiler: str, *flags: str) -> Path:
    """A shared object, built in `folder` from a copy, so that .dwo files lie there too."""
    source = folder / sample
    shutil.copy(SAMPLES / sample, source)
    output = folder / (Path(sample).stem + ".so")
    subprocess.run([compiler, "-std=c++20", "-g", "-fPIC", "-shared", *flags, sample, "-o", str(output)], cwd=folder, check=True)
    return output


def calls_in(file: Path, function: str) -> Iterator[int]:
    """Addresses of call instructions of a function, as objdump sees them."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(file)], capture_output=True, text=True, check=True).stdout
    body = re.search(rf"<{re.escape(function)}>:\n(.*?)(\n\n|\Z)", listing, re.S).group(1)
    for line in body.splitlines():
        m = re.match(r"\s*([0-9a-f]+):\s+call", line)
        if m:
            yield int(m.group(1), 16)


def brief(chain: list[dict]) -> list[tuple[str, int | None]]:
    return [(f["name"], f.get("line")) for f in chain]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_return_addresses_are_lowered_once(probe: Probe, tmp_path: Path, compiler: str) -> None:
    """T07: the same lines as in the source, one call a line; addr2line agrees."""
    program = tmp_path / "calls"
    subprocess.run([compiler, "-O2", "-g", "-no-pie", str(SAMPLES / "calls.cpp"), "-o", str(program)], check=True)
    returns = [int(a, 16) for a in subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()]
    lines = [probe.at(program, a - 1)[0]["line"] for a in returns]
    assert lines == [14, 15, 16, 18, 20, 20, 21, 21, 22]
    truth = subprocess.run(["addr2line", "-e", str(program), *(hex(a - 1) for a in returns)], capture_output=True, text=True, check=True).stdout
    assert lines == [int(re.search(r":(\d+)", line).group(1)) for line in truth.splitlines()]


@pytest.mark.parametrize("split", [(), ("-gsplit-dwarf",)], ids=["whole", "split"])
@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_inlined_chain_in_every_form_of_dwarf(probe: Probe, tmp_path: Path, compiler: str, version: int, split: tuple[str, ...]) -> None:
    """T14, T16, T18."""
    file = compile_sample(tmp_path, "inlines.cpp", compiler, "-O2", f"-gdwarf-{version}", *split)
    (call,) = calls_in(file, "hot")
    chain = probe.at(file, call)
    assert brief(chain) == [("inl2", 6), ("inl1", 9), ("hot", 10)]
    assert [f["inlined"] for f in chain] == [True, True, False]
    assert {f["file"] for f in chain} == {str(tmp_path / "inlines.cpp")}
    assert {f["confidence"] for f in chain} == {"exact"}
    (call,) = calls_in(file, "lam")
    assert brief(probe.at(file, call)) == [("lambda(int)", 20), ("run", 15), ("lam", 20)]


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_without_its_dwo_a_line_a_symbol_and_a_note_are_left(probe: Probe, tmp_path: Path, compiler: str, version: int) -> None:
    """T14: the skeleton still has the line table."""
    file = compile_sample(tmp_path, "inlines.cpp", compiler, "-O2", f"-gdwarf-{version}", "-gsplit-dwarf")
    (call,) = calls_in(file, "hot")
    (dwo,) = tmp_path.glob("*.dwo")
    dwo.unlink()
    (only,) = probe.at(file, call)
    assert (only["name"], only["line"], only["confidence"]) == ("hot", 6, "symbol")
    assert only["note"].endswith(f"{dwo.name} is missing")
    said = probe.ask("describe", file)[0]
    assert said["debug"] == "symbols" and dwo.name in said["advice"]


def test_the_cold_part_belongs_to_its_function(probe: Probe, tmp_path: Path) -> None:
    """T19: full debug information, symbols only, and stripped."""
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2")
    *_, call = calls_in(file, "withcold.cold")
    here = probe.at(file, call)[-1]
    assert (here["name"], here["full"], here["note"], here["line"]) == ("withcold", "withcold.cold", "cold part", 27)
    assert probe.at(file, probe.find(file, "withcold")[0]["entry"])[-1]["note"] == ""
    assert [f["name"] for f in probe.find(file, "withcold")] == ["withcold"]

    symbols_only, stripped = tmp_path / "symbols.so", tmp_path / "stripped.so"
    subprocess.run(["strip", "-g", str(file), "-o", str(symbols_only)], check=True)
    subprocess.run(["strip", str(file), "-o", str(stripped)], check=True)
    here = probe.at(symbols_only, call)[0]
    assert (here["name"], here["note"], here["confidence"]) == ("withcold", "cold part", "symbol")
    here = probe.at(stripped, call)[0]
    assert (here["name"], here["full"], here["confidence"]) == ("??", f"stripped.so+{call:#x}", "module")


@pytest.mark.parametrize("optimise", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_lambdas_in_lambdas_keep_their_frames(probe: Probe, tmp_path: Path, compiler: str, optimise: str) -> None:
    """T21."""
    file = compile_sample(tmp_path, "nested.cpp", compiler, optimise)
    lambdas = probe.find(file, "lambda(*)")
    inner = {f["full"]: f for f in lambdas if "}::operator()" in f["enclosing"]}
    table = subprocess.run(["nm", "-C", str(file)], capture_output=True, text=True, check=True).stdout
    assert inner and all(f" {full}\n" in table for full in inner)
    for f in lambdas:
        assert f["name"] in ("lambda(float)", "lambda(double)")
        assert "Kernel<float>::run(float)" in f["enclosing"] or "Kernel<double>::run(double)" in f["enclosing"]
        chain = probe.at(file, f["entry"])
        # Lambdas are named by where they were written; the linker's name is there for who asks.
        outer = "lambda #1 in " if "}::operator()" in f["enclosing"] else ""
        assert chain[-1]["origin"] == f"lambda #1 in {outer}run, nested.cpp:{13 if outer else 12}"
        mangled = probe.ask("mangled", file, stdin=hex(f["entry"]))[0]
        assert subprocess.run(["c++filt", "-i", mangled], capture_output=True, text=True, check=True).stdout.strip() == f["full"]
        assert all(e["name"] not in ("", "??") for e in chain)
        assert chain[-1]["full"] == f["full"]


@pytest.mark.parametrize("linker", ["bfd", "lld"])
@pytest.mark.parametrize("kind", [("-shared", "-fPIC"), ("-pie", "-fPIE"), ("-no-pie",), ("-shared", "-fPIC", "-Wl,-z,separate-code")], ids=["library", "pie", "fixed", "separate"])
def test_offsets_are_the_linkers(probe: Probe, tmp_path: Path, kind: tuple[str, ...], linker: str) -> None:
    """T56: however the file is laid out, the offset is the one the symbol table has."""
    source = tmp_path / "m.cpp"
    source.write_text('extern "C" int first() { return 1; }\nextern "C" int second() { return first() + 1; }\nint main() { return second(); }\n')
    file = tmp_path / "m"
    subprocess.run(["g++", "-g", "-O1", f"-fuse-ld={linker}", *kind, str(source), "-o", str(file)], check=True)
    table = subprocess.run(["nm", str(file)], capture_output=True, text=True, check=True).stdout
    for name, line in (("first", 1), ("second", 2), ("main", 3)):
        address = int(re.search(rf"^(\w+) T {name}$", table, re.M).group(1), 16)
        assert brief(probe.at(file, address)) == [(name, line)]
        assert probe.find(file, name)[0]["entry"] == address


@pytest.mark.parametrize("version", [4, 5])
def test_a_tail_call_is_known_from_its_call_site(probe: Probe, tmp_path: Path, version: int) -> None:
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2", f"-gdwarf-{version}")
    (call,) = calls_in(file, "outer")
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(file)], capture_output=True, text=True, check=True).stdout
    returns = int(re.search(rf"^\s*{call:x}:.*\n\s*([0-9a-f]+):", listing, re.M).group(1), 16)
    (site,) = probe.ask("calls", file, stdin=hex(returns))
    assert site["name"] == "jumper"
    assert site["entry"] == int(re.search(r"^(\w+) <jumper>:", listing, re.M).group(1), 16)
    (jump,) = site["tail_jumps"]
    assert brief(jump) == [("jumper", 33)]
    assert probe.ask("calls", file, stdin=hex(returns + 1)) == [None]


def test_detached_compressed_and_linked_debug_files(probe: Probe, tmp_path: Path) -> None:
    """A debug link with a wrong checksum is not followed; compressed sections are read."""
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2", "-Wl,--build-id=none")
    (call,) = calls_in(file, "hot")
    subprocess.run(["objcopy", "--only-keep-debug", "--compress-debug-sections", "inlines.so", "inlines.debug"], cwd=tmp_path, check=True)
    subprocess.run(["objcopy", "--strip-all", "--add-gnu-debuglink=inlines.debug", "inlines.so"], cwd=tmp_path, check=True)
    assert brief(probe.at(file, call)) == [("inl2", 6), ("inl1", 9), ("hot", 10)]
    assert probe.ask("describe", file)[0] == {"debug": "full", "debug_file": str(tmp_path / "inlines.debug"), "advice": ""}
    with open(tmp_path / "inlines.debug", "ab") as f:
        f.write(b"\0")
    assert probe.at(file, call)[0]["confidence"] == "symbol"  # .dynsym
    assert probe.ask("describe", file)[0]["debug_file"] == ""


def test_advice_names_what_would_help(probe: Probe, tmp_path: Path) -> None:
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2")
    subprocess.run(["strip", str(file)], check=True)
    said = probe.ask("describe", file)[0]
    assert said["debug"] == "dynamic" and "rebuild it with -g" in said["advice"]
    bare = tmp_path / "bin" / NAME
    bare.parent.mkdir()
    assert "cannot be read" in probe.ask("describe", bare)[0]["advice"]


def test_nearest_names(probe: Probe, tmp_path: Path) -> None:
    file = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2")
    assert probe.ask("nearest", file, "withcolt")[0] == "withcold"
    assert probe.ask("nearest", file, "jump")[0] == "jumper"
    assert probe.ask("nearest", file, "zzzzzzzzzzzzzzzz") == []


VERSIONED = """
__attribute__((noinline)) int old_two(int x) { return x + 1; }
__attribute__((noinline)) int new_two(int x) { return x + 2; }
__asm__(".symver old_two, two@V1");
__asm__(".symver new_two, two@@V2");
int one(int x) { return x; }
"""


def test_a_version_is_no_part_of_a_name(probe: Probe, tmp_path: Path) -> None:
    """As `dlopen` is meant where a C library's .symtab has dlopen@@GLIBC_2.34."""
    source, script, file = tmp_path / "versioned.c", tmp_path / "versions", tmp_path / "versioned.so"
    source.write_text(VERSIONED)
    script.write_text("V1 { local: *; };\nV2 { global: one; } V1;\n")
    subprocess.run(["gcc", "-fPIC", "-shared", "-Wl,--version-script", str(script), str(source), "-o", str(file)], check=True)
    symbols = subprocess.run(["readelf", "-sW", str(file)], capture_output=True, text=True, check=True).stdout.partition(".symtab")[2]
    address = {name: int(value, 16) for value, name in re.findall(r": ([0-9a-f]+) .* (\w+@+V\d|one)$", symbols, re.M)}
    assert set(address) == {"two@V1", "two@@V2", "one"}
    found = probe.find(file, "two")
    assert sorted(f["entry"] for f in found) == sorted([address["two@V1"], address["two@@V2"]])
    assert [f["entry"] for f in probe.find(file, "one")] == [address["one"]]
    assert not any("@" in f["name"] + f["full"] for f in found)
    assert probe.ask("nearest", file, "tow")[0] == "two"


def test_a_debug_file_of_another_build_is_named_and_not_used(probe: Probe, tmp_path: Path) -> None:
    """R09: what is there, what is wrong with it, and what would help."""
    file, debug = compile_sample(tmp_path, "inlines.cpp", "g++", "-O2"), tmp_path / "inlines.so.debug"
    subprocess.run(["objcopy", "--only-keep-debug", str(file), str(debug)], check=True)
    subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", str(file)], check=True)
    assert probe.ask("describe", file)[0]["debug_file"] == str(debug)
    debug.write_bytes(debug.read_bytes() + b"another build")
    said = probe.ask("describe", file)[0]
    assert said["debug"] == "symbols" and not said["debug_file"]
    assert said["advice"].startswith(f"{debug} was made for another build") and said["advice"].endswith("rebuild it with -g, and do not strip it")
    notes = subprocess.run(["readelf", "-n", str(file)], capture_output=True, text=True, check=True).stdout
    assert re.search(r"Build ID: (\w+)", notes).group(1) in said["advice"]
