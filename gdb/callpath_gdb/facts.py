"""Facts by table: which argument or local of which function says what. The table (data/facts.json) is the same for every producer."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

import gdb

from . import values, words

_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = ("../../tracer/data/facts.json", "../../data/facts.json")  # in the source tree; installed


@dataclass
class Rule:
    function: re.Pattern
    facts: list[dict]


def table() -> list[Rule]:
    """The rules, or none with a warning where the table is missing or broken: a path without facts is still a path."""
    for place in _PLACES:
        path = os.path.normpath(os.path.join(_HERE, place))
        if os.path.exists(path):
            try:
                with open(path, encoding="utf-8") as file:
                    return [Rule(re.compile(rule["function"]), rule["facts"]) for rule in json.load(file)["rules"]]
            except (OSError, ValueError, KeyError, TypeError, re.error) as error:
                words.write(f"callpath: no facts, because {path} cannot be used: {error}\n", gdb.STDERR)
                return []
    words.write("callpath: no facts, because facts.json is not beside these scripts\n", gdb.STDERR)
    return []


def read(rules: list[Rule], full: str, frame: gdb.Frame, index: int) -> list[dict]:
    """Facts of one frame. A path that cannot be read is no fact; of several paths of one name the first that is read counts."""
    found: list[dict] = []
    for rule in rules:
        if not rule.function.search(full):
            continue
        for fact in rule.facts:
            if any(fact["name"] == known["name"] for known in found):
                continue
            seen = values.evaluate(frame, fact["path"])
            if seen is None or seen.value is None:
                continue
            found.append({"name": fact["name"], "value": seen.value, "text": seen.text, "unit": fact.get("unit", ""), "frame": index, "how": seen.how})
    return found
