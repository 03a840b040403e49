"""Run by gdb: times commands at one stop, alternating, gdb's own caches of the stack dropped before each. JOB is JSON; the result goes to its `out`.

{"before": [commands that reach the stop], "timed": {"name": [commands]}, "rounds": 5, "out": "FILE"}
"""

import json
import os
import time

import gdb

job = json.loads(os.environ["GDB_JOB"])
for command in job["before"]:
    gdb.execute(command, to_string=True)
took = {name: [] for name in job["timed"]}
for _ in range(job["rounds"] + 1):
    for name, commands in job["timed"].items():
        gdb.execute("maintenance flush register-cache", to_string=True)
        began = time.perf_counter()
        for command in commands:
            gdb.execute(command, to_string=True)
        took[name].append(time.perf_counter() - began)
with open(job["out"], "w", encoding="utf-8") as file:
    json.dump({name: seconds[1:] for name, seconds in took.items()}, file)  # the first round reads symbols
gdb.execute("set confirm off")
gdb.execute("quit 0")
