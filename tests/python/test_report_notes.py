"""Notes: a reader's own catalogue, and pages that are Chinese throughout."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

OWN = """
[[note]]
id = "mine.loop"
when = { layer = "loop", strides = "*" }
en.title = "Our loop"
en.sentence = "Our own words about strides {strides}."
en.text = "Written by the reader."
"""


@pytest.mark.parametrize("form", ["text", "html", "markdown", "svg"])
def test_own_notes_are_told_before_the_built_in_ones(callpath, root: Path, tmp_path: Path, form: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.toml").write_text(OWN)
    done = callpath("report", root / "tests/data/records/pow_kernel.json", "--format", form, "--notes", tmp_path / "own.toml")
    assert done.returncode == 0, done.stderr
    assert "Our own words about strides {4, 8}." in done.stdout
    assert "one at a time." not in done.stdout
    assert "Nobody overrides it" in done.stdout


def test_the_first_catalogue_given_comes_first(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(OWN.replace("Our own words", f"Words of {name}"))
    done = callpath("report", root / "tests/data/records/pow_kernel.json", "--notes", tmp_path / "a.toml", "--notes", tmp_path / "b.toml")
    assert "Words of a" in done.stdout and "Words of b" not in done.stdout


def test_diff_takes_own_notes(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.toml").write_text(OWN)
    one, other = (root / f"tests/data/records/{name}.json" for name in ("pow_kernel", "pow_kernel_gdb"))
    done = callpath("diff", one, other, "--format", "html", "--notes", tmp_path / "own.toml")
    assert done.returncode == 4 and "Our own words" in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[note]\n", "own.toml"),
        ("[[note]]\nid = 'x'\n", "note x has no English title and sentence"),
        ("[[note]]\nid = 'x'\nwhen = { function = '(' }\nen.title = 't'\nen.sentence = 's'\n", "is not a regular expression"),
        ("[[note]]\nid = 'x'\nwhen = { layer = 'lop' }\nen.title = 't'\nen.sentence = 's'\n", "there is no layer"),
        ("[[notes]]\n", "notes is nothing that a catalogue of notes has"),
    ],
)
def test_a_broken_catalogue_is_named_with_the_fault(callpath, root: Path, tmp_path: Path, text: str, said: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.toml").write_text(text)
    done = callpath("report", root / "tests/data/records/pow_kernel.json", "--notes", tmp_path / "own.toml", "-o", tmp_path / "out.txt")
    assert done.returncode == 1
    assert "own.toml" in done.stderr and said in done.stderr
    assert not (tmp_path / "out.txt").exists()


def test_a_catalogue_that_is_not_there_is_named(callpath, root: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = callpath("report", root / "tests/data/records/pow_kernel.json", "--notes", tmp_path / "none.toml")
    assert done.returncode == 1 and "none.toml" in done.stderr


class Prose(HTMLParser):
    """What a page says in words: not code, names, values, styles, scripts."""

    SKIP = {"style", "script", "code", "pre", "title", "b"}
    VOID = {"meta", "link", "br", "wbr", "input", "path", "use", "circle"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.VOID:
            return
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        code = tag in self.SKIP or "m" in classes or "place" in classes
        self.open.append(code)
        if not any(self.open):
            self.said += [given[name] or "" for name in ("aria-label", "placeholder") if name in given]

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.open) and data.strip():
            self.said.append(data.strip())


@pytest.mark.parametrize("record", ["pow_kernel_process", "pow_kernel_gdb"])
def test_a_chinese_page_has_no_english_sentence(callpath, root: Path, record: str) -> None:  # type: ignore[no-untyped-def]
    """Code words stay English; three English words in a row would be a sentence."""
    done = callpath("report", root / f"tests/data/records/{record}.json", "--format", "html", "--lang", "zh")
    assert done.returncode == 0, done.stderr
    reader = Prose()
    reader.feed(done.stdout)
    english = [text for text in reader.said if re.search(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", text)]
    assert english == []
    assert sum(bool(re.search("[一-鿿]", text)) for text in reader.said) > 60
