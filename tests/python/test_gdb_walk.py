"""The gdb route of walkthrough 01: its command line contract (walkthroughs/README.md), on the stand-in extension."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from debian import NAME
from gdb_support import PYTHON, ROOT, clean_environment, compile_standin, event, pass_through, python_frames

DRIVE = ROOT / "walkthroughs" / "drive.py"


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_standin(tmp_path_factory.mktemp("standin"))


@dataclass
class Drive:
    folder: Path
    extension: Path

    def __call__(self, program: str = "standin.power(2.0)\nstandin.power(3.0)\n", drive: Path = DRIVE, env: dict[str, str | None] | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        script = self.folder / "learn1.py"
        script.write_text("import standin\n" + program, encoding="utf-8")
        given = {
            "CALLPATH_WALK": str(drive.parent / "01_pow_kernel"),
            "CALLPATH_OUT": str(self.folder / "out.json"),
            "CALLPATH_SCRIPT": str(script),
            "CALLPATH_BIN": pass_through(self.folder),
            "CALLPATH_PROGRAM_ENV": json.dumps({"PYTHONPATH": str(self.extension)}),
            **variables,
        }
        return subprocess.run(
            ["gdb", "-nx", "-batch", "-x", str(drive)], cwd=self.folder, env=clean_environment(**given, **(env or {})), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120, errors="replace",
        )  # fmt: skip

    @property
    def out(self) -> Path:
        return self.folder / "out.json"

    def left_nothing(self) -> bool:
        return not self.out.exists() and not list(self.folder.glob("*.part"))


@pytest.fixture
def drive(extension: Path, tmp_path: Path) -> Drive:
    return Drive(tmp_path, extension)


def argument(frame: dict, name: str) -> str | None:
    return next((a.get("value") for a in frame["arguments"] if a["name"] == name), None)


def test_it_stops_in_the_lambda_of_the_exponent_asked_for(drive: Drive) -> None:
    done = drive()
    assert done.returncode == 0, done.stderr
    recorded = event(drive.out)
    innermost = recorded["frames"][0]
    assert innermost["name"] == "lambda(float)" and argument(innermost, "base") == "-1.1523602"
    assert innermost["source"]["excerpt"]["lines"][innermost["source"]["line"] - innermost["source"]["excerpt"]["first"]].strip().startswith("return base * base * base;")
    kernel = next(f for f in recorded["frames"] if f["name"] == "pow_tensor_scalar_optimized_kernel")
    assert argument(kernel, "exp") == "3"
    assert [f["source"]["line"] for f in python_frames(recorded["frames"])] == [3]
    assert recorded["trigger"]["condition"] == "exp == 3" and recorded["complete"]


@pytest.mark.parametrize("order", ["standin.power(3.0)\nstandin.power(2.0)\n", "for e in (2.0, 7.0, 3.0, 2.0): standin.power(e)\n"])
def test_the_order_of_the_powers_does_not_matter(order: str, drive: Drive) -> None:
    assert drive(order).returncode == 0
    assert argument(next(f for f in event(drive.out)["frames"] if f["name"] == "pow_tensor_scalar_optimized_kernel"), "exp") == "3"


@pytest.mark.parametrize(("condition", "exp"), [("exp == 2", "2"), ("exp == 7", "7"), ("", "2"), ("exp > 2", "3")])
def test_another_condition_stops_elsewhere(condition: str, exp: str, drive: Drive) -> None:
    done = drive("standin.power(2.0)\nstandin.power(3.0)\nstandin.power(7.0)\n", CALLPATH_CONDITION=condition)
    assert done.returncode == 0, done.stderr
    assert argument(next(f for f in event(drive.out)["frames"] if f["name"] == "pow_tensor_scalar_optimized_kernel"), "exp") == exp
    assert "lambda" in event(drive.out)["frames"][0]["name"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("standin.power(2.0)\n", "ended with exit status 0"),
        ("raise SystemExit(7)\n", "ended with exit status 7"),
        ("standin.leave()\nstandin.power(3.0)\n", "ended with exit status 5"),
        ("1 / 0\n", "ended with exit status 1"),
        ("standin.power(-9.0)\nstandin.power(3.0)\n", "received SIGSEGV"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "ended by a signal"),
        ("def\n", "ended with exit status 1"),
    ],
)
def test_a_missed_stop_has_its_own_exit_code(program: str, reason: str, drive: Drive) -> None:
    done = drive(program)
    assert done.returncode == 3
    assert reason in done.stderr and all(line.startswith("callpath: ") for line in done.stderr.splitlines() if "reached the stop" in line)
    assert drive.left_nothing()


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"CALLPATH_OUT": ""}, "CALLPATH_OUT is not set"),
        ({"CALLPATH_WALK": ""}, "CALLPATH_WALK is not set"),
        ({"CALLPATH_WALK": "/nowhere"}, "/nowhere/walk.toml cannot be read"),
        ({"CALLPATH_VARIANT": "nothing"}, "has no variant nothing"),
        ({"CALLPATH_OUT": "/nowhere/out.json"}, "/nowhere does not exist"),
        ({"CALLPATH_SCRIPT": "/nowhere/learn1.py"}, "/nowhere/learn1.py does not exist"),
        ({"CALLPATH_PYTHON": "/nowhere/python3"}, "no Python interpreter /nowhere/python3"),
        ({"CALLPATH_PYTHON": "/etc/passwd"}, "/etc/passwd"),
        ({"CALLPATH_BIN": "/nowhere/callpath"}, "CALLPATH_BIN=/nowhere/callpath"),
        ({"CALLPATH_PROGRAM_ENV": "{"}, "CALLPATH_PROGRAM_ENV is not JSON"),
        ({"CALLPATH_PROGRAM_ENV": "[1]"}, "object of strings"),
        ({"CALLPATH_PROGRAM_ENV": '{"A B": "x"}'}, "'A B'"),
        ({"CALLPATH_CONDITION": "exp =="}, "The condition exp == cannot be decided"),
        ({"CALLPATH_CONDITION": "nothing == 3"}, "The condition nothing == 3 cannot be decided"),
    ],
)
def test_wrong_input_is_explained(variables: dict[str, str], complaint: str, drive: Drive) -> None:
    done = drive(**variables)
    assert done.returncode == 1, done.stderr
    assert complaint in done.stderr and "Traceback" not in done.stderr
    assert drive.left_nothing()


def test_an_interpreter_without_symbols_is_refused_before_the_program_runs(drive: Drive) -> None:
    stripped = drive.folder / NAME
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", "--remove-section=.note.gnu.build-id", os.path.realpath(PYTHON), stripped], check=True)
    done = drive("open('ran', 'w')\n", CALLPATH_PYTHON=str(stripped))
    assert done.returncode == 1 and f"apt-get install {NAME}-dbg" in done.stderr
    assert not (drive.folder / "ran").exists() and drive.left_nothing()


def test_an_optimised_kernel_is_explained(drive: Drive, tmp_path: Path) -> None:
    """Its lambdas have no code of their own; -O2 inlines them."""
    include = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], capture_output=True, text=True, check=True).stdout.strip()
    sources = [str(ROOT / "tests" / "data" / "gdb" / f"{name}.cpp") for name in ("standin", "standin_jumps")]
    folder = tmp_path / "optimised"
    folder.mkdir()
    subprocess.run(["g++", "-std=c++20", "-g", "-O2", "-fno-inline-functions-called-once", "-fPIC", "-shared", f"-I{include}", *sources, "-o", str(folder / "standin.so")], check=True)
    done = drive(CALLPATH_PROGRAM_ENV=json.dumps({"PYTHONPATH": str(folder)}))
    assert done.returncode in (1, 3) and drive.left_nothing()
    assert "of their own" in done.stderr or "before it reached" in done.stderr


def test_a_version_managers_script_is_asked_for_its_interpreter(drive: Drive) -> None:
    shim = drive.folder / "python3"
    shim.write_text(f'#!/bin/sh\nexec {PYTHON} "$@"\n')
    shim.chmod(0o755)
    done = drive(CALLPATH_PYTHON=str(shim))
    assert done.returncode == 0, done.stderr
    assert json.loads(drive.out.read_text())["target"]["executable"] == os.path.realpath(PYTHON)


def test_variables_for_the_program_reach_the_program_only(drive: Drive) -> None:
    """Field case G06: a PYTHONPATH whose modules raise would break gdb's own Python; the program gets it as it is."""
    hostile = drive.folder / "hostile"
    hostile.mkdir()
    (hostile / "tomllib.py").write_text("raise RuntimeError('hostile')\n")
    program = "import json, os\njson.dump(dict(os.environ), open('env.json', 'w'))\nstandin.power(3.0)\n"
    variables = {"PYTHONPATH": f"{drive.extension}:{hostile}", "PYTHONDONTWRITEBYTECODE": "1", "QUOTED": "a 'b' \"c\" $d \\e", "EMPTY": "", "HOME": None}
    done = drive(program, CALLPATH_PROGRAM_ENV=json.dumps(variables))
    assert done.returncode == 0, done.stderr
    seen = json.loads((drive.folder / "env.json").read_text())
    assert {name: seen.get(name) for name in variables} == variables
    assert not [name for name in seen if name.startswith("CALLPATH_")] and "LINES" not in seen and "COLUMNS" not in seen


def test_debuginfod_is_not_asked(drive: Drive) -> None:
    """Field case G19. The server is a port of this machine that nobody listens on; gdb says so at once if it tries."""
    done = drive(env={"DEBUGINFOD_URLS": "http://127.0.0.1:9/"})
    assert done.returncode == 0 and "debuginfod" not in (done.stdout + done.stderr).lower()


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_everything_may_lie_in_a_folder_with_blanks_and_accents(locale: str, extension: Path, tmp_path: Path) -> None:
    """Field case P08."""
    folder = tmp_path / "a b" / "dïr 'q'"
    shutil.copytree(ROOT / "gdb", folder / "gdb")
    shutil.copytree(ROOT / "walkthroughs", folder / "walkthroughs")
    (folder / "tracer" / "data").mkdir(parents=True)
    shutil.copy(ROOT / "tracer" / "data" / "facts.json", folder / "tracer" / "data")
    inner = Drive(folder, extension)
    done = inner(drive=folder / "walkthroughs" / "drive.py", env={"LC_ALL": locale})
    assert done.returncode == 0, done.stderr
    (python,) = python_frames(event(inner.out)["frames"])
    assert python["source"]["file"] == str(folder / "learn1.py")


def test_the_programs_output_is_on_standard_output_and_nothing_else(drive: Drive) -> None:
    done = drive("print('printed', flush=True)\nstandin.power(3.0)\n")
    assert done.stdout == "printed\n" and done.stderr == ""
    assert drive("print('printed', flush=True)\n").stdout.splitlines()[0] == "printed"  # gdb's remark that it ended may follow


def test_the_users_gdb_settings_do_not_matter(drive: Drive) -> None:
    (drive.folder / ".gdbinit").write_text("quit 42\n")
    (drive.folder / ".gdbearlyinit").write_text("set startup-quietly off\n")
    assert drive(env={"HOME": str(drive.folder), "SHELL": "/bin/false"}).returncode == 0
