"""gdb settings held for the length of a command and put back afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import gdb


@contextlib.contextmanager
def held(**wanted: object) -> Iterator[None]:
    """Sets parameters (`print_demangle=True` is `set print demangle on`) and restores those that were changed.

    A parameter that this gdb does not know is left alone. The selected frame stays selected.
    """
    changed: list[tuple[str, object]] = []
    for key, value in wanted.items():
        name = key.replace("_", " ").replace("past main", "past-main").replace("asm demangle", "asm-demangle").replace("disable randomization", "disable-randomization")
        try:
            before = gdb.parameter(name)
        except RuntimeError:
            continue
        if before != value:
            _set(name, value)
            changed.append((name, before))
    try:
        yield
    finally:
        for name, before in reversed(changed):
            _set(name, before)


def _set(name: str, value: object) -> None:
    if isinstance(value, bool):
        text = "on" if value else "off"
    elif value is None:
        text = "unlimited"
    else:
        text = str(value)
    gdb.execute(f"set {name} {text}", to_string=True)
