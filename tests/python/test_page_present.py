"""The page on a wall: one stage a step, a question before each decision, wrong answers that lead to other recordings."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_support import Page, browser, record

pytest.importorskip("selenium", reason="python3-selenium is not installed")

RIGHT, LEFT, ESCAPE, SPACE = "\ue014", "\ue012", "\ue00c", " "


@pytest.fixture(scope="module")
def driver():  # type: ignore[no-untyped-def]
    with browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(callpath, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    """A folder with the page of the pow path, which names another recording for the vector lambda, and the page of that."""
    out = tmp_path_factory.mktemp("present")
    first = record(root)
    for decision in first["events"][0]["decisions"]:
        if decision["id"] == "loop.lambda":
            decision["elsewhere"] = [{"option": "vector", "recording": "other.json"}]
    (out / "first.json").write_text(json.dumps(first))
    (out / "other.json").write_text(json.dumps(copy.deepcopy(record(root))))
    for name, form in (("first", "present"), ("other", "html"), ("first-zh", "present")):
        language = ["--lang", "zh"] if name.endswith("zh") else []
        done = callpath("report", out / f"{name.removesuffix('-zh')}.json", "--format", form, "-o", out / f"{name}.html", *language)
        assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def page(driver, pages: Path) -> Iterator[Page]:  # type: ignore[no-untyped-def]
    page = Page(driver, pages / "first.html")
    page.size(1280, 720)
    page.scripts(True)
    page.prefers("light")
    page.open()
    yield page
    assert page.console() == []


def asking(page: Page) -> bool:
    return page.js("document.body.classList.contains('asking')")


def visible(page: Page, selector: str) -> list[str]:
    return page.js("[...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.textContent)", selector)


def test_a_presented_page_begins_with_the_first_stage(page: Page) -> None:
    assert page.open_rows() == [page.rows()[0]]
    assert visible(page, ".step") == ["1 of 14"]
    hidden = page.js("[...document.querySelectorAll('.later .lay')].every(e => getComputedStyle(e).visibility === 'hidden')")
    assert hidden and page.js("document.querySelectorAll('.later').length") == 13


def test_each_step_shows_one_stage_and_names_those_met(page: Page) -> None:
    rows, seen = page.rows(), []
    for _ in range(40):
        if not asking(page):
            seen.append(page.open_rows())
            assert page.js("document.querySelectorAll('.later').length") == 14 - len(seen)
        if len(seen) == 14:
            break
        page.press(RIGHT)
    assert seen == [[row] for row in rows]


def test_a_question_stands_before_every_decision(page: Page, root: Path) -> None:
    """Every decision between two or more options that a row shows is asked before the row is seen, in the order of the call."""
    wanted = [d for d in reversed(record(root)["events"][0]["decisions"]) if len(d["options"]) > 1]
    asked = []
    for _ in range(40):
        if asking(page):
            asked.append((visible(page, ".quiz > p:first-child")[0], visible(page, ".quiz li")))
        page.press(SPACE)
    assert sorted(question for question, _ in asked) == sorted(d["question"] for d in wanted)
    for question, options in asked:
        assert options in [d["options"] for d in wanted if d["question"] == question]


def test_left_goes_back_and_out_of_a_question(page: Page) -> None:
    rows = page.rows()
    while not asking(page):
        page.press(RIGHT)
    at = page.open_rows()
    page.press(LEFT)
    assert page.open_rows() == at and not asking(page)
    page.press(LEFT)
    assert page.open_rows() == [rows[rows.index(at[0]) - 1]]


def to_question_of_the_loop(page: Page) -> None:
    page.open(f"?present#{page.rows()[-3]}")
    page.press(RIGHT)
    assert asking(page)


def test_the_right_answer_is_said_and_the_next_step_shows_why(page: Page) -> None:
    to_question_of_the_loop(page)
    page.press("2")
    assert page.js("document.querySelector('[open] .quiz .chosen').textContent") == "scalar"
    assert visible(page, ".answer") == ["Right."]
    page.press(RIGHT)
    assert page.open_rows() == [page.rows()[-2]]
    assert visible(page, "[open] .detail h3") == ["The scalar lambda runs, not the vector one"]


def test_a_wrong_answer_opens_the_recording_in_which_it_is_right(page: Page) -> None:
    to_question_of_the_loop(page)
    page.press("1")
    assert page.js("location.pathname.split('/').pop()") == "other.html"
    assert page.js("location.search + location.hash").startswith("?present#")
    assert page.open_rows() == [page.rows()[-2]]  # the stage in which that recording decides the same
    assert page.js("document.body.classList.contains('present')")


def test_a_wrong_answer_without_a_recording_gets_the_facts(page: Page) -> None:
    page.open(f"?present#{page.rows()[-4]}")
    page.press(RIGHT)
    page.find("[open] .quiz button:not(.right)").click()
    assert visible(page, ".answer") == ["Not here: exponent = 3"]
    assert page.open_rows() == [page.rows()[-4]]


def test_f_shows_the_frames_of_the_stage(page: Page) -> None:
    page.open(f"?present#{page.rows()[-2]}")
    assert visible(page, "[open] .frames li") == []
    page.press("f")
    assert len(visible(page, "[open] .frames li")) > 3
    page.press("f")
    assert visible(page, "[open] .frames li") == []


def test_escape_is_the_page_at_the_same_row(page: Page) -> None:
    row = page.rows()[-2]
    page.open(f"?present#{row}")
    page.press(ESCAPE)
    assert page.open_rows() == [row]
    assert not page.js("document.body.matches('.present, .asking')")
    assert page.js("document.querySelectorAll('.later, .wall').length") == 0
    page.press("p")
    assert page.open_rows() == [row] and page.js("document.body.matches('.present')")


def test_the_detail_is_whole_again_after_presenting(page: Page, driver, pages: Path) -> None:  # type: ignore[no-untyped-def]
    detail = "document.querySelector('details[open] .detail').innerText.replace(/\\s+/g, ' ')"
    other = Page(driver, pages / "other.html")
    other.open("#f1")
    before = other.js(detail)
    other.press("p", ESCAPE)
    assert other.js(detail) == before


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1280, 800), (1920, 1080), (400, 900)])
@pytest.mark.parametrize("name", ["first", "first-zh"])
def test_nothing_is_cut_on_the_wall(driver, pages: Path, width: int, height: int, name: str) -> None:  # type: ignore[no-untyped-def]
    page = Page(driver, pages / f"{name}.html")
    page.size(width, height)
    page.scripts(True)
    page.open()
    for _ in range(40):
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
        assert page.js("[...document.querySelectorAll('[open] .detail')].every(d => d.scrollWidth <= d.clientWidth)"), page.open_rows()
        if width > 1020:
            sizes = page.js("[...document.querySelectorAll('[open] pre.src code')].map(e => parseFloat(getComputedStyle(e).fontSize))")
            assert all(size >= 19 for size in sizes)
            cut = page.js("[...document.querySelectorAll('[open] .one, [open] .quiz, [open] .src .here')].filter(e => e.offsetParent)"
                          ".filter(e => e.getBoundingClientRect().bottom > innerHeight).map(e => e.textContent)")
            assert cut == [], page.open_rows()
        page.press(RIGHT)


def test_questions_are_asked_on_the_wall_only(page: Page) -> None:
    page.press(ESCAPE)
    assert visible(page, ".quiz") == []
