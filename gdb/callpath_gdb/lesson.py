"""`callpath lesson`, `next`, `answer`, `again`: a walkthrough at gdb's own prompt. Between two steps the learner types what he likes.

What a lesson says and which answers are right comes from `callpath teach NN --dump`; walkthroughs/README.md has its form. A step's plain gdb commands are
run as they stand there, each shown before what it says.
"""

from __future__ import annotations

import json
import shlex
import tempfile
import textwrap

import gdb

from . import launch, pipeline, settings, words

_open: Lesson | None = None
_SENTENCE = 'Go on with `callpath next`. Lost? `callpath again` brings you back to this step.'


class Open(gdb.Command):
    """Take a walkthrough step by step at this prompt.

Usage: callpath lesson NN [-zh]

Then `callpath next` goes on, `callpath answer N` answers, and `callpath
again` brings the program back to the step. In between type what you like:
the steps show the plain gdb commands that lead there.

  -zh    In Chinese.

Example: callpath lesson 01"""

    usage = "callpath lesson NN [-zh]"

    def __init__(self) -> None:
        super().__init__("callpath lesson", gdb.COMMAND_SUPPORT)

    def invoke(self, argument: str, from_tty: bool) -> None:
        global _open
        words = gdb.string_to_argv(argument)
        language = ["--lang", "zh"] if "-zh" in words else []
        numbers = [word for word in words if word != "-zh"]
        if len(numbers) != 1 or numbers[0].startswith("-"):
            raise gdb.GdbError(f"Which lesson? Usage: {self.usage}. `callpath walk` in a shell lists them.")
        if _open is not None:
            _open.take_away()
            _open = None
        lesson = Lesson(_told(pipeline.run(["teach", numbers[0], "--dump", *language], "")))
        lesson.begin()
        _open = lesson

    def complete(self, text: str, word: str) -> list[str]:
        return ["zh"] if text.rpartition(" ")[2].startswith("-") else []


class Next(gdb.Command):
    """Go on to the next step of the lesson.

Usage: callpath next

Runs the step's plain gdb commands, shows each, then says what to look at.
Breakpoints of your own are off while they run."""

    def __init__(self) -> None:
        super().__init__("callpath next", gdb.COMMAND_SUPPORT)

    def invoke(self, argument: str, from_tty: bool) -> None:
        _nothing(argument, "callpath next")
        _current().next()


class Again(gdb.Command):
    """Come back to the lesson's step, wherever the program is now.

Usage: callpath again

Runs the program anew through the plain gdb commands of all steps up to this
one, and says again what to look at. Breakpoints of your own stay."""

    def __init__(self) -> None:
        super().__init__("callpath again", gdb.COMMAND_SUPPORT)

    def invoke(self, argument: str, from_tty: bool) -> None:
        _nothing(argument, "callpath again")
        _current().again()


class Answer(gdb.Command):
    """Answer the question of the lesson's step.

Usage: callpath answer N

N is the number of an option; where there are none, the answer in words."""

    def __init__(self) -> None:
        super().__init__("callpath answer", gdb.COMMAND_SUPPORT)

    def invoke(self, argument: str, from_tty: bool) -> None:
        if not argument.strip():
            raise gdb.GdbError("What is the answer? Usage: callpath answer N")
        _current().answer(argument.strip())


def _told(text: str) -> dict:
    """A lesson as `callpath teach --dump` prints it. Raises gdb.GdbError for what is none."""
    try:
        told = json.loads(text)
        whole = all(key in told for key in ("number", "title", "asks", "program")) and bool(told["steps"])
        whole = whole and all(key in step for step in told["steps"] for key in ("title", "text", "gdb", "questions"))
    except (ValueError, TypeError, KeyError):
        whole = False
    if not whole:
        raise gdb.GdbError("What callpath teach prints is no lesson that these scripts know: both must be of one version.")
    return told


def _nothing(argument: str, usage: str) -> None:
    if argument.strip():
        raise gdb.GdbError(f"'{argument.strip()}' is too much. Usage: {usage}")


def _current() -> Lesson:
    if _open is None:
        raise gdb.GdbError("No lesson is open: `callpath lesson 01` opens the first.")
    return _open


class Lesson:
    def __init__(self, told: dict) -> None:
        self.told, self.steps = told, told["steps"]
        self.at = 0
        self.question = 0
        self._points: list[gdb.Breakpoint] = []

    def begin(self) -> None:
        _load(self.told)
        words.write(f"{self.told['number']}  {self.told['title']}\n{self.told['asks']}\n\n{_filled(self.told.get('introduction', ''))}")
        self._show()

    def next(self) -> None:
        if self.at + 1 >= len(self.steps):
            raise gdb.GdbError("That was the last step. `callpath lesson NN` opens another lesson.")
        self.at, self.question = self.at + 1, 0
        self._run(self._step()["gdb"])
        self._show()

    def again(self) -> None:
        self.take_away()
        self._run([command for step in self.steps[: self.at + 1] for command in step["gdb"]])
        self._show()

    def answer(self, given: str) -> None:
        asked = self._questions()
        if self.question >= len(asked):
            raise gdb.GdbError("There is no question left in this step: `callpath next` goes on.")
        question = asked[self.question]
        right, said = _judged(question, given)
        words.write(said + "\n")
        if right:
            self.question += 1
            self._ask()

    def take_away(self) -> None:
        """The breakpoints that the lesson's commands made."""
        for point in self._points:
            if point.is_valid():
                point.delete()
        self._points.clear()

    def _step(self) -> dict:
        return self.steps[self.at]

    def _questions(self) -> list[dict]:
        return self._step()["questions"] + (self.told.get("transfer", []) if self.at + 1 == len(self.steps) else [])

    def _run(self, commands: list[str]) -> None:
        before = {point.number for point in gdb.breakpoints()}
        own = [point for point in gdb.breakpoints() if point.enabled and point not in self._points]
        for point in own:
            point.enabled = False
        try:
            with settings.held(confirm=False, pagination=False):
                _execute(commands)
        except gdb.error as error:
            words.write(f"callpath: {error}\nThe program is not where this step wants it. `callpath again` brings it there.\n", gdb.STDERR)
        finally:
            self._points += [point for point in gdb.breakpoints() if point.number not in before]
            for point in own:
                if point.is_valid():
                    point.enabled = True

    def _show(self) -> None:
        step = self._step()
        words.write(f"\n[{self.at + 1}/{len(self.steps)}] {step['title']}\n\n{_filled(step['text'])}")
        self._ask()

    def _ask(self) -> None:
        asked = self._questions()
        if self.question < len(asked):
            question = asked[self.question]
            lines = [question["ask"], *([f"    {question['line']}"] if question.get("line") else [])]
            lines += [f"  {number}  {option['text']}" for number, option in enumerate(question.get("options", []), 1)]
            words.write("\n" + "\n".join([*lines, "Answer with `callpath answer N`."]) + "\n")
        elif self.at + 1 < len(self.steps):
            words.write(_SENTENCE + "\n")
        else:
            words.write("That was the last step.\n")


def _load(told: dict) -> None:
    """The lesson's program under the interpreter that gdb has, else under the system's."""
    from . import interpreter

    loaded = gdb.current_progspace().filename
    python = loaded if loaded and interpreter.in_program() else "/usr/bin/python3"
    with settings.held(confirm=False):
        if gdb.selected_inferior().pid:
            gdb.execute("kill", to_string=True)
        launch.load(launch.Inputs(out="", python=python, script=told["program"], condition="", environment=told.get("environment") or {}))
        gdb.execute(f"set args {shlex.join([*(told.get('python') or []), told['program']])}", to_string=True)


def _execute(commands: list[str]) -> None:
    """One after the other, as if typed; what reaches over several lines (python, while, commands) as one."""
    at = 0
    while at < len(commands):
        block = _block(commands, at)
        for line in block:
            words.write(f"(gdb) {line}\n")
        gdb.flush()
        if len(block) == 1:
            gdb.execute(block[0])
        else:
            with tempfile.NamedTemporaryFile("w", suffix=".gdb", encoding="utf-8") as file:
                file.write("\n".join(block) + "\n")
                file.flush()
                gdb.execute(f"source {file.name}")
        at += len(block)


_OPENS = ("while", "if", "python", "define", "document", "commands")


def _block(commands: list[str], at: int) -> list[str]:
    depth, end = 0, at
    while end < len(commands):
        words = commands[end].split()
        depth += bool(words and words[0] in _OPENS and not (words[0] == "python" and len(words) > 1)) - bool(words[:1] == ["end"])
        end += 1
        if depth <= 0:
            break
    return commands[at:end]


def _judged(question: dict, given: str) -> tuple[bool, str]:
    options = question.get("options") or []
    if not options:
        wanted = str(question.get("answer", ""))
        return (True, f"Yes: {wanted}.") if given.lower() == wanted.lower() else (True, f"It is {wanted}.")
    if not given.isdigit() or not 1 <= int(given) <= len(options):
        raise gdb.GdbError(f"The options are 1 to {len(options)}. Usage: callpath answer N")
    option = options[int(given) - 1]
    if option["right"]:
        return True, f"Yes: {option['text']}."
    instead = f" That is what happens in the variant {option['variant']}." if option.get("variant") else ""
    return False, f"No.{instead} Look again, then answer again."


def _filled(markdown: str) -> str:
    """Paragraphs to the terminal's width; code, tables, lists and quotations as they stand."""
    width = gdb.parameter("width") or 0
    parts, fenced = [], False
    for part in markdown.strip().split("\n\n"):
        verbatim = fenced or part.startswith(("```", "|", "-", ">", " ", "1.", "<")) or not width
        fenced ^= part.count("```") % 2 == 1
        parts.append(part if verbatim else textwrap.fill(" ".join(part.split()), min(width, 100), break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(parts) + "\n" if parts != [""] else ""
