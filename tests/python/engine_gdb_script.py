"""Run by gdb: stops at STOP, writes frames and the values of expressions as JSON to OUT. Observes with gdb's own means only."""

import json
import os

import gdb

for setting in ("pagination off", "confirm off", "breakpoint pending on", "debuginfod enabled off", "print elements 0"):
    gdb.execute(f"set {setting}", to_string=True)


def position(frame: gdb.Frame) -> list:
    sal = frame.find_sal()
    return [os.path.basename(sal.symtab.filename) if sal.symtab else None, sal.line]


def frames() -> list:
    found = []
    frame = gdb.newest_frame()
    while frame:
        found.append({"name": frame.name(), "at": position(frame), "inlined": frame.type() == gdb.INLINE_FRAME})
        frame = frame.older()
    return found


def value_in(function: str, expression: str) -> str:
    """An expression's value in the innermost frame whose name contains `function`."""
    frame = gdb.newest_frame()
    while frame and function not in (frame.name() or ""):
        frame = frame.older()
    if not frame:
        return f"no frame of {function}"
    frame.select()
    try:
        return str(gdb.parse_and_eval(expression))
    except gdb.error as error:
        return f"error: {error}"


job = json.loads(os.environ["ENGINE_JOB"])
for stop in job["stops"]:
    gdb.Breakpoint(stop)
gdb.execute("run", to_string=True)
answer = {"frames": [], "values": []}
if gdb.selected_inferior().pid:
    answer["frames"] = frames()
    answer["values"] = [value_in(*pair) for pair in job["values"]]
with open(job["out"], "w", encoding="utf-8") as file:
    json.dump(answer, file)
gdb.execute("kill", to_string=True)
