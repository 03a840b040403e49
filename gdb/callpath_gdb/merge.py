"""One path from two stacks: each run of Python frames goes with the C frame in whose part of the stack its anchor lies."""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from .native import Entry
from .pyframes import PythonFrame, PythonStack


@dataclass
class Merged:
    """`order` holds native entries and, just before the evaluation frame that runs them, (evaluation frame, Python frame) pairs."""

    order: list[Entry | tuple[Entry | None, PythonFrame]]
    notes: list[str]


def by_address(entries: list[Entry], stack: PythonStack, cut: bool = False) -> Merged:
    """SP <= anchor < CFA decides. The entry frame, the outermost of a run, is the cross-check. A run that lies in no frame is placed after the runs before it
    and noted: nothing is dropped. Where the walk of native frames was cut, what lies beyond is told in one note."""
    physical = [e for e in entries if e.physical and e.sp is not None and e.cfa is not None and e.sp < e.cfa]
    physical.sort(key=lambda e: e.sp)
    starts = [e.sp for e in physical]
    notes: list[str] = []
    runs_of: dict[int, list] = {}
    homeless = []
    beyond, walked_to = 0, physical[-1].cfa if cut and physical else None
    for number, run in enumerate(stack.runs):
        at = bisect.bisect_right(starts, run.anchor) - 1
        home = physical[at] if at >= 0 and run.anchor < physical[at].cfa else None
        if any(f.entry for f in run.frames[:-1]) or not run.frames[-1].entry:
            notes.append(f"Python frames of evaluation {number} disagree with the entry frame")
        if home is None:
            if walked_to is not None and run.anchor >= walked_to:
                beyond += 1
                homeless.append(run)
                continue
            notes.append(f"the evaluation that runs {run.frames[-1].code.qualname} is in no native frame")
            homeless.append(run)
        else:
            runs_of.setdefault(id(home), []).append(run)
    if beyond:
        notes.append(f"{beyond:,} evaluations further out run the Python frames that have no number: their native frames were not walked")
    order: list[Entry | tuple[Entry | None, PythonFrame]] = []
    for entry in entries:
        for run in runs_of.get(id(entry), []):
            order.extend((entry, frame) for frame in run.frames)
        order.append(entry)
    for run in homeless:
        order.extend((None, frame) for frame in run.frames)
    return Merged(order, notes)
