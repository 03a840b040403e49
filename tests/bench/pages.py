"""Large records as pages: until a headless browser has painted something, and until the page is written."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rows import Report, Row
from setting import TEACH, environment

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))


@contextmanager
def _page(record: dict[str, object]) -> Iterator[tuple[Path, float, int]]:
    """The page of a record, the seconds it took to write, the record's size in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        file, page = Path(folder, "record.json"), Path(folder, "page.html")
        file.write_text(json.dumps(record))
        begin = time.perf_counter()
        subprocess.run([TEACH / "bin" / "callpath", "report", file, "--format", "html", "-o", page], check=True, env=environment())
        yield page, time.perf_counter() - begin, file.stat().st_size


def _first_paint(page: Path) -> float:
    """Seconds from the request to the first paint with content; the median of five."""
    from page_support import Page, browser

    figures = []
    with browser() as driver:
        opened = Page(driver, page)
        opened.size(1280, 800)
        for _ in range(5):
            opened.open()
            figures.append(opened.js("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000)
    return sorted(figures)[2]


def _measure(report: Report, name: str, record: dict[str, object]) -> None:
    try:
        import selenium  # noqa: F401
    except ImportError:
        report.skipped.append(f"{name}: python3-selenium is not installed")
        return
    with _page(record) as (page, took, _):
        report.rows.append(Row(name, "s", _first_paint(page), limit=1.0))
        report.rows.append(Row(f"{name}_written", "s", took))


def page_10000_frames(report: Report) -> None:
    """10,000 Python frames of distinct functions, each a row."""
    import large_records

    _measure(report, "page_10000_frames", large_records.deep(10_000))


def page_1000_events(report: Report) -> None:
    """1,000 events of two paths."""
    import large_records

    _measure(report, "page_1000_events", large_records.many(1_000))


BENCHMARKS = {f.__name__: f for f in (page_10000_frames, page_1000_events)}
