"""The page of two paths in a browser: no errors, nothing cut, both details in sight, complete without script."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_support import Page, browser, record

pytest.importorskip("selenium", reason="python3-selenium is not installed")


@pytest.fixture(scope="module")
def driver():  # type: ignore[no-untyped-def]
    with browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def folder(callpath, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    """Pages of a path against itself and against one that parts at the loop."""
    out = tmp_path_factory.mktemp("diff")
    one, other = record(root), record(root)
    event = other["events"][0]
    for frame in event["frames"][:8]:
        for key in ("name", "full"):
            frame[key] = frame[key].replace("basic_loop", "vectorized_loop").replace("lambda(float)", "lambda(Vec)")
    for fact in event["facts"]:
        if fact["name"] == "strides":
            fact |= {"value": [4, 4], "text": "{4, 4}"}
    for decision in event["decisions"]:
        if decision["id"] == "loop.lambda":
            decision["taken"] = "vector"
    (out / "one.json").write_text(json.dumps(one))
    (out / "other.json").write_text(json.dumps(other))
    for name, second, status, language in (("same", "one", 0, "en"), ("parted", "other", 4, "en"), ("parted-zh", "other", 4, "zh")):
        done = callpath("diff", out / "one.json", out / f"{second}.json", "--format", "html", "--lang", language, "-o", out / f"{name}.html")
        assert done.returncode == status, done.stderr
        assert done.stdout == ""
    return out


@pytest.fixture
def page(driver, folder: Path) -> Iterator[Page]:  # type: ignore[no-untyped-def]
    page = Page(driver, folder / "parted.html")
    page.size(1280, 800)
    page.scripts(True)
    page.prefers("light")
    page.open()
    yield page
    page.scripts(True)


def test_both_details_stand_side_by_side(page: Page) -> None:
    boxes = [page.js(f"document.querySelector('.branch.{side} details[open] .detail').getBoundingClientRect()") for side in "ab"]
    assert boxes[0]["right"] <= boxes[1]["left"]
    assert all(box["top"] < 800 and box["width"] > 400 for box in boxes)
    assert page.console() == []


def test_where_they_part_is_seen_at_once_with_both_sides_facts(page: Page) -> None:
    box = page.js("document.querySelector('.parting').getBoundingClientRect()")
    assert 0 < box["top"] and box["bottom"] < 800
    text = page.js("document.querySelector('.parting').innerText")
    assert "They part here: is every stride equal to the element size, 4?" in text
    assert "{4, 8}" in text and "{4, 4}" in text


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1280, 800), (1920, 1080), (768, 1024), (400, 900), (360, 740)])
@pytest.mark.parametrize("name", ["same", "parted", "parted-zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_scrolls_sideways(driver, folder: Path, width: int, height: int, name: str, theme: str) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, folder / f"{name}.html")
    page.scripts(True)
    page.size(width, height)
    page.open(f"?theme={theme}")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    assert page.js("[...document.querySelectorAll('.rows, .detail, summary, .parting')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    assert page.console() == []


def test_keys_step_through_trunk_and_branches(page: Page) -> None:
    page.press("j")
    page.press("t")
    assert page.console() == []
    assert page.js("document.activeElement.tagName") == "SUMMARY"
    assert page.js("document.querySelectorAll('.branch > details[open]').length") >= 2


def test_equal_paths_say_so(driver, folder: Path) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, folder / "same.html")
    page.size(1280, 800)
    page.open()
    assert page.js("document.querySelector('.verdict').innerText") == "The same 14 stages on both sides."
    assert len(page.js("[...document.querySelectorAll('.trunk li')].filter(e => e.offsetHeight)")) == 14


def test_the_page_is_complete_without_script(page: Page) -> None:
    page.scripts(False)
    page.open()
    assert page.evaluate("document.querySelectorAll('.branch > details').length") == 4
    page.find(".branch.b details:last-of-type > summary").click()
    assert page.evaluate("document.querySelector('.branch.b details:last-of-type').open")
