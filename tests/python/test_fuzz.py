"""Hostile bytes for what reads ELF, DWARF, unwind tables, the index and records: libFuzzer with the address sanitiser."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from debian import CLANG, LLVM

from conftest import ROOT
from test_symbols_field_cases import compile_sample

SECONDS = int(os.environ.get("CALLPATH_FUZZ_SECONDS", "60"))
SYMBOLS = ["tracer/symbols", "tracer/core", "tracer/record"]
TARGETS = {"symbols": SYMBOLS, "index": SYMBOLS, "cfi": ["tracer/capture/cfi.cpp", "tracer/capture/cfi_table.cpp"], "record": ["tracer/core", "tracer/record"]}


SANITIZERS = {"cfi": "address,undefined"}


def sources(places: list[str]) -> list[str]:
    found = []
    for place in map(ROOT.joinpath, places):
        found += [str(place)] if place.is_file() else sorted(map(str, place.glob("*.cpp")))
    return found


@pytest.fixture(scope="module")
def compiled(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which(CLANG):
        pytest.skip(f"{CLANG} is not installed (Debian: clang-{LLVM})")
    return tmp_path_factory.mktemp("fuzz")


def seeds(target: str, folder: Path) -> Path:
    """Small good inputs to start from."""
    corpus = folder / f"corpus-{target}"
    corpus.mkdir()
    for kept in (ROOT / "tests/data/fuzz" / target).glob("*"):  # what once went wrong, and what is hard to come by
        shutil.copy(kept, corpus)
    if target == "record":
        for file in (ROOT / "tests/data/records").glob("*.json"):
            shutil.copy(file, corpus)
    for number, flags in enumerate([("-gdwarf-5",), ("-gdwarf-4",), ("-gdwarf-5", "-gz"), ("-O2", "-gdwarf-5")]):
        file = compile_sample(folder, "inlines.cpp", "g++", "-nostdlib", "-Wl,-z,max-page-size=4096", *flags)
        if target == "symbols":
            shutil.copy(file, corpus / str(number))
        if target == "cfi":
            subprocess.run(["objcopy", "-O", "binary", "--only-section=.eh_frame", str(file), str(corpus / str(number))], check=True)
    return corpus


def test_hostile_unwind_tables_for_seconds(compiled: Path, build: Path) -> None:
    fuzz(compiled, build, "cfi", 4)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_hostile_bytes(compiled: Path, build: Path, target: str) -> None:
    fuzz(compiled, build, target, SECONDS)


def fuzz(compiled: Path, build: Path, target: str, seconds: int) -> None:
    program = compiled / target
    demangler = [str(build / "libstdcxx" / "cp-demangle.o")] if target in ("symbols", "index") else []
    subprocess.run(
        [CLANG, "-std=c++20", "-O1", "-g1", f"-fsanitize=fuzzer,{SANITIZERS.get(target, 'address')}", "-fno-sanitize-recover=undefined", f"-I{ROOT / 'tracer'}", str(ROOT / "tests/fuzz" / f"fuzz_{target}.cpp")]
        + [*sources(TARGETS[target]), *demangler, "-ldw", "-lelf", "-lfmt", "-lpthread", "-o", str(program)],
        check=True,
    )
    done = subprocess.run(
        [str(program), f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=3000", "-max_len=65536", f"-artifact_prefix={compiled}/", str(seeds(target, Path(tempfile.mkdtemp(dir=compiled))))],
        capture_output=True,
        text=True,
        timeout=seconds + 300,
        cwd=compiled,
    )
    assert done.returncode == 0, done.stderr[-6000:]
