"""Walkthrough 01 under gdb: stop in the lambda that the kernel chose for the exponent, and record. Run as walkthroughs/README.md says.

First the function that defines the lambdas, when its exponent is the one asked for; then whichever of its lambdas runs. No hit is ever counted: the
other power on the line reaches the same function first and is passed over because its exponent is another.
"""

from __future__ import annotations

import os
import sys
import tomllib

import gdb

_here = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))
sys.path.append(os.path.normpath(os.path.join(_here, "../../gdb")))

from callpath_gdb import assemble, commands, facts, lambdas, launch, names, pipeline  # noqa: E402

with open(os.path.join(_here, "walk.toml"), "rb") as _file:
    WALK = tomllib.load(_file)
STOP = WALK["stop"]


def drive(inputs: launch.Inputs) -> None:
    pipeline.binary()
    pipeline.check_writable(inputs.out)
    if not facts.table():
        raise gdb.GdbError("The table of facts is not beside the scripts, or cannot be used: this copy of callpath is not whole.")
    launch.load(inputs)
    kernel = _stop_in_kernel(inputs.condition)
    _stop_in_lambda(kernel)
    _verify(kernel, inputs.condition)
    commands.write_record(inputs.out, assemble.Trigger("probe", STOP["probe"], inputs.condition))


def _stop_in_kernel(condition: str) -> gdb.Symbol:
    """Pending until the library is loaded; gdb finds each instantiation and capability by the name without template arguments."""
    stop = launch.Stop(STOP["function"], condition)
    try:
        launch.run()
    except launch.NotReached:
        if stop.problem:
            raise gdb.GdbError(stop.problem) from None
        raise
    stop.delete()
    return gdb.selected_frame().function()


def _stop_in_lambda(kernel: gdb.Symbol) -> None:
    module = gdb.solib_name(gdb.selected_frame().pc()) or gdb.current_progspace().filename
    found = lambdas.defined_in(STOP["lambdas_of"], module)
    if not found:
        raise gdb.GdbError(f"The lambdas of {kernel.name} have no code of their own in this build: they are inlined. Use the teach build.")
    stops = [launch.Stop(name) for name in found]
    launch.resume()
    for stop in stops:
        stop.delete()


def _verify(kernel: gdb.Symbol, condition: str) -> None:
    """That the stop is what was asked for: a lambda innermost, the kernel outward of it, the condition true there."""
    innermost = gdb.newest_frame()
    running = names.symbol_at(innermost.pc())
    if running is None or "lambda" not in running[0]:
        raise launch.NotReached(f"The program stopped in {innermost.name()}, which is no lambda.")
    frame = innermost.older()
    while frame is not None and not (frame.function() and frame.function().linkage_name == kernel.linkage_name):
        frame = frame.older()
    if frame is None:
        raise launch.NotReached(f"The lambda that was reached was not called by {STOP['function']}.")
    frame.select()
    if condition and not gdb.parse_and_eval(condition):
        raise launch.NotReached(f"A lambda was reached, but {condition} does not hold in {STOP['function']}.")
    innermost.select()


launch.main(drive, os.path.join(_here, WALK["program"]), STOP["condition"])
