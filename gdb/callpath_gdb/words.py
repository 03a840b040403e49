"""The words after a command: options anywhere, `-by-hand` understood by all, everything else told apart with the command's own usage."""

from __future__ import annotations

import locale
from dataclasses import dataclass, field

import gdb

BY_HAND = "-by-hand"


@dataclass
class Words:
    plain: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)

    @property
    def by_hand(self) -> bool:
        return BY_HAND in self.options

    def at(self, position: int) -> str | None:
        return self.plain[position] if position < len(self.plain) else None


def split(argument: str, usage: str, options: tuple[str, ...] = (), least: int = 0, most: int = 0) -> Words:
    """Raises gdb.GdbError with `usage` for what the command does not take."""
    words = Words()
    for word in gdb.string_to_argv(argument or ""):
        if word in options or word == BY_HAND:
            words.options.add(word)
        elif word.startswith("-") and len(word) > 1:
            raise gdb.GdbError(f"There is no option {word}. Usage: {usage}")
        else:
            words.plain.append(word)
    if not least <= len(words.plain) <= most:
        what = "Something is missing" if len(words.plain) < least else f"'{words.plain[most]}' is too much"
        raise gdb.GdbError(f"{what}. Usage: {usage}")
    return words


def completed(text: str, options: tuple[str, ...] = ()) -> list[str]:
    """Options that begin with what was typed. gdb takes the dash for a gap between words, so what is completed is what follows it."""
    typed = text.rpartition(" ")[2]
    if not typed.startswith("-"):
        return []
    return [option.lstrip("-") for option in (*options, BY_HAND) if option.startswith(typed)]


def show(commands: list[str]) -> None:
    """Plain gdb commands, one a line and nothing else, so that they can be pasted or sourced."""
    write("\n".join(commands) + "\n")


def quoted(text: str) -> str:
    """As a C string in an expression of gdb's."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def file_pattern(file: str) -> str:
    """A regular expression for gdb's $_regex: a whole path, or its last parts."""
    return "(.*/)?" + "".join(c if c.isalnum() or c in "/_-" else f"[{c}]" for c in file) + "$"


def write(text: str, stream: int = gdb.STDOUT) -> None:
    """As gdb.write, which raises where the terminal's character set lacks a character: it is escaped then."""
    gdb.write(text if text.isascii() else _within(text, _charset("host_charset")), stream)


def for_value(text: str) -> str:
    """Text that becomes a value of gdb's: within the program's character set."""
    return text if text.isascii() else _within(text, _charset("target_charset"))


def for_printer(text: str) -> str:
    """Text that gdb prints for us."""
    return text if text.isascii() else _within(text, _charset("host_charset"))


def _within(text: str, charset: str) -> str:
    try:
        return text.encode(charset, "backslashreplace").decode(charset)
    except LookupError:
        return text.encode("ascii", "backslashreplace").decode("ascii")


def _charset(of: str) -> str:
    ask = getattr(gdb, of, None)
    return ask() if ask is not None else locale.getpreferredencoding(False)
