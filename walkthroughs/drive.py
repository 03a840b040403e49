"""The gdb route of every walkthrough: take the steps of its stop, one after the other, and record. Run as walkthroughs/README.md says.

No hit is ever counted: what is passed over is passed over because its condition does not hold.
"""

from __future__ import annotations

import os
import pty
import re
import sys
import tomllib

import gdb

_here = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))
sys.path.append(os.path.normpath(os.path.join(_here, "../gdb")))

from callpath_gdb import assemble, commands, facts, lambdas, launch, names, pipeline, triggers  # noqa: E402


class Walk:
    """What walk.toml says of the stop: the walkthrough's own, or a variant's."""

    def __init__(self, folder: str, variant: str) -> None:
        try:
            with open(os.path.join(folder, "walk.toml"), "rb") as file:
                data = tomllib.load(file)
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise gdb.GdbError(f"{folder}/walk.toml cannot be read: {error}") from None
        chosen = next((v for v in data.get("variant", []) if v["name"] == variant), None)
        if variant and chosen is None:
            raise gdb.GdbError(f"{folder} has no variant {variant}")
        running = {**data.get("run", {}), **(chosen or {})}
        self.stop = (chosen or {}).get("stop") or data["stop"]
        self.program = os.path.join(folder, running.get("program", data["program"]))
        self.condition = (chosen or {}).get("condition", self.stop.get("condition", ""))
        self.python = running.get("python", [])
        self.terminal = running.get("terminal")
        self.environment = {**data.get("run", {}).get("environment", {}), **(chosen or {}).get("environment", {})}
        if "gdb" not in self.stop:
            raise gdb.GdbError(f"{variant or folder} has no stop under gdb")


def drive(inputs: launch.Inputs) -> None:
    pipeline.binary()
    pipeline.check_writable(inputs.out)
    commands.register()
    if not facts.table():
        raise gdb.GdbError("The table of facts is not beside the scripts, or cannot be used: this copy of callpath is not whole.")
    inputs.environment = {**WALK.environment, **inputs.environment}
    launch.load(inputs, WALK.python)
    if WALK.terminal is not None:
        _open_terminal(WALK.terminal)
    deciding: gdb.Symbol | None = None
    for step in WALK.stop["gdb"]:
        if "lambdas_of" in step:
            _stop_in_lambda(step["lambdas_of"], deciding)
            _verify(deciding, inputs.condition)
        elif "function" in step:
            deciding = _stop_in(step["function"], inputs.condition if step.get("condition") is True else step.get("condition") or "")
        else:
            for command in step["commands"]:
                _command(command)
    commands.write_record(inputs.out, _trigger(inputs.condition))


def _trigger(condition: str) -> assemble.Trigger:
    if "at" in WALK.stop:
        return assemble.Trigger("probe", WALK.stop["at"], condition)
    return triggers.last()


def _command(command: str) -> None:
    """A gdb command; one that runs the program must leave it alive."""
    if re.match(r"(run|continue)\b", command):
        launch._go(command)
    else:
        gdb.execute(command, to_string=True)


def _stop_in(function: str, condition: str) -> gdb.Symbol:
    """Pending until the library is loaded; gdb finds each instantiation and capability by the name without template arguments."""
    stop = launch.Stop(function, condition)
    try:
        launch.resume() if gdb.selected_inferior().pid else launch.run()
    except launch.NotReached:
        if stop.problem:
            raise gdb.GdbError(stop.problem) from None
        raise
    stop.delete()
    return gdb.selected_frame().function()


def _stop_in_lambda(functions: str, kernel: gdb.Symbol | None) -> None:
    module = gdb.solib_name(gdb.selected_frame().pc()) or gdb.current_progspace().filename
    found = lambdas.defined_in(functions, module)
    if not found:
        raise gdb.GdbError(f"The lambdas of {kernel.name if kernel else functions} have no code of their own in this build: they are inlined. Use the teach build.")
    stops = [launch.Stop(name) for name in found]
    launch.resume()
    for stop in stops:
        stop.delete()


def _verify(kernel: gdb.Symbol | None, condition: str) -> None:
    """That the stop is what was asked for: a lambda innermost, the function that decided outward of it, the condition true there."""
    innermost = gdb.newest_frame()
    running = names.symbol_at(innermost.pc())
    if running is None or "lambda" not in running[0]:
        raise launch.NotReached(f"The program stopped in {innermost.name()}, which is no lambda.")
    if kernel is None:
        return
    frame = innermost.older()
    while frame is not None and not (frame.function() and frame.function().linkage_name == kernel.linkage_name):
        frame = frame.older()
    if frame is None:
        raise launch.NotReached(f"The lambda that was reached was not called by {kernel.name}.")
    frame.select()
    if condition and not gdb.parse_and_eval(condition):
        raise launch.NotReached(f"A lambda was reached, but {condition} does not hold in {kernel.name}.")
    innermost.select()


def _open_terminal(typed: str) -> None:
    """The program's input and output: a terminal at which something was typed already. What it prints stays in the terminal."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    gdb.execute(f"set inferior-tty {os.ttyname(theirs)}", to_string=True)


def _walk() -> Walk:
    folder = os.environ.get("CALLPATH_WALK")
    if not folder:
        raise gdb.GdbError("CALLPATH_WALK is not set: it names the lesson's folder. See walkthroughs/README.md.")
    return Walk(os.path.abspath(folder), os.environ.get("CALLPATH_VARIANT", ""))


try:
    WALK = _walk()
except gdb.GdbError as error:
    launch.say(str(error))
    gdb.execute(f"quit {launch.FAILED}")
launch.main(drive, WALK.program, WALK.condition)
