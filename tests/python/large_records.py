"""Large records, for tests and benchmarks: many frames, many events. Made from the record of the pow path."""

import copy
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def pow_path() -> dict[str, Any]:
    return json.loads((ROOT / "tests/data/records/pow_kernel.json").read_text())


def deep(frames: int, kind: str = "distinct") -> dict[str, Any]:
    """The path with `frames` more Python frames between the script's line and its start: "distinct" functions, or one function that calls itself
    ("recursion"), or two that call each other through C ("mutual")."""
    data = pow_path()
    event = data["events"][0]
    at = next(i for i, frame in enumerate(event["frames"]) if frame["name"] == "<module>")
    user = event["frames"][at]
    through = next(frame for frame in event["frames"] if frame["layer"] == "protocol")
    more = []
    for n in range(frames):
        if kind == "mutual" and n % 2:
            frame = copy.deepcopy(through)
        else:
            frame = copy.deepcopy(user)
            name = "r" if kind != "distinct" else f"function_{n}"
            frame["name"] = frame["full"] = frame["python"]["qualname"] = name
        more.append(frame)
    event["frames"][at + 1 : at + 1] = more
    number = 0
    for i, frame in enumerate(event["frames"]):
        if frame["kind"] == "elided":
            frame.pop("number", None)
            continue
        frame["number"] = number
        if frame["kind"] != "python" or (i + 1 < len(event["frames"]) and event["frames"][i + 1]["layer"] != "eval"):
            number += 1
    for part in ("facts", "decisions"):
        for item in event[part]:
            if item["frame"] > at:
                item["frame"] += frames
    return data


def many(events: int) -> dict[str, Any]:
    """The path `events` times, with another value each time; every third is shorter."""
    data = pow_path()
    one = data["events"][0]
    data["events"] = []
    for n in range(events):
        event = copy.deepcopy(one)
        event["frames"][0]["arguments"][1]["value"] = f"{n}.5"
        if n % 3 == 2:
            for key in ("facts", "decisions", "operations"):
                event[key] = []
            event["frames"] = event["frames"][20:]
        data["events"].append(event)
    return data
