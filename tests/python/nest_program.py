"""Runs generated call nests in the interpreter that starts it and prints what was found as JSON.

nest_program.py LIBRARY FOLDER FIRST COUNT [FAULT]: the library that captures, the folder of nest_helpers and of generated modules, seeds.
"""

# ruff: noqa: F401 - what generated programs use
import asyncio
import contextlib

import functools
import gc
import importlib
import itertools
import json
import operator
import os
import re
import signal as signal_module
import sys
import threading
import weakref

try:
    import ctypes
except ImportError:  # in a subinterpreter
    ctypes = None

try:
    import greenlet
except ImportError:
    greenlet = None

from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, sys.argv[2])
import nest_kinds
from nest_helpers import attribute, call, call_tuple, compare, depth, descend, ensure, foreign, here, lean, method, new_log, next_of, pop, push, qsort, release, report, signal, start, under_evaluator, use_log, without_gil
from nest_helpers import thread as thread_of_c

try:
    import _xxsubinterpreters as subinterpreters
except ImportError:
    try:
        import _interpreters as subinterpreters
    except ImportError:
        subinterpreters = None

modules_made = 0


def iter_once(function):
    """The function at the first call, nothing afterwards."""
    calls = []

    def quiet(*arguments):
        calls.append(1)
        return function(*arguments) if len(calls) == 1 else 0

    return quiet


class iter_of:
    """An iterator of C's eyes whose __next__ is another object's."""

    def __init__(self, other):
        self.other = other

    def __iter__(self):
        return self

    def __next__(self):
        return type(self.other).__next__(self.other)


def imported(source, names):
    """Imports a module of this source, made anew; its globals begin with `names`."""
    global modules_made
    modules_made += 1
    name = f"nest_module_{modules_made % 7}"
    file = Path(sys.argv[2]) / f"{name}.py"
    file.write_text(f"globals().update(__import__('sys').nest_names)\n{source}")
    sys.nest_names = names
    sys.modules.pop(name, None)
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    importlib.import_module(name)
    sys.modules.pop(name, None)
    file.unlink()


def in_greenlet(function):
    """Runs it in a greenlet until it ends or switches back."""

    def quiet():
        made.log_outside = use_log(new_log())
        function()
        use_log(made.log_outside)

    made = greenlet.greenlet(quiet)
    made.switch()
    return made


def switch_back():
    me = greenlet.getcurrent()
    mine = use_log(me.log_outside)
    me.parent.switch()
    me.log_outside = use_log(mine)


PRELUDE = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), sys.argv[2]]!r}
sys.argv = {sys.argv!r}
import nest_program
exec(compile(SOURCE, '<nest in a subinterpreter>', 'exec'), dict(vars(nest_program)))
"""


def in_subinterpreter(source):
    inside = subinterpreters.create()
    try:
        said = subinterpreters.run_string(inside, f"SOURCE = {source!r}\n{PRELUDE}")
        if said is not None:
            raise RuntimeError(str(said))
    finally:
        subinterpreters.destroy(inside)


def usable_kinds():
    kinds = set(nest_kinds.KINDS) - (set() if greenlet else nest_kinds.GREENLETS)
    return kinds if subinterpreters else kinds - {"subinterpreter"}


def main():
    library, folder, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    start(library, folder, sys.argv[5] if len(sys.argv) > 5 else "")
    usable, failures = usable_kinds(), []
    gc.disable()  # A collection closes what earlier programs left suspended, in the middle of functions that had no time to write themselves down.
    for seed in range(first, first + count):
        source = nest_kinds.program(seed, usable)
        try:
            exec(compile(source, f"<nest {seed}>", "exec"), dict(globals()))
            if depth():
                raise RuntimeError(f"the log is left at depth {depth()}")
        except BaseException as error:
            failures.append(f"seed {seed}: {type(error).__name__}: {error}\n{source}")
            while depth():
                pop()
        gc.collect()
    print(json.dumps({**report(), "failures": failures[:10], "failed": len(failures), "programs": count}))


if __name__ == "__main__":
    main()
