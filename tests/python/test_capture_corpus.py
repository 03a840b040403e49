"""Our walks against libgcc's unwinder, at every instruction of stretches of real programs and from a timer in all their threads."""

import json
import subprocess
from pathlib import Path

import pytest
from debian import NAME

PROGRAM = Path(__file__).with_name("capture_corpus_program.py")
# Instructions stepped in each piece of work, and how often all of it is done under the timer.
SIZES = pytest.mark.parametrize("size", [pytest.param((10_000, 200), id="short"), pytest.param((60_000, 3000), marks=pytest.mark.long, id="long")])
DEBUG_PYTHON = Path(f"/usr/bin/{NAME}d")


def run(build: Path, folder: Path, interpreter: str, part: str, size: tuple[int, int]) -> dict:
    library, report = build / "lib" / "libcapture_corpus.so", folder / "report.json"
    command = [interpreter, "-I", "-W", "ignore", str(PROGRAM), str(library), str(report), part, *map(str, size)]
    subprocess.run(command, check=True, timeout=500, stdin=subprocess.DEVNULL)
    return json.loads(report.read_text())


def sections(file: Path) -> list[tuple[str, int, int]]:
    """Name, address and end of each."""
    found = []
    for line in subprocess.run(["readelf", "-SW", str(file)], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split("]", 1)[-1].split()
        if len(words) > 5 and words[0].startswith("."):
            found.append((words[0], int(words[2], 16), int(words[2], 16) + int(words[4], 16)))
    return found


def stepped_sections(report: dict) -> set[str]:
    """Sections of libraries in which an instruction was compared. Libraries begin at 0, as offsets do."""
    found = set()
    for name in {name for name, _ in report["places"]}:
        file = Path(name)
        if ".so" not in file.name or not file.exists():
            continue
        offsets = [offset for where, offset in report["places"] if where == name]
        found |= {section for section, begin, end in sections(file) if any(begin <= o < end for o in offsets)}
    return found


def modules(report: dict) -> set[str]:
    return {Path(name).name.split(".")[0] for name, _ in report["places"]}


def expect_all_same(report: dict, at_least: int) -> None:
    assert report["wrong"] == 0, "\n".join(report["complaints"])
    assert report["compared"] >= at_least
    assert report["frames"] > 10 * report["compared"]


@SIZES
@pytest.mark.parametrize("interpreter", ["/usr/bin/python3", str(DEBUG_PYTHON)], ids=["release", "debug"])
def test_the_interpreter_and_its_c_libraries(build: Path, tmp_path: Path, size: tuple[int, int], interpreter: str) -> None:
    """With PLT stubs, the vdso and the hand-written assembly of libcrypto."""
    if not Path(interpreter).exists():
        pytest.skip(f"{interpreter} is not installed (Debian: {NAME}-dbg)")
    report = run(build, tmp_path, interpreter, "interpreter", size)
    expect_all_same(report, 50_000)
    assert {"linux-vdso", "libcrypto", "libc", "libffi"} <= modules(report)
    assert ".text" in stepped_sections(report)
    assert any(s.startswith(".plt") for s in stepped_sections(report))
    assert report["not_held"] * 100 <= report["compared"]


@SIZES
def test_numpy(build: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    """Frames realigned for vectors. Padding that a function falls through belongs to no unwind entry: there both stop."""
    report = run(build, tmp_path, "/usr/bin/python3", "numpy", size)
    expect_all_same(report, 30_000)
    assert {"_multiarray_umath", "libopenblas"} <= modules(report)
    assert report["signals"] > 0


@SIZES
def test_torch_and_its_workers(build: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    pytest.importorskip("torch")
    report = run(build, tmp_path, "/usr/bin/python3", "torch", size)
    expect_all_same(report, 30_000)
    assert {"libtorch_cpu", "libtorch_python", "libgomp"} <= modules(report)
    assert report["threads"] >= 3
    assert report["signals"] > 0
