"""No binary of ours defines `_Unwind_*`, not even hidden: exceptions of the traced program would be lost in it."""

import subprocess
from pathlib import Path

import pytest


def is_elf(path: Path) -> bool:
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


@pytest.fixture(scope="module")
def binaries(build: Path) -> list[Path]:
    return sorted(path for folder in ("bin", "lib", "python", "tests") for path in (build / folder).rglob("*") if is_elf(path))


def defined(path: Path) -> list[str]:
    """Names defined in an ELF file's symbol tables, local ones too."""
    names = []
    for line in subprocess.run(["readelf", "-W", "-s", path], capture_output=True, text=True, check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit() and fields[6] != "UND":
            names.append(fields[7].split("@")[0])
    return names


def test_there_are_binaries(binaries: list[Path]) -> None:
    names = {path.name for path in binaries}
    assert {"callpath", "libcallpath_agent.so"} <= names


def test_none_defines_unwind(binaries: list[Path]) -> None:
    guilty = {path.name: found for path in binaries if (found := [name for name in defined(path) if name.startswith("_Unwind_")])}
    assert guilty == {}


def test_the_agent_has_the_unwinder_and_hides_it(build: Path) -> None:
    agent = build / "lib" / "libcallpath_agent.so"
    assert "__unw_step" in defined(agent), "the unwinder is linked in"
    dynamic = subprocess.run(["nm", "-D", "--defined-only", agent], capture_output=True, text=True, check=True).stdout
    of_signals = {"sigaction", "signal", "sigprocmask", "pthread_sigmask", "sigpending", "sigwait", "sigwaitinfo", "sigtimedwait"}
    for_record = {"callpath_agent_attach", "callpath_agent_leave"}  # callpath.record calls them where the agent comes late.
    assert {line.split()[-1] for line in dynamic.splitlines()} == of_signals | for_record, "and not offered to the program"


def test_the_agent_needs_only_libc_and_is_bound_at_load(build: Path) -> None:
    tags = subprocess.run(["readelf", "-d", build / "lib" / "libcallpath_agent.so"], capture_output=True, text=True, check=True).stdout
    needed = [line for line in tags.splitlines() if "(NEEDED)" in line]
    assert len(needed) == 1 and "libc.so.6" in needed[0]
    assert "BIND_NOW" in tags
