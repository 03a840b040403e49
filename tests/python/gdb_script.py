"""Run by gdb: executes JOB's commands one after the other, whatever they raise, and writes what each said as JSON to OUT.

`@by-hand COMMAND` runs the plain gdb commands that COMMAND prints with -by-hand, from a file, as a person would.
"""

import json
import os

import gdb

job = json.loads(os.environ["GDB_JOB"])
answers = []


def said(command: str) -> str:
    try:
        if command.startswith("@by-hand "):
            with open("by_hand.gdb", "w", encoding="utf-8") as plain:
                plain.write(gdb.execute(command.removeprefix("@by-hand ") + " -by-hand", to_string=True))
            command = "source by_hand.gdb"
        return gdb.execute(command, to_string=True)
    except gdb.error as error:  # gdb.GdbError is shown by gdb's own command line only, as this
        return f"error: {error}"


for text in job["commands"]:
    answers.append(said(text))
    with open(job["out"], "w", encoding="utf-8") as file:
        json.dump(answers, file)
gdb.execute("set confirm off")
gdb.execute("quit 0")
