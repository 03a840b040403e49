"""A thin, typed view over the JSON of a callpath/1 record. Names are the record's own; whatever has no property here is in `data`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from callpath import _native

FORMAT = "callpath/1"


class RecordError(ValueError):
    """The file is not a callpath/1 record: not JSON, cut off, of another format or version, or without what every record has."""


@dataclass(frozen=True, slots=True, repr=False)
class Frame:
    """One frame of a path."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<callpath.Frame {self.number if self.number is not None else '-'} {self.layer} {self.name}>"

    @property
    def number(self) -> int | None:
        """gdb's number; a Python frame has that of the evaluation frame that runs it; a frame that left nothing on the stack has none."""
        return self.data.get("number")

    @property
    def kind(self) -> str:
        """python, native, inlined or elided."""
        return str(self.data["kind"])

    @property
    def layer(self) -> str:
        """user, wrapper, protocol, eval, binding, dispatcher, ..., kernel."""
        return str(self.data["layer"])

    @property
    def name(self) -> str:
        """Short, for display."""
        return str(self.data["name"])

    @property
    def full(self) -> str:
        """The whole name, with parameters."""
        return str(self.data.get("full", self.data["name"]))

    @property
    def file(self) -> str | None:
        """Source file, if known."""
        return (self.data.get("source") or {}).get("file")

    @property
    def line(self) -> int | None:
        """Line in that file, if known."""
        return (self.data.get("source") or {}).get("line")

    @property
    def arguments(self) -> dict[str, str | None]:
        """Arguments by name, as gdb prints them; None where there is no value."""
        return {a["name"]: a.get("value") for a in self.data.get("arguments", [])}


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """One moment: the path of one thread."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<callpath.Event {self.data.get('trigger', {}).get('kind', '?')}, {len(self.data['frames'])} frames>"

    @property
    def frames(self) -> list[Frame]:
        """The path, innermost first."""
        return [Frame(f) for f in self.data["frames"]]

    @property
    def complete(self) -> bool:
        """Whether the walk reached the thread's start."""
        return bool(self.data.get("complete", False))

    @property
    def facts(self) -> dict[str, Any]:
        """Facts by name. Where frames give the same name, the innermost frame's."""
        ordered = sorted(self.data.get("facts", []), key=lambda f: f.get("frame", 0), reverse=True)
        return {f["name"]: f.get("value") for f in ordered}

    @property
    def decisions(self) -> dict[str, str]:
        """The option taken, by the decision's id. Where frames give the same id, the innermost frame's."""
        ordered = sorted(self.data.get("decisions", []), key=lambda d: d.get("frame", 0), reverse=True)
        return {d["id"]: d["taken"] for d in ordered}


@dataclass(frozen=True, slots=True, repr=False)
class Recording:
    """A record file."""

    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<callpath.Recording of {len(self.data['events'])} event(s)>"

    @property
    def events(self) -> list[Event]:
        """The recorded moments, in order."""
        return [Event(e) for e in self.data["events"]]

    @property
    def target(self) -> dict[str, Any]:
        """The program that was run: argv, executable, Python version, capability."""
        return dict(self.data.get("target", {}))

    @property
    def modules(self) -> list[dict[str, Any]]:
        """The ELF files that frames refer to, and what debug information each had."""
        return list(self.data.get("modules", []))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record; the file is there whole or not at all. `callpath report` shows it, `load` reads it again."""
        with self._native() as handle:
            _native.check(_native.library().callpath_save(handle, os.fsencode(path)))

    def to_html(self, path: str | os.PathLike[str], *, language: str = "en") -> None:
        """Write a page that stands alone. `language`: "en" or "zh"."""
        with self._native() as handle:
            _native.check(_native.library().callpath_write_html(handle, os.fsencode(path), language.encode()))

    def show(self, event: int = 0, *, width: int | None = None, file: TextIO | None = None) -> None:
        """Print an event's path as `callpath report` does, to standard output if no file is given."""
        out = file if file is not None else sys.stdout
        if not self.events:
            print("Nothing was recorded." + (f" {self.missed}" if self.missed else ""), file=out)
            return
        columns = width if width is not None else min(120, max(72, shutil.get_terminal_size((100, 24)).columns))
        with self._native() as handle:
            print(_native.text(_native.library().callpath_show(handle, event, columns, int(out.isatty()))), end="", file=out)

    @property
    def missed(self) -> str:
        """Why nothing was recorded, where `record` knows; else empty."""
        return str(self.data.get("missed", ""))

    def _native(self):  # type: ignore[no-untyped-def]
        return _native.recording(json.dumps({k: v for k, v in self.data.items() if k != "missed"}))


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut_off = error.pos >= len(text.rstrip())
        what = "is cut off" if cut_off and text.strip() else "is not JSON"
        raise RecordError(f"{where} {what} (line {error.lineno}, column {error.colno}: {error.msg})") from None


def _checked(data: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, dict) or "format" not in data:
        raise RecordError(f"{where} is JSON but not a callpath record: it has no member 'format'")
    if data["format"] != FORMAT:
        raise RecordError(f"{where} has format {data['format']!r}; this callpath reads {FORMAT!r}")
    if not isinstance(data.get("events"), list):
        raise RecordError(f"{where}: /events is not a list")
    for i, event in enumerate(data["events"]):
        frames = event.get("frames") if isinstance(event, dict) else None
        if not isinstance(frames, list):
            raise RecordError(f"{where}: /events/{i}/frames is not a list")
        for j, frame in enumerate(frames):
            if not isinstance(frame, dict) or not {"kind", "layer", "name"} <= frame.keys():
                raise RecordError(f"{where}: /events/{i}/frames/{j} lacks kind, layer or name")
    return data


def load(path: str | os.PathLike[str]) -> Recording:
    """Read a record. Raises OSError if the file cannot be read and RecordError, naming the place, if it is no record."""
    where = os.fspath(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return Recording(_checked(_parsed(text, where), where))
