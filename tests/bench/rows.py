"""What a benchmark gives: rows, as a table for people and as JSON."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measurement beside a rival's in the same run.

    `ratio` is above 1 where ours is better, whichever way the unit points. `limit` bounds our own figure from above; `at_least` bounds the ratio from
    below. A row without either only informs.
    """

    name: str
    unit: str
    ours: float
    rival: str = "-"
    rivals: float | None = None
    more_is_better: bool = False
    limit: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        if self.rivals is None or not self.ours or not self.rivals:
            return None
        return self.ours / self.rivals if self.more_is_better else self.rivals / self.ours

    @property
    def target(self) -> str:
        if self.limit is not None:
            return f"<= {self.limit:g} {self.unit}"
        return f">= {self.at_least:g} x rival" if self.at_least is not None else "-"

    @property
    def met(self) -> bool | None:
        if self.limit is not None:
            return self.ours <= self.limit
        if self.at_least is None or self.ratio is None:
            return None
        return self.ratio >= self.at_least


@dataclass
class Report:
    """Rows of a run, the rivals that were not there, and what else is to be known of the run."""

    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> str:
        def row(r: Row) -> dict[str, object]:
            kept = {k: v for k, v in asdict(r).items() if k in ("name", "unit", "ours", "rival")}
            return kept | {"rival_figure": r.rivals, "ratio": r.ratio, "target": r.target, "met": r.met}

        return json.dumps({"rows": [row(r) for r in self.rows], "skipped": self.skipped, "notes": self.notes}, indent=2) + "\n"

    def as_table(self) -> str:
        head = ("name", "unit", "ours", "rival", "rival's", "ratio", "target", "met")
        lines = [head, *(_cells(r) for r in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        left = (0, 1, 3, 6, 7)
        text = ["  ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip() for line in lines]
        text.insert(1, "-" * len(text[0]))
        return "\n".join([*text, *(f"skipped: {s}" for s in self.skipped), *(f"note: {n}" for n in self.notes)]) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    return (row.name, row.unit, _figure(row.ours), row.rival, _figure(row.rivals), ratio, row.target, met)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def write_whole(path: Path, text: str) -> None:
    """The file is whole or not there."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def interleaved(rounds: int, **actions: Callable[[], float]) -> dict[str, float]:
    """The median of what each action gives, the actions taken in turn so that a noisy minute hits all of them."""
    figures: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            figures[name].append(action())
    return {name: sorted(values)[len(values) // 2] for name, values in figures.items()}
