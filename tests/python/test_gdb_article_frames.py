"""The article's stops on real software, against lists of frames that plain gdb showed: PyTorch's class Tensor built, compiled, loaded and copied into
place, and the kernel that reads the article's element; on every interpreter that the lists name and this machine has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from gdb_support import BUILDS, DATA, MINOR, ROOT, answers

LISTS = DATA / "article_frames.txt"
LOADED_ONLY = "python import callpath_gdb.compiles as c; c._NOT_THE_COMPILER = ()"  # here code that comes from a .pyc counts as well
SESSION = {
    "load": [LOADED_ONLY, "callpath break compile Tensor {file}", "run", "callpath record load.json", "delete"],
    "class": ["callpath break class Tensor {file}", "{go}", "callpath record class.json", "delete"],
    "body": ["callpath break class Tensor {file} -body", "run", "callpath record body.json", "delete"],
    "compile": [f"source {ROOT}/gdb/load.py", "set environment PYTHONPYCACHEPREFIX {empty}", "callpath break compile Tensor {file}", "run", "callpath record compile.json", "delete"],
    "copy": ["callpath watch code Tensor {file}", "callpath record copy.json"],
}
PROGRAM = "import torch\ntorch.manual_seed(0)\nX = torch.randn(10000, 2)\ny = X[:, 1] ** 3\n"
# By version of torch: where a tensor keeps its storage, and that its data.
STORAGE = {"1.13": (0x18, 0x18), "2.6": (0x10, 0x10)}


@dataclass(frozen=True)
class Row:
    function: str
    inlined: bool
    place: str  # file:line, or where a nameless function begins and how far in it stands
    module: str


def plain(function: str) -> str:
    """Without the suffix of a compiler's clone, which gdb shows if it takes the name from the symbol table."""
    return re.sub(r"(\.(constprop|isra|part|lto_priv|cold)(\.\d+)?)+", "", function)


def lists() -> dict[tuple[str, str], list[Row]]:
    """Rows by (stop, interpreter and what it imports)."""
    found: dict[tuple[str, str], list[Row]] = {}
    for line in LISTS.read_text().splitlines():
        if head := re.fullmatch(r"\[(\w+) (.*)\]", line):
            rows = found.setdefault((head[1], head[2]), [])
        elif line and not line.startswith("#"):
            function, place, module = line.split("\t")
            rows.append(Row(plain(function.removeprefix("~")), function.startswith("~"), place, module))
    return found


def seen(path: Path, wanted: list[Row]) -> list[Row]:
    """The record's frames that gdb lists, as rows; a nameless one is compared by its offset in its file."""
    record = json.loads(path.read_text())
    (event,) = record["events"]
    modules = [module["name"] for module in record["modules"]]
    rows = []
    for frame in (f for f in event["frames"] if f["kind"] in ("native", "inlined")):
        source = frame.get("source") or {}
        place = f"{source['file'].rsplit('/', 1)[-1]}:{source['line']}" if source.get("file") else ""
        nameless = frame["confidence"] in ("module", "inferred")  # named by evidence, not by a symbol: gdb has no name for it
        expected = wanted[len(rows)].place if len(rows) < len(wanted) else ""
        if nameless and "+" in expected and sum(int(part, 16) for part in expected.split("+")) == int(frame["offset"], 16):
            place = expected
        rows.append(Row("??" if nameless else plain(frame["full"]), frame["kind"] == "inlined", place, modules[frame["module"]]))
    return rows[: len(wanted)]


def interpreter(name: str) -> str:
    """The interpreter that a list names, or a skip that says why there is none."""
    if name == "3.13-O0":
        path = ROOT / "build" / "pythons" / "3.13" / "source" / "build" / "python"
        if not path.exists():
            pytest.skip("no CPython 3.13 at -O0 here: ./callpath build-python 3.13 makes one")
        return str(path)
    if name.removesuffix("-dbg") != f"3.{MINOR}":
        pytest.skip(f"python{name} belongs to another Debian: its lists are compared in that one's room")
    path = BUILDS["debug" if name.endswith("-dbg") else "release"]
    if not Path(path).exists():
        pytest.skip(f"{path} is not installed")
    return path


def torch_version(python: str) -> str:
    asked = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False)
    return ".".join(asked.stdout.strip().split(".")[:2]) if asked.returncode == 0 else ""


def needs_torch(python: str, version: str) -> None:
    if torch_version(python) != version:
        pytest.skip(f"{python} imports no torch {version}, which the list was read with")


CPU_FLAGS = Path("/proc/cpuinfo").read_text()
BUILDERS = sorted({name for stop, name in lists() if stop != "kernel"})
KERNELS = sorted(name for stop, name in lists() if stop == "kernel")


@pytest.mark.long
@pytest.mark.parametrize("name", BUILDERS)
def test_class_tensor_is_loaded_built_compiled_and_copied_as_listed(name: str, build: Path, tmp_path: Path) -> None:
    wanted = {stop: rows for (stop, listed), rows in lists().items() if listed == name}
    python, _, module = name.partition(" ")
    path = interpreter(python)
    if module == "torch":
        needs_torch(path, "1.13" if MINOR == 11 else "2.6")
    (tmp_path / f"{module}.py").write_text("class Tensor:\n    pass\n") if module != "torch" else None
    (tmp_path / "program.py").write_text(f"import {module}\n")
    file = "torch/_tensor.py" if module == "torch" else f"{module}.py"
    commands = [
        command.format(file=file, empty=tmp_path / "empty", go="continue" if "load" in wanted else "run")
        for stop, part in SESSION.items() if stop in wanted for command in part
    ]  # fmt: skip
    said = answers(commands, [path, "program.py"], tmp_path, {"CALLPATH_BIN": str(build / "bin" / "callpath"), "PYTHONHASHSEED": "0"})
    for stop, rows in wanted.items():
        got = seen(tmp_path / f"{stop}.json", rows) if (tmp_path / f"{stop}.json").exists() else said
        assert without_processor(got) == without_processor(as_built(rows) if python.endswith("-O0") else rows), stop


def as_built(rows: list[Row]) -> list[Row]:
    """The list was read at a function's first instruction and from an installed copy; a breakpoint on the function stands after its prologue, which at
    -O0 is another line, and the interpreter in its build folder is called `python`."""
    places = {"bltinmodule.c:100": "bltinmodule.c:102", "codeobject.c:692": "codeobject.c:693", "ceval.c:686": "ceval.c:687"}
    first = Row(rows[0].function, rows[0].inlined, places.get(rows[0].place, rows[0].place), rows[0].module)
    return [Row(row.function, row.inlined, row.place, "python" if row.module == "python3.13" else row.module) for row in (first, *rows[1:])]


def without_processor(rows: list[Row]) -> list[Row]:
    """glibc chooses its memcpy by the processor, and where in it the store stands by the length."""
    first = rows[0]
    if isinstance(first, Row) and re.fullmatch(r"__mem(cpy|move)_\w+", first.function):
        return [Row("memcpy", False, "", first.module), *rows[1:]]
    return rows


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_the_kernel_reads_the_articles_element_as_listed(name: str, build: Path, tmp_path: Path) -> None:
    wanted = lists()["kernel", name]
    python, _, version, capability = name.split(" ")
    path = interpreter(python)
    needs_torch(path, version)
    if capability == "avx512" and "avx512f" not in CPU_FLAGS:
        pytest.skip("this processor has no AVX-512")
    (tmp_path / "program.py").write_text(PROGRAM)
    storage, data = STORAGE[version]
    commands = [
        "tbreak at::_ops::pow_Tensor_Scalar::call(at::Tensor const&, c10::Scalar const&)",
        "run",
        f"set $data = *(long *)(*(long *)(*(long *)$rsi + {storage:#x}) + {data:#x})",
        "rwatch *(float *)($data + 4)",
        "output *(float *)($data + 4)",
        "continue",
        "callpath record kernel.json",
    ]
    env = {"CALLPATH_BIN": str(build / "bin" / "callpath"), "ATEN_CPU_CAPABILITY": capability, "OMP_NUM_THREADS": "1"}
    said = answers(commands, [path, "program.py"], tmp_path, env)
    assert said[4] == "-1.1523602", said
    assert said[-1].startswith("Wrote"), said
    assert seen(tmp_path / "kernel.json", wanted) == wanted


def test_each_list_names_an_interpreter_and_ends_outward_of_its_stop() -> None:
    """The lists themselves: as many as were read off, none empty, each from the stop outward."""
    first = {"class": "builtin___build_class__", "body": "_PyEval_EvalFrameDefault", "compile": "_PyCode_New", "load": "_PyCode_New", "kernel": "??"}
    found = lists()
    assert len(found) == 22
    for (stop, _), rows in found.items():
        assert len(rows) > 10 and rows[0].function == first.get(stop, rows[0].function)
    assert sys.version_info[1] == MINOR
