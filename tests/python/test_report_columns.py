"""The table of column widths against the Unicode data that Python carries."""

import re
import unicodedata
from pathlib import Path


def ranges(text: str, name: str) -> list[tuple[int, int]]:
    body = re.search(rf"{name}\[\] = \{{(.*?)\n\}};", text, re.DOTALL)
    assert body
    return [(int(a, 16), int(b, 16)) for a, b in re.findall(r"\{0x([0-9a-f]+), 0x([0-9a-f]+)\}", body[1])]


def takes_none(point: int) -> bool:
    """Combining marks, format characters but the soft hyphen, and the vowels and finals of Hangul that join their initial."""
    category = unicodedata.category(chr(point))
    return category in ("Mn", "Me") or (category == "Cf" and point != 0xAD) or 0x1160 <= point <= 0x11FF


def takes_two(point: int) -> bool:
    return unicodedata.east_asian_width(chr(point)) in ("W", "F") and unicodedata.category(chr(point)) != "Cs" and not takes_none(point)


def test_the_table_is_unicodes(root: Path) -> None:
    text = (root / "tracer/explain/column_ranges.inc").read_text()
    assert f"Unicode {unicodedata.unidata_version}" in text
    for name, rule in (("wide", takes_two), ("zero", takes_none)):
        table = ranges(text, name)
        assert table == sorted(table)
        assert {p for a, b in table for p in range(a, b + 1)} == {p for p in range(0x20, 0x110000) if rule(p)}
