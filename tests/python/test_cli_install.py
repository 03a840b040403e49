"""`cmake --install` into a prefix with a blank and a letter that is not ASCII, moved afterwards: everything is found relative to the binary."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment


@pytest.fixture(scope="module")
def prefix(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    first = tmp_path_factory.mktemp("install") / "first"
    subprocess.run(["cmake", "--install", build, "--prefix", first], check=True, capture_output=True, env=clean_environment())
    moved = first.parent / "a b" / "dïr"
    moved.parent.mkdir()
    first.rename(moved)
    return moved


def run(prefix: Path, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [prefix / "bin" / "callpath", *arguments]
    return subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, cwd=cwd or prefix)


def test_layout(prefix: Path) -> None:
    for file in (
        "bin/callpath",
        "lib/callpath/lib/libcallpath_agent.so",
        "lib/callpath/python/callpath/__init__.py",
        "lib/callpath/python/tensorlib/__init__.py",
        "share/callpath/gdb/load.py",
        "share/callpath/walkthroughs/01_pow_kernel/walk.toml",
    ):
        assert (prefix / file).is_file(), file
    assert not list(prefix.rglob("__pycache__")) and not list(prefix.rglob("CMakeLists.txt"))


def test_version(prefix: Path, build: Path) -> None:
    built = subprocess.run([build / "bin" / "callpath", "--version"], capture_output=True, text=True).stdout
    assert run(prefix, "--version").stdout == built


def test_report(prefix: Path, root: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run(prefix, "report", root / "tests/data/records/pow_kernel.json", "--format", "html", "-o", page)
    assert done.returncode == 0, done.stderr
    assert page.read_text().rstrip().endswith("</html>")


def test_python_finds_the_installed_packages(prefix: Path) -> None:
    code = "import tensorlib, callpath; print(tensorlib.__file__); print(callpath.__file__); print(tensorlib.randn(2, 2).shape)"
    done = run(prefix, "python", "-c", code)
    assert done.returncode == 0, done.stderr
    engine, package, _ = done.stdout.splitlines()
    assert engine == str(prefix / "lib/callpath/python/tensorlib/__init__.py")
    assert package == str(prefix / "lib/callpath/python/callpath/__init__.py")


def test_engine_s_library_is_the_installed_one(prefix: Path) -> None:
    code = "import tensorlib; print(sorted({l.split(None, 5)[5].strip() for l in open('/proc/self/maps') if 'libtensorlib' in l}))"
    assert run(prefix, "python", "-c", code).stdout == f"{[str(prefix / 'lib/callpath/lib/libtensorlib.so')]}\n"


def test_walk_by_both_routes(prefix: Path, tmp_path: Path) -> None:
    done = run(prefix, "walk", "01", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The same path by both routes" in done.stdout
    record = json.loads((tmp_path / "01_pow_kernel.json").read_text())
    assert any(m["path"] == str(prefix / "lib/callpath/lib/libtensorlib.so") for m in record["modules"])


def test_gdb_scripts_find_the_installed_program(prefix: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    gdb = ["gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", f"source {prefix}/share/callpath/gdb/load.py", "-ex", "break builtin_id", "-ex", "run"]
    done = subprocess.run(
        [*gdb, "-ex", f"callpath record {record}", "--args", "/usr/bin/python3", "-c", "id(1)"],
        env=clean_environment(DEBUGINFOD_URLS=None), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert record.exists(), done.stderr
    assert json.loads(record.read_text())["events"][0]["frames"][0]["name"] == "builtin_id"


def test_doctor_runs(prefix: Path) -> None:
    assert "To build callpath and walk" in run(prefix, "doctor").stdout


@pytest.mark.parametrize("command", ["test", "bench"])
def test_what_needs_the_source_says_so(prefix: Path, command: str) -> None:
    done = run(prefix, command)
    assert done.returncode == 1 and f"./callpath {command}" in done.stderr


def test_through_a_link_on_path(prefix: Path, tmp_path: Path) -> None:
    os.symlink(prefix / "bin" / "callpath", tmp_path / "callpath")
    done = subprocess.run(["callpath", "walk"], env=clean_environment(PATH=f"{tmp_path}:/usr/bin:/bin"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "01  The line to the lambda" in done.stdout
