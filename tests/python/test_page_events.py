"""Pages of large records: many events, many frames, and the search."""

import json
from collections.abc import Iterator
from pathlib import Path

import large_records
import pytest
from page_support import Page, browser

pytest.importorskip("selenium", reason="python3-selenium is not installed")


@pytest.fixture(scope="module")
def driver():  # type: ignore[no-untyped-def]
    with browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def written(callpath, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    """Pages of forty events and of deep stacks."""
    out = tmp_path_factory.mktemp("large")
    records = {
        "many": large_records.many(40),
        "distinct": large_records.deep(600),
        "recursion": large_records.deep(4998, "recursion"),
        "mutual": large_records.deep(2000, "mutual"),
    }
    for name, data in records.items():
        (out / f"{name}.json").write_text(json.dumps(data))
        done = callpath("report", out / f"{name}.json", "--format", "html", "-o", out / f"{name}.html")
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def many(driver, written: Path) -> Iterator[Page]:  # type: ignore[no-untyped-def]
    page = Page(driver, written / "many.html")
    page.size(1280, 800)
    page.scripts(True)
    page.prefers("light")
    page.open()
    yield page
    assert page.console() == []
    page.scripts(True)


def shown(page: Page) -> list[str]:
    return page.js("[...document.querySelectorAll('.event')].filter(e => e.getBoundingClientRect().height > 0).map(e => e.id)")


def test_every_event_has_a_fingerprint_and_equal_paths_have_equal_ones(many: Page) -> None:
    shapes = many.js("[...document.querySelectorAll('.events li use')].map(e => e.getAttribute('href'))")
    assert len(shapes) == 40
    assert len(set(shapes)) == 2
    assert [shapes[n] == shapes[2] for n in range(40)] == [n % 3 == 2 for n in range(40)]
    boxes = many.js("[...document.querySelectorAll('.events li svg')].slice(0, 4).map(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height])")
    assert boxes == [[40, 60]] * 4


def test_one_event_is_shown_and_the_list_chooses_which(many: Page) -> None:
    assert shown(many) == ["e1"]
    assert many.js("document.documentElement.scrollHeight <= innerHeight + 1")
    many.driver.execute_script("document.querySelectorAll('.events a')[4].click()")
    assert shown(many) == ["e5"]
    assert many.js("location.hash") == "#e5"
    many.press("n")
    assert shown(many) == ["e6"]
    many.press("N", "N")
    assert shown(many) == ["e4"]
    assert many.js("document.querySelector('.events [aria-current]').getAttribute('href')") == "#e4"


def test_keys_step_through_the_rows_of_the_event_that_is_shown(many: Page) -> None:
    many.press("n", "j")
    rows = many.open_rows()
    assert len(rows) == 1 and rows[0].startswith("e2-")


def test_a_detail_said_before_is_a_link_that_the_reader_does_not_see(many: Page) -> None:
    """Events of the same path share what is said; opened, a row has it all, with ids of its own."""
    assert many.js("document.querySelectorAll('[data-same]').length") > 300
    many.open("#e2-f1")
    assert shown(many) == ["e2"] and many.open_rows() == ["e2-f1"]
    assert many.js("document.querySelector('#e2-f1 .detail h3').innerText") == "The scalar lambda runs, not the vector one"
    ids = many.js("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_values_of_each_event_are_its_own(many: Page) -> None:
    many.open("#e5-f0")
    assert "4.5" in many.js("document.querySelector('#e5-f0').innerText")


def test_f_shows_every_frame_of_the_event_that_is_shown(many: Page) -> None:
    many.press("n", "f")
    visible = "[...document.querySelectorAll('.all li')].filter(e => e.getClientRects().length).length"
    assert many.js(visible) == len(large_records.pow_path()["events"][0]["frames"])


def test_search_filters_the_events(many: Page) -> None:
    many.press("/")
    many.press(*"37.5")
    entries = many.js("[...document.querySelectorAll('.events li')].filter(e => !e.hidden).map(e => e.querySelector('a').getAttribute('href'))")
    assert entries == ["#e38"]
    assert shown(many) == ["e38"]
    many.press("\ue00c")
    assert many.js("[...document.querySelectorAll('.events li')].every(e => !e.hidden)")


def test_all_events_are_there_without_script(many: Page) -> None:
    many.scripts(False)
    many.open()
    assert many.evaluate("document.querySelectorAll('.event').length") == 40
    assert many.evaluate("[...document.querySelectorAll('.event')].every(e => e.getBoundingClientRect().height > 100)")
    target = many.evaluate("document.querySelector('[data-same] a').getAttribute('href')")
    assert many.evaluate(f"document.querySelector('{target} .detail').textContent.length") > 100


def test_a_page_of_many_events_is_not_many_pages_long(written: Path) -> None:
    alone = (written / "recursion.html").stat().st_size
    assert (written / "many.html").stat().st_size < 12 * alone


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (400, 900)])
@pytest.mark.parametrize("name", ["many", "distinct", "recursion", "mutual"])
def test_nothing_scrolls_sideways(driver, written: Path, width: int, height: int, name: str) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, written / f"{name}.html")
    page.scripts(True)
    page.size(width, height)
    page.open()
    page.press("j", "j")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    assert page.console() == []


def test_a_recursion_is_one_row_with_its_count(driver, written: Path) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, written / "recursion.html")
    page.size(1280, 800)
    page.open()
    assert len(page.rows()) < 20
    assert page.js("[...document.querySelectorAll('summary .fn b')].map(e => e.textContent)").count("r × 4,998") == 1


def test_rows_of_a_long_path_have_no_gap(driver, written: Path) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, written / "distinct.html")
    page.size(1280, 800)
    page.open()
    assert len(page.rows()) > 600
    gaps = page.js("""(() => { const rows = [...document.querySelectorAll('.tower > details > summary')].slice(0, 30).map(r => r.getBoundingClientRect());
      return rows.slice(1).map((r, i) => Math.abs(r.top - rows[i].bottom)); })()""")
    assert max(gaps) < 1


def test_search_marks_the_rows_that_have_the_text(driver, written: Path) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, written / "distinct.html")
    page.size(1280, 800)
    page.open()
    page.press("/")
    page.press(*"function_599")
    assert page.js("document.querySelectorAll('.tower > details.has').length") == 1
    assert page.js("document.querySelector('.find output').textContent") == "1"
    page.press("\ue007")  # Enter
    assert "function_599" in page.js("document.querySelector('details[open] > summary').textContent")
