"""The page in a real browser: complete without script, keys, themes, links, widths, printing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_support import Page, browser, record

pytest.importorskip("selenium", reason="python3-selenium is not installed")

SIZES = [(1280, 720), (1280, 800), (1920, 1080), (1021, 700), (1020, 700), (768, 1024), (400, 900), (360, 740)]


@pytest.fixture(scope="module")
def driver():  # type: ignore[no-untyped-def]
    with browser() as driver:
        yield driver


@pytest.fixture(scope="module")
def written(callpath, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    """The page of the record in the repository, in a folder with a blank and a letter beyond ASCII."""
    out = tmp_path_factory.mktemp("a bé") / "page.html"
    done = callpath("report", root / "tests/data/records/pow_kernel.json", "--format", "html", "-o", out)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def page(driver, written: Path) -> Iterator[Page]:  # type: ignore[no-untyped-def]
    page = Page(driver, written)
    page.size(1280, 800)
    page.scripts(True)
    page.prefers("light")
    page.open()
    yield page
    page.scripts(True)


def test_nothing_is_said_on_the_console(page: Page) -> None:
    page.press("j", "f", "t")
    assert page.console() == []


def test_nothing_is_loaded_from_elsewhere(page: Page) -> None:
    assert page.js("performance.getEntriesByType('resource').map(e => e.name)") == []


def test_there_is_a_row_for_each_stage_called_first_on_top(page: Page) -> None:
    rows = page.rows()
    assert len(rows) == 14
    assert rows[-1] == "f0"
    tops = page.js("[...document.querySelectorAll('.tower > details')].map(row => row.getBoundingClientRect().top)")
    assert tops == sorted(tops)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_scrolls_sideways(page: Page, width: int, height: int, theme: str) -> None:
    page.size(width, height)
    for tail in ("", "#f1", "#f36", "#f0"):
        page.open(f"?theme={theme}{tail}")
        assert page.js("document.documentElement.scrollWidth <= innerWidth"), tail
        assert page.js("document.querySelector('.rows').scrollWidth <= document.querySelector('.rows').clientWidth"), tail
        assert page.js("[...document.querySelectorAll('.detail')].every(d => d.scrollWidth <= d.clientWidth)"), tail


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_whole_path_fits_1280_by_720(page: Page, theme: str) -> None:
    page.size(1280, 720)
    page.open(f"?theme={theme}#f1")
    bottom = page.js("document.querySelector('#f0 > summary').getBoundingClientRect().bottom")
    top = page.js("document.querySelector('.tower > details > summary').getBoundingClientRect().top")
    head = page.js("document.querySelector('header').getBoundingClientRect().bottom")
    assert head <= top and bottom <= 720


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_overlaps_in_a_row(page: Page, width: int, height: int) -> None:
    page.size(width, height)
    page.open()
    overlaps = page.js("""(() => {
      const bad = [];
      for (const row of document.querySelectorAll('.tower > details > summary')) {
        const boxes = [...row.children].filter(e => !e.matches('.g') && getComputedStyle(e).display !== 'none').map(e => e.getBoundingClientRect());
        for (let i = 0; i < boxes.length; ++i) for (let j = i + 1; j < boxes.length; ++j) {
          const a = boxes[i], b = boxes[j];
          if (a.left < b.right - .5 && b.left < a.right - .5 && a.top < b.bottom - .5 && b.top < a.bottom - .5) bad.push(row.textContent);
        }
      }
      return bad;
    })()""")
    assert overlaps == []


@pytest.mark.parametrize(("width", "height"), [s for s in SIZES if s != (1021, 700)])  # there the pane leaves too little
def test_names_of_this_path_are_not_cut(page: Page, width: int, height: int) -> None:
    page.size(width, height)
    page.open()
    cut = page.js("[...document.querySelectorAll('summary > .fn b, summary > .d')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)")
    assert cut == []


def test_the_line_has_no_gap(page: Page) -> None:
    """Each row begins where the one above it ends: the line is drawn from edge to edge."""
    gaps = page.js("""(() => { const rows = [...document.querySelectorAll('.tower > details > summary')].map(r => r.getBoundingClientRect());
      return rows.slice(1).map((r, i) => Math.abs(r.top - rows[i].bottom)); })()""")
    assert max(gaps) < 1


def test_keys_step_through_the_rows(page: Page) -> None:
    rows = page.rows()
    assert page.open_rows() == []
    page.press("j")
    assert page.open_rows() == [rows[0]]
    page.press("j", "j")
    assert page.open_rows() == [rows[2]]
    page.press("k")
    assert page.open_rows() == [rows[1]]
    page.press("\ue015")  # arrow down
    assert page.open_rows() == [rows[2]]
    page.press("\ue013")  # arrow up
    assert page.open_rows() == [rows[1]]
    assert page.js("location.hash") == f"#{rows[1]}"
    page.press("\ue00c")  # Escape
    assert page.open_rows() == []


def test_keys_stop_at_both_ends(page: Page) -> None:
    rows = page.rows()
    page.press("k")
    assert page.open_rows() == [rows[-1]]
    page.press("j")
    assert page.open_rows() == [rows[-1]]


def test_keys_with_control_are_the_browsers(page: Page) -> None:
    page.press("\ue009j\ue000")  # Control+j
    assert page.open_rows() == []


def test_one_row_is_open_at_a_time(page: Page) -> None:
    page.find("#f1 > summary").click()
    page.find("#f36 > summary").click()
    assert page.open_rows() == ["f36"]


def test_f_shows_every_frame(page: Page, root: Path) -> None:
    shown = "[...document.querySelectorAll('.all li')].filter(e => e.offsetParent).length"
    assert page.js(shown) == 0
    page.press("f")
    assert page.js(shown) == len(record(root)["events"][0]["frames"])
    assert page.find(".every").get_attribute("aria-pressed") == "true"
    heights = page.js("[...new Set([...document.querySelectorAll('.all li')].map(e => e.offsetHeight))]")
    assert heights == [22]
    page.press("f")
    assert page.js(shown) == 0


def test_t_changes_the_theme(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.js(ground)
    page.press("t")
    assert page.js(ground) != light
    page.press("t")
    assert page.js(ground) == light


def test_the_theme_follows_the_system(page: Page) -> None:
    page.prefers("dark")
    page.open()
    assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 27)"
    page.prefers("light")
    page.open()
    assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 252)"


@pytest.mark.parametrize(("hash_", "row"), [("#f0", "f0"), ("#f24", "f24"), ("#f6", "f1"), ("#f30", "f25"), ("#stub", "stub")])
def test_a_link_to_a_frame_opens_its_stage(page: Page, hash_: str, row: str) -> None:
    page.open(hash_)
    assert page.open_rows() == [row]
    assert page.js("location.hash") == hash_


@pytest.mark.parametrize("hash_", ["#f1", "#f4", "#f8", "#f13", "#f20"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (400, 900)])
def test_a_link_shows_the_detail_from_its_top(page: Page, width: int, height: int, hash_: str) -> None:
    page.size(width, height)
    page.open(hash_)
    box = page.js("document.querySelector('details[open] .where').getBoundingClientRect()")
    head = 0 if width < 1021 else page.js("document.querySelector('header').getBoundingClientRect().bottom")
    assert head <= box["top"] and box["bottom"] <= height
    lowest = page.js("document.querySelector('details[open]').id")
    if hash_ != f"#{lowest}":
        assert page.js("[...document.querySelectorAll('li.target')].map(item => item.id)") == [hash_[1:]]


@pytest.mark.parametrize("width", [1280, 1021, 400, 360])
def test_words_are_not_broken(page: Page, width: int) -> None:
    """A short word of a table or of the frames list stands on one line."""
    page.size(width, 900)
    for row in page.rows():
        page.open(f"#{row}")
        broken = page.js("""(() => { const bad = [];
          for (const cell of document.querySelectorAll('details[open] .detail :is(th, td, .frames b)')) {
            const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            for (let node; (node = texts.nextNode());)
              for (const word of node.data.matchAll(/[A-Za-z0-9_]+/g)) {
                const range = document.createRange();
                range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
                if (word[0].length < 30 && new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) bad.push(word[0]);
              }
          }
          return bad; })()""")
        assert broken == [], row


def test_a_link_that_leads_nowhere_opens_nothing(page: Page) -> None:
    page.open("#f9999")
    assert page.open_rows() == []
    assert page.console() == []


def test_a_hash_that_changes_is_followed(page: Page) -> None:
    page.driver.execute_script("location.hash = '#f20'")
    page.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert page.open_rows() == ["f20"]


def test_the_detail_stands_beside_the_rows_where_there_is_room(page: Page) -> None:
    page.open("#f1")
    detail, rows = (page.js(f"document.querySelector('{s}').getBoundingClientRect()") for s in ("#f1 .detail", ".rows"))
    assert detail["left"] >= rows["right"] - 1
    page.size(400, 900)
    page.open("#f1")
    detail, summary = (page.js(f"document.querySelector('{s}').getBoundingClientRect()") for s in ("#f1 .detail", "#f1 > summary"))
    assert abs(detail["top"] - summary["bottom"]) < 1


def test_source_has_colours_and_keeps_its_text(page: Page, root: Path) -> None:
    assert page.js("document.querySelectorAll('#f0 pre.src .hljs-keyword').length") > 0
    frame = record(root)["events"][0]["frames"][0]
    shown = page.js("[...document.querySelectorAll('#f0 pre.src code')].map(c => c.textContent)")
    assert [line.strip() for line in shown] == [line.strip() for line in frame["source"]["excerpt"]["lines"]]
    assert page.js("document.querySelector('#f0 pre .here code').textContent").strip() == "return base * base * base;"


def test_the_page_is_complete_without_script(page: Page) -> None:
    page.scripts(False)
    page.open()
    assert page.evaluate("document.querySelectorAll('.tower > details').length") == 14
    assert page.evaluate("document.body.textContent.includes('-1.1523602')")
    assert page.evaluate("document.body.textContent.includes('The scalar lambda runs, not the vector one')")
    page.find("#f1 > summary").click()
    assert page.evaluate("document.querySelector('#f1').open")
    assert page.evaluate("document.querySelector('#f1 .detail h3').offsetHeight") > 0
    page.find("#f0 > summary").click()
    assert not page.evaluate("document.querySelector('#f1').open")
    assert page.evaluate("getComputedStyle(document.querySelector('.tools')).display") == "none"


def test_find_in_page_finds_the_value(page: Page) -> None:
    for text in ("-1.1523602", "return base * base * base;", "vectorcall_maybe"):
        assert page.js("window.find(arguments[0], false, false, true)", text), text


def test_printing_shows_every_stage(page: Page) -> None:
    page.driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert len(page.open_rows()) == 14
    page.driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.open_rows() == []
    page.find("#f1 > summary").click()
    page.find("#f0 > summary").click()
    assert page.open_rows() == ["f0"]
    assert page.printed().startswith(b"%PDF")


def test_the_structure_is_one_for_screen_readers(page: Page) -> None:
    assert page.js("document.querySelectorAll('h1').length") == 1
    assert page.js("document.querySelectorAll('main').length") == 1
    assert page.js("document.querySelectorAll('header').length") == 1
    assert page.js("document.querySelectorAll('aside').length") == 1
    assert page.js("document.documentElement.lang") == "en"
    assert page.js("[...document.querySelectorAll('.g')].every(g => g.getAttribute('aria-hidden') === 'true')")
    assert page.js("document.querySelector('#f1 .d').textContent") == "vector [scalar]"
    ids = page.js("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_chinese_says_so(page: Page, callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "zh.html"
    assert callpath("report", root / "tests/data/records/pow_kernel.json", "--format", "html", "--lang", "zh", "-o", out).returncode == 0
    chinese = Page(page.driver, out)
    for width, height in SIZES:
        chinese.size(width, height)
        chinese.open("#f1")
        assert chinese.js("document.documentElement.lang") == "zh-CN"
        assert chinese.js("document.documentElement.scrollWidth <= innerWidth")
    assert "标量" in chinese.js("document.querySelector('#f1 h3').textContent")


def test_hostile_names_are_text(page: Page, callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The browser, not a rule of ours, says whether an element came of a name."""
    hostile = "</script><b class=evil>x</b><img src=x onerror=evil()>\"' onload=\"evil()"
    data = record(root)
    event = data["events"][0]
    for frame in event["frames"]:
        frame["name"] = frame["full"] = hostile + "operator|| a`b vector<T*> " + "T" * 10000
        for value in frame.get("arguments", []):
            value["name"] = hostile
            value["value"] = hostile
    for fact in event["facts"]:
        fact["text"] = fact["how"] = hostile
    for decision in event["decisions"]:
        decision["question"] = decision["taken"] = hostile
        decision["options"] = [hostile]
    (tmp_path / "hostile.json").write_text(json.dumps(data))
    out = tmp_path / "hostile.html"
    assert callpath("report", tmp_path / "hostile.json", "--format", "html", "-o", out).returncode == 0
    evil = Page(page.driver, out)
    for width, height in ((1280, 800), (400, 900)):
        evil.size(width, height)
        evil.open("#f1")
        assert evil.console() == []
        assert evil.js("document.querySelectorAll('.evil, img, [onload], [onerror]').length") == 0
        assert evil.js("document.querySelectorAll('script').length") == page_scripts(out)
        assert evil.js("document.body.textContent.includes('<b class=evil>x</b>')")
        assert evil.js("document.documentElement.scrollWidth <= innerWidth")


def page_scripts(path: Path) -> int:
    """Script elements that the renderer itself writes."""
    return path.read_text().count("<script>")


def test_several_events_are_listed(page: Page, callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = record(root)
    data["events"].append(json.loads(json.dumps(data["events"][0])))
    (tmp_path / "two.json").write_text(json.dumps(data))
    out = tmp_path / "two.html"
    assert callpath("report", tmp_path / "two.json", "--format", "html", "-o", out).returncode == 0
    two = Page(page.driver, out)
    for width, height in ((1280, 800), (400, 900)):
        two.size(width, height)
        two.open("#e2-f6")
        assert two.open_rows() == ["e2-f1"]
        assert two.console() == []
        assert two.js("document.documentElement.scrollWidth <= innerWidth")
    assert two.js("document.querySelectorAll('.events li').length") == 2
