"""`callpath frame`, `callpath up`, `callpath down`: gdb's own frames, explained, and steps from layer to layer."""

from __future__ import annotations

import gdb

from . import assemble, stage, words

_EVALUATION = "_PyEval_EvalFrameDefault"


class Frame(gdb.Command):
    """Select a frame and explain it: source, arguments, decisions.

Usage: callpath frame [N]

N is gdb's own number, as `bt` and `callpath bt` print it; without it, the
selected frame. For a frame that runs Python, the Python function, its line
and the instruction it stands at are shown too.

  -by-hand   Print the plain gdb commands that show the same.

Example: callpath frame 18"""

    usage = "callpath frame [N] [-by-hand]"

    def __init__(self) -> None:
        super().__init__("callpath frame", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        given = words.split(argument, self.usage, most=1)
        assemble.require_stopped_thread()
        number = _number(given.at(0), self.usage)
        if given.by_hand:
            words.show(by_hand(number))
            return
        select(number)
        explain(number)

    def complete(self, text: str, word: str) -> object:
        return words.completed(text)


class Up(gdb.Command):
    """Select and explain the next outer layer's nearest frame.

Usage: callpath up [COUNT]

  -by-hand   Print the plain gdb commands that show the same."""

    usage = "callpath up [COUNT] [-by-hand]"
    direction = 1

    def __init__(self, name: str = "callpath up") -> None:
        super().__init__(name, gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        given = words.split(argument, self.usage, most=1)
        assemble.require_stopped_thread()
        count = 1 if given.at(0) is None else _positive(given.at(0), self.usage)
        number = neighbour(self.direction * count)
        if given.by_hand:
            words.show(by_hand(number))
            return
        select(number)
        explain(number)

    def complete(self, text: str, word: str) -> object:
        return words.completed(text)


class Down(Up):
    """Select and explain the next inner layer's nearest frame.

Usage: callpath down [COUNT]

  -by-hand   Print the plain gdb commands that show the same."""

    usage = "callpath down [COUNT] [-by-hand]"
    direction = -1

    def __init__(self) -> None:
        super().__init__("callpath down")


def _number(text: str | None, usage: str) -> int:
    if text is None:
        return gdb.selected_frame().level()
    if not text.isdigit():
        raise gdb.GdbError(f"'{text}' is no frame number. Usage: {usage}")
    return int(text)


def _positive(text: str | None, usage: str) -> int:
    if text is None or not text.isdigit() or int(text) == 0:
        raise gdb.GdbError(f"'{text}' is no count. Usage: {usage}")
    return int(text)


def select(number: int) -> None:
    """The frame with gdb's number. Raises gdb.GdbError if the stack is shorter."""
    frame: gdb.Frame | None = gdb.newest_frame()
    while frame is not None and frame.level() < number:
        frame = frame.older()
    if frame is None:
        raise gdb.GdbError(f"There is no frame {number}: the outermost is {_outermost()}.")
    frame.select()


def _outermost() -> int:
    frame = gdb.newest_frame()
    while (older := frame.older()) is not None:
        frame = older
    return frame.level()


def neighbour(steps: int) -> int:
    """Number of the frame that many layers outward (or inward, if negative). Raises gdb.GdbError at the ends of the path."""
    runs = _layers()
    here = gdb.selected_frame().level()
    at = next((i for i, (first, last, _) in enumerate(runs) if first <= here <= last), None)
    if at is None:
        raise gdb.GdbError(f"Frame {here} is not on the path.")
    wanted = at + steps
    if wanted < 0:
        raise gdb.GdbError(f"This is the innermost layer, {runs[at][2]}: you cannot go down.")
    if wanted >= len(runs):
        raise gdb.GdbError(f"This is the outermost layer, {runs[at][2]}: you cannot go up.")
    return runs[wanted][0]


def _layers() -> list[tuple[int, int, str]]:
    """First and last number and layer of each run of frames. A frame that runs Python counts by the Python frame's layer."""
    layer_of: dict[int, str] = {}
    for frame in stage.event()["frames"]:
        number = frame.get("number")
        if number is not None and (frame["kind"] == "python" or number not in layer_of or layer_of[number] == "eval"):
            if frame["kind"] != "python" and number in layer_of:
                continue
            layer_of.setdefault(number, frame["layer"])
    runs: list[tuple[int, int, str]] = []
    for number in sorted(layer_of):
        layer = layer_of[number]
        if runs and runs[-1][2] == layer:
            runs[-1] = (runs[-1][0], number, layer)
        else:
            runs.append((number, number, layer))
    return runs


def explain(number: int) -> None:
    """What the record says of a frame."""
    native, python = stage.frames_at(number)
    if native is None and python is None:
        raise gdb.GdbError(f"Frame {number} is not on the path.")
    lines: list[str] = []
    if python is not None:
        lines += _headline(number, python) + _excerpt(python) + _instruction(python)
    if native is not None:
        lines += (_headline(number, native) if python is None else [f"  run by {native['name']}{_place(native)}"]) + _values(native)
        lines += [] if python is not None else _excerpt(native)
        lines += _missing(native)
    lines += _decisions(native, python)
    words.write("\n".join(lines) + "\n")


def _headline(number: int, frame: dict) -> list[str]:
    lines = [f"#{number}  {frame['layer']}  {frame['name']}{_place(frame)}"]
    if frame["full"] not in ("??", frame["name"]):
        lines.append(f"  {frame['full']}")
    return lines


def _place(frame: dict) -> str:
    source = frame.get("source") or {}
    return f"  {source['file'].rsplit('/', 1)[-1]}:{source.get('line') or '?'}" if source.get("file") else ""


def _excerpt(frame: dict) -> list[str]:
    source = frame.get("source") or {}
    excerpt = source.get("excerpt")
    if not excerpt:
        return []
    numbered = enumerate(excerpt["lines"], excerpt["first"])
    return [f"  {'>' if n == source['line'] else ' '} {n:>5}  {text}".rstrip() for n, text in numbered if abs(n - source["line"]) <= 2]


def _instruction(frame: dict) -> list[str]:
    instruction = (frame.get("python") or {}).get("instruction")
    if not instruction:
        return []
    base, special = instruction["opcode"], instruction.get("specialized") or ""
    name = f"{base} (running as {special})" if special and special != base else base
    return [f"  Python instruction at {instruction['offset']}: {name} {instruction.get('argrepr') or ''}".rstrip()]


def _values(frame: dict) -> list[str]:
    return [f"  {v['name']} = {v['value'] if 'value' in v else '<' + v.get('reason', '') + '>'}" for v in frame.get("arguments") or []]


def _missing(frame: dict) -> list[str]:
    missing = frame.get("missing")
    if not missing:
        return []
    return [f"  {missing['what']}." + (f" To mend it: {missing['remedy']}" if missing.get("remedy") else "")]


def _decisions(*shown: dict | None) -> list[str]:
    event = stage.event()
    wanted = [i for i, frame in enumerate(event["frames"]) if any(frame is one for one in shown)]
    lines = []
    for decision in event.get("decisions") or []:
        if decision["frame"] in wanted:
            options = " ".join(f"[{o}]" if o == decision["taken"] else str(o) for o in decision["options"])
            lines.append(f"  {decision['question']}  {options}")
    return lines


def by_hand(number: int) -> list[str]:
    """Plain gdb commands for one frame."""
    commands = [f"frame {number}", "info args"]
    native, python = stage.frames_at(number)
    if native is not None and native["name"].startswith(_EVALUATION) and python is not None:
        commands += python_frame_by_hand(number)
    return commands


def python_frame_by_hand(number: int) -> list[str]:
    """The innermost Python frame of an evaluation: from the chain of the thread, so many evaluations in. It works where `frame` is optimised out."""
    address = _address_of_python_frame(number)
    if address is None:
        return []
    from . import interpreter

    code, at = interpreter.by_hand_code("$f"), interpreter.by_hand_instruction("$f")
    return [
        f"set $f = (_PyInterpreterFrame *) {address:#x}",
        f'printf "%s at instruction %d\\n", (char *)((PyASCIIObject *) {code}->co_qualname + 1), (int)((char *) {at} - (char *) {code}->co_code_adaptive)',
    ]


def _address_of_python_frame(number: int) -> int | None:
    from . import interpreter, merge, modules, native, pyframes

    found = interpreter.find()
    if not isinstance(found, interpreter.Interpreter):
        return None
    thread = gdb.selected_thread()
    stack = pyframes.Reader(found).read(thread.ptid[1] or thread.ptid[2])
    merged = merge.by_address(native.walk(modules.Modules()).entries, stack)
    for item in merged.order:
        if isinstance(item, tuple) and item[0] is not None and item[0].level == number:
            return item[1].address
    return None
