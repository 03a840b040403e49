"""Random call nests as Python source. Each function writes itself down on entry (push) and takes itself off on exit (pop).

A kind is a template of definitions at the top of a module, in which `@n()` runs `@c`, the call of the next level. @push(NAME) and @pop are
the log, @h perhaps a look at the stack. Frames whose name holds "quiet" do not write themselves down and are not compared.
"""

from __future__ import annotations

import random
import re
import sys

INLINED_COMPREHENSIONS = sys.version_info >= (3, 12)

KINDS: dict[str, str] = {}

KINDS["plain"] = """
def @n(): @push(@n); @h; @c; @h; @pop
"""
KINDS["recursion"] = """
def @n(d=@depth):
    @push(@n)
    if d: @n(d - 1)
    else: @c
    @pop
"""
KINDS["nested function"] = """
def @n():
    @push(@n)
    def inner(*args, **names): @push(@n.<locals>.inner); @c; @pop
    inner(1, *(2, 3), **{"a": 4})
    @pop
"""
KINDS["except and finally"] = """
def @n_raise():
    @push(@n_raise)
    try: raise KeyError(1)
    finally: @h; @pop
def @n():
    @push(@n)
    try: @n_raise()
    except KeyError: @c
    @pop
"""
KINDS["generator"] = """
def @n_g():
    @push(@n_g); @h; @pop
    yield 1
    @push(@n_g); @c; @pop
def @n():
    @push(@n)
    waiting = @n_g(); next(waiting)
    for _ in @n_g(): @h
    waiting = None
    @pop
"""
KINDS["generator that delegates"] = """
def @n_g():
    @push(@n_g); @c; @pop
    return 1
    yield
def @n_d(): @push(@n_d); yield from @n_g(); @pop
def @n(): @push(@n); assert list(@n_d()) == []; @pop
"""
KINDS["generator closed"] = """
def @n_g():
    try: yield
    except (GeneratorExit, LookupError): @push(@n_g); @c; @pop
def @n(): @push(@n); g = @n_g(); next(g); g.close(); @pop
"""
KINDS["generator thrown into"] = """
def @n_g():
    try: yield
    except LookupError: @push(@n_g); @c; @pop
def @n():
    @push(@n)
    g = @n_g(); next(g)
    try: g.throw(LookupError())
    except StopIteration: @h
    @pop
"""
KINDS["generator expression"] = """
def @n(): @push(@n); list((@push(@n.<locals>.<genexpr>), @c, @pop) for _ in (1,)); @pop
"""
for brackets, name in (("[@]", "<listcomp>"), ("{1: @}", "<dictcomp>"), ("{@}", "<setcomp>")):
    inner = "@c" if INLINED_COMPREHENSIONS else f"(@push(@n.<locals>.{name}), @c, @pop)[0]"
    loop = "[@ for _ in (1,)]" if name == "<listcomp>" else "{1: @ for _ in (1,)}" if name == "<dictcomp>" else "{@ for _ in (1,)}"
    KINDS["comprehension " + name] = f"\ndef @n(): @push(@n); {loop.replace('@', inner, 1)}; @pop\n"
KINDS["coroutine"] = """
async def @n_a(): @push(@n_a); @c; @pop
async def @n_b(): @push(@n_b); await @n_a(); @pop
def @n():
    @push(@n)
    try: @n_b().send(None)
    except StopIteration: pass
    @pop
"""
KINDS["coroutine that was suspended"] = """
class @n_W:
    def __await__(self): yield
async def @n_a(): @push(@n_a); @c; @pop
async def @n_quiet_a(): await @n_W(); await @n_a()
async def @n_quiet(): await @n_quiet_a()
def @n():
    @push(@n)
    task = @n_quiet(); task.send(None)
    try: task.send(None)
    except StopIteration: pass
    @pop
"""
KINDS["asynchronous generator"] = """
async def @n_g():
    @push(@n_g); @h; @pop
    yield 1
    @push(@n_g); @c; @pop
async def @n_a():
    @push(@n_a)
    async for _ in @n_g(): @h
    @pop
def @n():
    @push(@n)
    try: @n_a().send(None)
    except StopIteration: pass
    @pop
"""
KINDS["asyncio"] = """
async def @n_a():
    @push(@n_a); @c; @pop
async def @n_m(): await asyncio.create_task(@n_a())
def @n(): @push(@n); loop = asyncio.new_event_loop(); loop.run_until_complete(@n_a()); loop.close(); @pop
"""
for name, call in {
    "sorted": "sorted([1], key=@f)", "list.sort": "[1].sort(key=@f)", "min": "min([1, 2], key=@once)", "map": "list(map(@f, [1]))",
    "filter": "list(filter(@f, [1]))", "reduce": "functools.reduce(@f, [1, 2])", "partial": "functools.partial(@f, 1)()",
    "lru_cache": "functools.lru_cache(@f)(1)", "cmp_to_key": "sorted([2, 1], key=functools.cmp_to_key(@once))",
    "iter of a callable": "next(iter(@f, 1))", "str.join": "''.join(map(@text, [1]))", "re.sub": "re.sub('x', @text, 'x')",
    "accumulate": "list(itertools.accumulate([1, 2], @f))", "methodcaller": "operator.methodcaller('__call__')(@f)",
    "json default": "json.dumps(object(), default=@text)", "native: call": "call(@f)",
    "native: call with a tuple": "call_tuple(@f)", "native: qsort": "qsort(@f)", "native: recursion": "descend(@f)",
    "native: GIL released": "without_gil(@f)", "native: nested PyGILState": "ensure(@f)", "native: no frame pointer": "lean(@f)",
    "native: signal": "signal(@f)",
    "frame evaluator of PEP 523": "under_evaluator(@f)",
}.items():  # fmt: skip
    body = "lambda *_: (@push(@n.<locals>.<lambda>), @c, @pop, {})[3]"
    call = call.replace("@once", "iter_once(@f)").replace("@f", body.format("0")).replace("@text", body.format("''"))
    KINDS["callback: " + name] = f"\ndef @n(): @push(@n); {call}; @pop\n"
KINDS["weak reference"] = """
def @n():
    @push(@n)
    class K: pass
    k = K()
    watch = weakref.ref(k, lambda _: (@push(@n.<locals>.<lambda>), @c, @pop)[0])
    del k
    @pop
"""
for method, value, use in (
    ("__lt__", "True", "K() < K()"), ("__eq__", "True", "K() == 1"), ("__hash__", "1", "{K(): 1}"), ("__index__", "1", "operator.index(K())"),
    ("__repr__", "''", "repr(K())"), ("__format__", "''", "f'{K()}'"), ("__bool__", "True", "not K()"), ("__len__", "0", "len(K())"),
    ("__contains__", "True", "1 in K()"), ("__iter__", "iter(())", "list(K())"), ("__call__", "0", "K()(1)"), ("__getitem__", "0", "K()[1:2]"),
    ("__setitem__", "0", "K().__setitem__(1, 2)"), ("__add__", "0", "K() + 1"), ("__radd__", "0", "1 + K()"), ("__iadd__", "0", "operator.iadd(K(), 1)"),
    ("__pow__", "0", "K() ** 2"), ("__getattr__", "0", "K().absent"), ("__del__", "None", "K()"), ("__init__", "None", "K()"), ("__setattr__", "None", "setattr(K(), 'a', 1)"),
    ("__reversed__", "iter(())", "list(reversed(K()))"), ("m", "0", "method(K())"), ("__lt__", "True", "compare(K())"), ("__del__", "None", "release([K()])"),
    ("__getattr__", "0", "attribute(K())"), ("__next__", "0", "next_of(iter_of(K()))"), ("__float__", "1.0", "float(K())"),
):  # fmt: skip
    by = use.split("(")[0] if use[0].islower() and "'" not in use.split("(")[0] else "its operator"
    KINDS[f"special method: {method} by {by}"] = f"""
def @n():
    @push(@n)
    class K:
        def {method}(self, *_): @push(@n.<locals>.K.{method}); @c; @pop; return {value}
    {use}
    @pop
"""
KINDS["property"] = """
class @n_K:
    @property
    def p(self): @push(@n_K.p); @c; @pop
def @n(): @push(@n); @n_K().p; @pop
"""
KINDS["descriptor"] = """
class @n_D:
    def __get__(self, instance, owner): @push(@n_D.__get__); @c; @pop
    def __set__(self, instance, value): @push(@n_D.__set__); @h; @pop
class @n_K: d = @n_D()
def @n(): @push(@n); k = @n_K(); k.d = 1; k.d; @pop
"""
KINDS["__set_name__"] = """
class @n_D:
    def __set_name__(self, owner, name): @push(@n_D.__set_name__); @c; @pop
def @n():
    @push(@n)
    class K: d = @n_D()
    @pop
"""
KINDS["__init_subclass__"] = """
class @n_B:
    def __init_subclass__(cls): @push(@n_B.__init_subclass__); @c; @pop
def @n():
    @push(@n)
    class K(@n_B): pass
    @pop
"""
KINDS["metaclass"] = """
class @n_M(type):
    def __prepare__(name, bases): @push(@n_M.__prepare__); @h; @pop; return {}
    def __new__(cls, *a): @push(@n_M.__new__); @h; made = super().__new__(cls, *a); @pop; return made
    def __call__(cls, *a): @push(@n_M.__call__); @c; made = super().__call__(*a); @pop; return made
def @n():
    @push(@n)
    class K(metaclass=@n_M):
        @push(@n.<locals>.K); @h; @pop
    K()
    @pop
"""
KINDS["class body"] = """
def @n():
    @push(@n)
    class K:
        @push(@n.<locals>.K)
        class L: @push(@n.<locals>.K.L); @c; @pop
        @pop
    @pop
"""
KINDS["context manager"] = """
class @n_K:
    def __enter__(self): @push(@n_K.__enter__); @h; @pop
    def __exit__(self, *_): @push(@n_K.__exit__); @c; @pop
def @n():
    @push(@n)
    with @n_K(): @h
    @pop
"""
KINDS["contextlib"] = """
def @n_m():
    @push(@n_m); @h; @pop
    yield
    @push(@n_m); @c; @pop
@n_m = contextlib.contextmanager(@n_m)
def @n():
    @push(@n)
    with @n_m(): @h
    @pop
"""
KINDS["exec"] = """
def @n(): @push(@n); exec(compile("@push(<module>); @c; @pop", "<nest exec>", "exec"), globals()); @pop
"""
KINDS["eval"] = """
def @n(): @push(@n); eval(compile("(@push(<module>), @c, @pop)", "<nest eval>", "eval"), globals()); @pop
"""
KINDS["import"] = """
def @n(): @push(@n); imported("@push(<module>); @c; @pop\\n", globals()); @pop
"""
KINDS["tracing active"] = """
def @n():
    @push(@n)
    before = sys.gettrace()
    sys.settrace(lambda *_: None); @c; sys.settrace(before)
    @pop
"""
KINDS["traced by line and opcode"] = """
def @n_quiet_trace(frame, event, argument):
    frame.f_trace_opcodes = True
    return @n_quiet_trace
def @n():
    @push(@n)
    before = sys.gettrace()
    sys.settrace(@n_quiet_trace); @c; sys.settrace(before)
    @pop
"""
KINDS["trace function"] = """
def @n_t(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "@n_quiet":
        @push(@n_t); @c; @pop
def @n_quiet(): pass
def @n():
    @push(@n)
    before = sys.gettrace()
    sys.settrace(@n_t); @n_quiet(); sys.settrace(before)
    @pop
"""
KINDS["profile function"] = """
def @n_p(frame, event, argument):
    if event == "return" and frame.f_code.co_name == "@n_quiet":
        @push(@n_p); @c; @pop
def @n_quiet(): pass
def @n():
    @push(@n)
    before = sys.getprofile()
    sys.setprofile(@n_p); @n_quiet(); sys.setprofile(before)
    @pop
"""
KINDS["profiling active"] = """
def @n():
    @push(@n)
    before = sys.getprofile()
    sys.setprofile(lambda *_: None); @c; sys.setprofile(before)
    @pop
"""
KINDS["thread"] = """
def @n_t(): @push(@n_t); @c; @pop
def @n():
    @push(@n)
    thread = threading.Thread(target=@n_t); thread.start(); thread.join()
    @pop
"""
KINDS["thread through PyGILState"] = """
def @n_t(): @push(@n_t); @c; @pop
def @n(): @push(@n); foreign(); thread_of_c(@n_t); @pop
"""
KINDS["ctypes callback"] = """
def @n_t(*_): @push(@n_t); @c; @pop; return 0
def @n(): @push(@n); ctypes.CFUNCTYPE(ctypes.c_int)(@n_t)(); @pop
"""
KINDS["signal handler"] = """
def @n_s(*_): @push(@n_s); @c; @pop
def @n():
    @push(@n)
    before = signal_module.signal(signal_module.SIGUSR1, @n_s); signal_module.raise_signal(signal_module.SIGUSR1)
    for _ in range(3): pass
    signal_module.signal(signal_module.SIGUSR1, before)
    @pop
"""
KINDS["subinterpreter"] = """
def @n(): @push(@n); in_subinterpreter(@program); @pop
"""
KINDS["greenlet"] = """
def @n_t(): @push(@n_t); @c; @pop
def @n(): @push(@n); in_greenlet(@n_t); @h; @pop
"""
KINDS["greenlet that switches back"] = """
def @n_t(): @push(@n_t); @h; switch_back(); @h; @pop
def @n(): @push(@n); g = in_greenlet(@n_t); @c; g.switch(); @pop
"""
EVALUATOR = "callback: frame evaluator of PEP 523"
GREENLETS = {"greenlet", "greenlet that switches back"}

ONLY_IN_MAIN_THREAD = {"signal handler", "subinterpreter"}
ONLY_ONCE = {"asyncio", "subinterpreter", "thread", "thread through PyGILState", "callback: native: nested PyGILState"}
THREADS = {"thread", "thread through PyGILState"}
NOT_IN_SUBINTERPRETER = {"callback: native: nested PyGILState", "thread through PyGILState", "ctypes callback", "asyncio", "thread"} | GREENLETS


def _fill(template: str, kind: str, name: str, child: str, chance: random.Random, program: str) -> str:
    def pushed(match: re.Match[str]) -> str:
        return f"push('{match[1]}', '{kind}')"

    if "@program" in template:
        template = template.replace("@program", repr(program))
        child = ""
    quotes = '\\"' if kind in ("exec", "eval", "import") else '"'
    text = template.replace("@c", child).replace("@n", name).replace("@depth", str(chance.choice((1, 3, 20, 60))))
    while "@h" in text:
        text = text.replace("@h", chance.choice(["None", f"here({quotes}{kind}{quotes})"]), 1)
    text = re.sub(r"@push\(([^)]*)\)", pushed, text)
    return text.replace("@pop", "pop()")


def program(seed: int, usable: set[str], in_subinterpreter: bool = False) -> str:
    """A module whose run is one nest: a chain of random kinds with a look at the stack from its innermost point."""
    chance = random.Random(seed)
    depth = chance.choice((1, 2, 3, 5, 8, 12)) if not in_subinterpreter else chance.randint(1, 3)
    used: set[str] = set()
    parts, names, main_thread = [], [], not in_subinterpreter
    for level in range(depth):
        barred = used & ONLY_ONCE | (set() if main_thread else ONLY_IN_MAIN_THREAD) | (NOT_IN_SUBINTERPRETER if in_subinterpreter else set())
        if used & GREENLETS:  # An evaluator would write down on one greenlet's log what ends on another's.
            barred = barred | {EVALUATOR}
        if EVALUATOR in used:
            barred = barred | GREENLETS
        kind = chance.choice(sorted(usable - barred))
        used.add(kind)
        main_thread = main_thread and kind not in THREADS
        names.append(kind)
        inner = program(seed + 1_000_000, usable, True) if kind == "subinterpreter" else ""
        child = f"f{level + 1}()" if level + 1 < depth else "here('innermost')"
        parts.append(_fill(KINDS[kind], kind, f"f{level}", child, chance, inner))
        if kind == "subinterpreter":
            break
    return "".join(parts) + "\npush('<module>', 'module'); f0(); pop()\n"
