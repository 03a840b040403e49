"""The closing line of `./callpath test`: sums over both runners, and an exit status that cannot be green by accident."""

import subprocess
from pathlib import Path

import pytest

GTEST_PASS = '<testcase name="a" status="run"/>'
FAIL = '<testcase name="b" status="fail"><failure message="no"/></testcase>'
ERROR = '<testcase name="c"><error message="no"/></testcase>'
SKIP = '<testcase name="d"><skipped message="later"/></testcase>'
NOT_RUN = '<testcase name="e" status="disabled"/>'


def tally(root: Path, folder: Path, broken: int, **files: str) -> tuple[int, list[str]]:
    for name, cases in files.items():
        (folder / f"{name}.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    done = subprocess.run(["/usr/bin/python3", root / "cmake" / "tally.py", str(broken), folder], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_sums_both_runners(root: Path, tmp_path: Path) -> None:
    assert tally(root, tmp_path, 0, ctest=GTEST_PASS * 3 + NOT_RUN, pytest=GTEST_PASS * 2 + SKIP) == (0, ["5 passed, 0 failed, 2 skipped"])


@pytest.mark.parametrize("bad", [FAIL, ERROR])
def test_one_failure_anywhere_fails(root: Path, tmp_path: Path, bad: str) -> None:
    status, lines = tally(root, tmp_path, 0, ctest=GTEST_PASS, pytest=GTEST_PASS + bad)
    assert status == 1 and lines[-1] == "2 passed, 1 failed, 0 skipped"


def test_runner_that_broke_fails_though_no_test_did(root: Path, tmp_path: Path) -> None:
    status, lines = tally(root, tmp_path, 1, ctest=GTEST_PASS)
    assert status == 1 and lines[-1] == "1 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize("files", [{}, {"pytest": SKIP}])
def test_no_test_run_is_no_success(root: Path, tmp_path: Path, files: dict[str, str]) -> None:
    assert tally(root, tmp_path, 0, **files)[0] == 1
