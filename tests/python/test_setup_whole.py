"""The whole toolkit, built from a copy of the sources under a folder with a blank and a letter that is not ASCII (field case P08)."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment

SOURCES = ("callpath", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CHANGELOG.md", "cmake", "docs", "gdb", "pyshim", "tensorlib", "tracer", "walkthroughs")


@pytest.fixture(scope="module")
def copy(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "a b" / "dïr"
    folder.mkdir(parents=True)
    for name in SOURCES:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)
    if (root / "build" / "deps").is_dir():
        shutil.copytree(root / "build" / "deps", folder / "build" / "deps", symlinks=True)  # One link of the package leads to what was not unpacked.
    return folder


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder / "callpath", *arguments], env=clean_environment(), capture_output=True, text=True, timeout=3000, stdin=subprocess.DEVNULL, cwd=folder
    )


@pytest.mark.long
def test_set_up_and_walk_in_such_a_folder(copy: Path) -> None:
    done = run(copy, "walk", "01")
    assert done.returncode == 0, done.stderr[-4000:]
    assert "The same path by both routes" in done.stdout
    record = json.loads((copy / "01_pow_kernel.json").read_text())
    files = {f["source"]["file"] for f in record["events"][0]["frames"] if f.get("source")}
    assert str(copy / "walkthroughs" / "01_pow_kernel" / "learn1.py") in files
    assert (copy / "01_pow_kernel.html").exists()


@pytest.mark.long
def test_second_run_there_sets_nothing_up(copy: Path) -> None:
    done = run(copy, "walk", "01", "--route", "process")
    assert done.returncode == 0 and "set-up" not in done.stderr


@pytest.mark.long
def test_programs_and_gdb_in_such_a_folder(copy: Path) -> None:
    script = copy / "mein skript.py"
    script.write_text("import tensorlib as torch\nprint((torch.randn(2, 2)[:, 1]**3).shape)\n")
    record = copy / "my record.json"
    done = run(copy, "run", "--at", "*pow_tensor_scalar*}::operator()*", "--quiet", "-o", record, script)
    assert done.returncode == 0, done.stderr
    page = copy / "my page.html"
    assert run(copy, "report", record, "--format", "html", "-o", page).returncode == 0
    assert "mein skript.py" in page.read_text()
