"""The benchmarks' table and JSON. Figures are not tested: timing is no test."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Callpath = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def rows(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_rows", root / "tests" / "bench" / "rows.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_rows"] = module
    spec.loader.exec_module(module)
    return module


def test_ratio_above_one_means_ours_is_better(rows: ModuleType) -> None:
    assert rows.Row("a", "s", 2.0, "r", 6.0).ratio == 3.0
    assert rows.Row("a", "el/ns", 6.0, "r", 2.0, more_is_better=True).ratio == 3.0
    assert rows.Row("a", "s", 2.0).ratio is None


def test_targets_are_limits_or_ratios(rows: ModuleType) -> None:
    assert rows.Row("a", "s", 1.5, limit=1.5).met is True
    assert rows.Row("a", "s", 1.6, limit=1.5).met is False
    assert rows.Row("a", "s", 2.0, "r", 6.0, at_least=3.0).met is True
    assert rows.Row("a", "s", 2.0, "r", 6.0, at_least=3.1).met is False
    assert rows.Row("a", "s", 2.0, "r", 6.0).met is None


def test_table_and_json_say_the_same(rows: ModuleType) -> None:
    report = rows.Report([rows.Row("walk", "s", 0.5, "gdb by hand", 2.0, limit=1.5), rows.Row("cube", "el/ns", 1.0, "numpy", 2.0, True, at_least=1.0)], ["cube: torch"])
    lines = report.as_table().splitlines()
    assert lines[0].split() == ["name", "unit", "ours", "rival", "rival's", "ratio", "target", "met"]
    assert lines[2].split() == "walk s 0.5 gdb by hand 2 4.00 <= 1.5 s yes".split()
    assert lines[3].split() == "cube el/ns 1 numpy 2 0.50 >= 1 x rival NO".split()
    assert lines[4] == "skipped: cube: torch"
    data = json.loads(report.as_json())
    assert list(data["rows"][0]) == ["name", "unit", "ours", "rival", "rival_figure", "ratio", "target", "met"]
    assert [(r["ratio"], r["met"]) for r in data["rows"]] == [(4.0, True), (0.5, False)]


def test_median_of_actions_taken_in_turn(rows: ModuleType) -> None:
    order: list[str] = []
    figures = {"a": iter([9.0, 1.0, 2.0]), "b": iter([3.0, 3.0, 8.0])}

    def action(name: str) -> Callable[[], float]:
        return lambda: (order.append(name), next(figures[name]))[1]

    assert rows.interleaved(3, a=action("a"), b=action("b")) == {"a": 2.0, "b": 3.0}
    assert order == ["a", "b"] * 3


def test_list_names_every_benchmark(callpath: Callpath) -> None:
    done = callpath("bench", "--list")
    assert done.returncode == 0
    assert {"walk_process", "walk_both", "launcher", "engine_cube", "symbolise_warm"} <= {line.split()[0] for line in done.stdout.splitlines()}


def test_unknown_benchmark_names_the_nearest(callpath: Callpath) -> None:
    done = callpath("bench", "walk_proces")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'walk_process'" in done.stderr


def test_json_to_a_folder_that_is_not_there_fails_before_measuring(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("bench", "python_start", "--json", tmp_path / "no" / "rows.json")
    assert done.returncode == 1 and "measuring" not in done.stderr


def test_a_run_writes_table_and_json(callpath: Callpath, tmp_path: Path, build: Path) -> None:
    done = callpath("bench", "python_start", "--json", tmp_path / "rows.json", env={"CALLPATH_BUILD": str(build)})
    assert done.returncode == 0, done.stderr
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert row["name"] == "python_start" and row["ours"] > 0 and row["rival_figure"] > 0
    assert "python_start" in done.stdout
