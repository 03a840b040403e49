"""Names, inlined chains and lines of random addresses in Debian's interpreter (an LTO build with a detached debug file), against other symbolisers."""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from debian import BUILDS, SYMBOLIZER

PYTHON = Path(BUILDS["release"]).resolve()
GDB = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off", "-iex", "set width 0"]


def text_section(file: Path) -> tuple[int, int]:
    """Address and size of .text."""
    for line in subprocess.run(["readelf", "-SW", str(file)], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split("]")[-1].split()
        if words[:1] == [".text"]:
            return int(words[2], 16), int(words[4], 16)
    raise AssertionError(f"{file} has no .text")


@pytest.fixture(scope="module")
def addresses() -> list[int]:
    start, size = text_section(PYTHON)
    source = random.Random(20240311)
    return [start + source.randrange(size) for _ in range(1200)]


@pytest.fixture(scope="module")
def ours(build: Path, addresses: list[int]) -> list[list[dict]]:
    done = subprocess.run(
        [str(build / "bin" / "symbols_probe"), "at", str(PYTHON)], input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def plain(name: str) -> str:
    return name.split(".")[0]


def chain(functions: list[dict]) -> list[tuple[str, int | None]]:
    """What DWARF says: name and line of each function; nothing for code without debug information."""
    if functions[0]["confidence"] != "exact":
        return []
    return [(plain(f["full"]), f.get("line")) for f in functions]


@pytest.fixture(scope="module")
def gdb_view(addresses: list[int], tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    script = tmp_path_factory.mktemp("gdb") / "view.py"
    script.write_text(
        f"import gdb, json\nfor a in {addresses}:\n"
        "    sal, block, chain = gdb.find_pc_line(a), gdb.block_for_pc(a), []\n"
        "    while block is not None and not block.is_global and not block.is_static:\n"
        "        if block.function is not None:\n"
        "            chain.append([block.function.name, block.function.line])\n"
        "        block = block.superblock\n"
        "    print('R', json.dumps({'line': sal.line, 'file': sal.symtab.filename if sal.symtab else None, 'chain': chain}))\n"
    )
    done = subprocess.run([*GDB, "-x", str(script), str(PYTHON)], capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line[2:]) for line in done.stdout.splitlines() if line.startswith("R ")]


@pytest.fixture(scope="module")
def llvm_view(addresses: list[int]) -> list[list[dict]]:
    command = [SYMBOLIZER, "-i", "--output-style=JSON", f"--obj={PYTHON}"]
    done = subprocess.run(command, input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True)
    return [json.loads(line)["Symbol"] for line in done.stdout.splitlines()]


def test_every_chain_is_gdbs(addresses: list[int], ours: list[list[dict]], gdb_view: list[dict], llvm_view: list[list[dict]]) -> None:
    """gdb 13 loses an inlined block now and then (seen: memcpy in sre_ucs2_match at 0x472575, which DWARF lists); there llvm-symbolizer has the last word."""
    assert len(ours) == len(gdb_view) == len(addresses)
    wrong, inlined, lost_by_gdb = [], 0, 0
    for address, mine, theirs, llvm in zip(addresses, ours, gdb_view, llvm_view, strict=True):
        calls = [line for _, line in theirs["chain"][:-1]]
        expected = list(zip([plain(name) for name, _ in theirs["chain"]], [theirs["line"], *calls], strict=False)) if theirs["chain"] else []
        # gdb keeps a symbol's line in 16 bits
        got = [(name, line if i == 0 or line is None else line % 65536) for i, (name, line) in enumerate(chain(mine))]
        inlined += len(got) > 1
        if got != expected and len(got) > len(expected) and chain(mine) == [(plain(f["FunctionName"]), f["Line"]) for f in llvm]:
            lost_by_gdb += 1
        elif got != expected:
            wrong.append((hex(address), got, expected))
    assert wrong == []
    assert lost_by_gdb <= 5
    assert inlined > 400


def test_every_innermost_file_is_gdbs(ours: list[list[dict]], gdb_view: list[dict]) -> None:
    compared = 0
    for mine, theirs in zip(ours, gdb_view, strict=True):
        if theirs["file"] is None or not mine[0].get("file"):
            continue
        compared += 1
        assert Path(mine[0]["file"]).name == Path(theirs["file"]).name
    assert compared > 1000


def test_every_name_is_llvm_symbolizers(ours: list[list[dict]], gdb_view: list[dict], llvm_view: list[list[dict]]) -> None:
    """llvm-symbolizer reads the same chains. Where the lines differ gdb has decided: the other test holds us to it."""
    names, lines = 0, 0
    for mine, other, view in zip(ours, llvm_view, gdb_view, strict=True):
        got, expected = chain(mine), [(plain(f["FunctionName"]), f["Line"]) for f in other]
        if not view["chain"]:  # no debug information there: llvm-symbolizer names such code by the symbol before it, however far
            continue
        names += [n for n, _ in got] != [n for n, _ in expected]
        lines += got != expected
        if got == expected:
            assert [f["file"] for f in mine] == [os.path.normpath(f["FileName"]) for f in other]
    # Seen in 1,200: names differ where a line has number 0 or a symbol is empty for LLVM; lines where two rows share an address.
    assert names <= 12
    assert lines <= 150


def test_a_symbol_counts_only_up_to_its_size(build: Path) -> None:
    """Padding between functions belongs to none of them."""
    done = subprocess.run(["nm", "-D", "--defined-only", "-S", str(PYTHON)], capture_output=True, text=True, check=True)
    sizes = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] == "T":
            sizes[int(words[0], 16)] = (int(words[1], 16), words[3])
    inside = [(start, size, name) for start, (size, name) in list(sizes.items())[:300]]
    questions = [hex(a) for start, size, _ in inside for a in (start, start + size - 1, start + size)]
    done = subprocess.run([str(build / "bin" / "symbols_probe"), "at", str(PYTHON)], input="\n".join(questions), capture_output=True, text=True, check=True)
    answers = [json.loads(line)[-1] for line in done.stdout.splitlines()]
    for (start, size, name), first, last, after in zip(inside, answers[0::3], answers[1::3], answers[2::3], strict=True):
        assert plain(first["full"]) == plain(last["full"]), hex(start)
        if start + size not in sizes:
            assert after["full"] != first["full"], name


def test_the_detached_file_is_named(build: Path) -> None:
    done = subprocess.run([str(build / "bin" / "symbols_probe"), "describe", str(PYTHON)], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    notes = subprocess.run(["readelf", "-n", str(PYTHON)], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes).group(1)
    assert said == {"debug": "full", "debug_file": f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug", "advice": ""}
