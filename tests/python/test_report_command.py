"""`callpath report` and `callpath diff`: forms, places, and what is said about records that are none."""

import json
import os
import stat
from pathlib import Path

import pytest
from page_support import record


@pytest.fixture
def path(root: Path) -> Path:
    return root / "tests/data/records/pow_kernel.json"


def test_text_to_standard_output(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    done = callpath("report", path, env={"LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert "  ▸ 67" in done.stdout and max(map(len, lines)) == 100
    assert "\x1b" not in done.stdout


def test_a_locale_without_utf8_gets_ascii(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    done = callpath("report", path, env={"LC_ALL": "C"})
    assert done.returncode == 0 and done.stdout.isascii()


def test_a_record_from_standard_input(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    assert callpath("report", "-", input=path.read_text()).stdout == callpath("report", path).stdout


def test_bt_begins_with_the_innermost_frame(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    done = callpath("report", path, "--format", "bt")
    assert done.returncode == 0
    assert done.stdout.index("lambda(float)") < done.stdout.index("basic_loop") < done.stdout.index("wrapped") < done.stdout.index("startup")


@pytest.mark.parametrize("width", [40, 72, 90, 120])
def test_width_is_kept(callpath, path: Path, width: int) -> None:  # type: ignore[no-untyped-def]
    done = callpath("report", path, "--width", width, "--full", "--by-hand", env={"LC_ALL": "C.UTF-8"})
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= width


def test_a_file_is_written_whole(callpath, path: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "a b é.html"
    done = callpath("report", path, "--format", "html", "-o", out)
    assert done.returncode == 0 and done.stdout == ""
    assert out.read_text().endswith("</html>\n")
    assert [p.name for p in tmp_path.iterdir()] == [out.name]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~umask


def refused(done, *words: str) -> None:  # type: ignore[no-untyped-def]
    assert done.returncode not in (0, -6, -11), done.stdout
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr


def test_a_folder_that_is_not_there(callpath, path: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    refused(callpath("report", path, "-o", tmp_path / "no" / "x.html"), str(tmp_path / "no" / "x.html"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_as_output(callpath, path: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    refused(callpath("report", path, "-o", tmp_path), str(tmp_path))


def test_a_full_disk(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    refused(callpath("report", path, "-o", "/dev/full"), "/dev/full")
    with open("/dev/full", "w") as full:
        done = callpath("report", path, capture_output=False, stdout=full, stderr=-1)
    assert done.returncode == 1 and "standard output" in done.stderr


def test_a_record_that_is_not_there(callpath, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    refused(callpath("report", tmp_path / "none.json"), "none.json")


@pytest.mark.parametrize("form", ["text", "html", "bt"])
def test_a_record_that_is_cut_off(callpath, path: Path, tmp_path: Path, form: str) -> None:  # type: ignore[no-untyped-def]
    cut = tmp_path / "cut.json"
    cut.write_bytes(path.read_bytes()[:20000])
    out = tmp_path / "out"
    refused(callpath("report", cut, "--format", form, "-o", out), "cut.json")
    assert not out.exists()


@pytest.mark.parametrize("text", ["", "{}", "[]", "not JSON", '{"format": "callpath/2"}', '{"nodes": [], "version": 1}'])
def test_what_is_no_record(callpath, tmp_path: Path, text: str) -> None:  # type: ignore[no-untyped-def]
    other = tmp_path / "other.json"
    other.write_text(text)
    refused(callpath("report", other, "--format", "html"), "other.json")


def test_a_record_without_events(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = record(root)
    data["events"] = []
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps(data))
    refused(callpath("report", empty, "--format", "html"), "event")
    refused(callpath("report", empty), "event")


def test_an_event_that_is_not_there(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    for number in ("2", "0", "-1"):
        refused(callpath("report", path, "--event", number))


def test_unknown_forms_are_a_wrong_command_line(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    assert callpath("report", path, "--format", "pdf").returncode == 2
    assert callpath("report").returncode == 2


def test_long_names_do_not_break_the_form(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = record(root)
    for frame in data["events"][0]["frames"]:
        frame["name"] = "n" * 10000
        frame["full"] = "ns::f<" + "T<" * 3000 + ">" * 3000 + ">::g(" + "x" * 4000 + ")"
    big = tmp_path / "big.json"
    big.write_text(json.dumps(data))
    done = callpath("report", big, env={"LC_ALL": "C.UTF-8"})
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_diff_of_equal_records(callpath, path: Path) -> None:  # type: ignore[no-untyped-def]
    done = callpath("diff", path, path)
    assert done.returncode == 0
    assert "The same 14 stages on both sides." in done.stdout


def test_diff_of_different_records(callpath, root: Path, path: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = record(root)
    data["events"][0]["frames"][6]["source"]["line"] = 171
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data))
    done = callpath("diff", path, other, env={"LC_ALL": "C.UTF-8"})
    assert done.returncode == 4
    assert "They part here" in done.stdout and "Loops.h:171" in done.stdout and "B  other" in done.stdout


def test_diff_of_what_is_no_record(callpath, path: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    refused(callpath("diff", path, tmp_path / "none.json"), "none.json")
