"""Fixtures for every test: the build tree under test and its `callpath`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: stress, fuzzing and large corpora; run by ./callpath test --long")


def clean_environment(**changes: str | None) -> dict[str, str]:
    """This process's environment without what would change a Python or callpath that is started, plus `changes` (None takes one away)."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CALLPATH_", "LD_", "DEBUGINFOD")) and k not in ("NO_COLOR", "COLORTERM")}
    for name, value in changes.items():
        if value is None:
            kept.pop(name, None)
        else:
            kept[name] = value
    return kept


@pytest.fixture(scope="session")
def root() -> Path:
    """The source folder."""
    return ROOT


@pytest.fixture(scope="session")
def build() -> Path:
    """The build tree under test: CALLPATH_BUILD, default build/teach."""
    tree = Path(os.environ.get("CALLPATH_BUILD", ROOT / "build" / "teach")).absolute()
    if not (tree / "bin" / "callpath").exists():
        pytest.exit(f"{tree}/bin/callpath is not built. Run ./callpath test, or set CALLPATH_BUILD.", returncode=3)
    return tree


@pytest.fixture(scope="session")
def python() -> str:
    """The interpreter that is traced."""
    return "/usr/bin/python3"


def other_pythons() -> list[str]:
    """Interpreters of known versions other than the one that runs the tests, as far as this machine has any: CALLPATH_OTHER_PYTHONS (joined by
    colons), Debian's, those of a version manager in the home folder."""
    named = [Path(path) for path in os.environ.get("CALLPATH_OTHER_PYTHONS", "").split(":") if path]
    found = [*Path("/usr/bin").glob("python3.1[23]"), *Path.home().glob(".pyenv/versions/3.1[23].*/bin/python3")]
    real = {path.resolve(): str(path) for path in [*named, *sorted(found)] if path.exists()}
    return [path for target, path in real.items() if target != Path(sys.executable).resolve()]


@pytest.fixture(scope="session")
def callpath(build: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """callpath(*arguments, **options): runs the built callpath in a clean environment and gives its CompletedProcess.

    Options: env (changes to the environment, None takes a variable away), and those of subprocess.run. Output is text unless text=False.
    """

    def run(*arguments: str | Path, env: dict[str, str | None] | None = None, **options: object) -> subprocess.CompletedProcess[str]:
        settings: dict[str, object] = {"capture_output": True, "text": True, "timeout": 120, "stdin": subprocess.DEVNULL}
        if "input" in options:
            del settings["stdin"]
        settings.update(options)
        command = [str(build / "bin" / "callpath"), *map(str, arguments)]
        return subprocess.run(command, env=clean_environment(**(env or {})), **settings)  # type: ignore[call-overload]

    return run


if Path(sys.executable).resolve() != Path("/usr/bin/python3").resolve():  # the tests look into their own interpreter as well
    pytest.exit("run the tests with /usr/bin/python3, not with another Python on PATH", returncode=3)
