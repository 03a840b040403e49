"""The article's stops in CPython itself: a class that is built, a code object that is made, the copy of its bytecode; on both of Debian's builds.

One session an interpreter. What is expected comes from gdb's own backtrace, from `ast` and `compile` in this process, and from lists that were read
off plain gdb sessions.
"""

from __future__ import annotations

import ast
import json
import re
import struct
from pathlib import Path

import pytest
from gdb_support import BUILDS, MINOR, answers, backtrace

SOURCE = '''class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        return {}


class Other:
    pass


class Tensor(metaclass=Meta):
    x = 1

    def f(self):
        return self.x
'''
CALL = ["builtin___build_class__", "cfunction_vectorcall_FASTCALL_KEYWORDS", "_PyObject_VectorcallTstate", "PyObject_Vectorcall", "_PyEval_EvalFrameDefault"]
BODY = ["_PyEval_EvalFrameDefault", "_PyEval_EvalFrame", "_PyEval_Vector", *CALL]
COMPILE = {
    (11, "release"): ["_PyCode_New", "makecode", "assemble", "compiler_class", "compiler_visit_stmt", "compiler_body", "compiler_mod"],
    (13, "release"): ["_PyCode_New", "makecode", "_PyAssemble_MakeCodeObject", "optimize_and_assemble_code_unit", "optimize_and_assemble", "compiler_class_body", "compiler_class", "compiler_body",
                      "compiler_codegen", "compiler_mod"],
    (13, "debug"): ["_PyCode_New", "makecode", "_PyAssemble_MakeCodeObject", "optimize_and_assemble_code_unit", "optimize_and_assemble", "compiler_class_body", "compiler_class",
                    "compiler_visit_stmt", "compiler_body", "compiler_codegen", "compiler_mod"],
}  # fmt: skip
COMPILE[11, "debug"] = COMPILE[11, "release"]
COMPILED = ["_PyAST_Compile", "Py_CompileStringObject", "builtin_compile_impl", "builtin_compile"]
# The frame that holds the statement under compilation: the 3.13 release build has inlined the usual one away.
HOLDER = {(13, "release"): "compiler_class_body"}
Said = tuple[dict[str, str], Path, str]  # what each command said, the folder of the program, the build
SCRIPT = {
    "break class": "callpath break class Tensor shapes.py",
    "break body": "callpath break class Tensor -body",
    "elsewhere": "callpath break class Tensor other.py",
    "class": "run",
    "class bt": "bt -frame-arguments none 5",
    "class name": "output (char *)((PyASCIIObject *) args[1] + 1)",
    "class record": "callpath record class.json",
    "body": "continue",
    "body bt": "bt -frame-arguments none 8",
    "frame": "callpath frame 3",
    "level": "frame",
    "up": "callpath up",
    "down": "callpath down",
    "beyond": "callpath frame 999",
    "no number": "callpath frame x",
    "frame by hand": "@by-hand callpath frame 7",
    "bt by hand": "@by-hand callpath bt",
    "frame 3": "frame 3",
    "up by hand": "@by-hand callpath up",
    "upper": "frame",
    "down by hand": "@by-hand callpath down",
    "lower": "frame",
    "record by hand": "@by-hand callpath record plain.txt",
    "d1": "delete",
    "break compile": "callpath break compile Tensor shapes.py",
    "prefix": "set environment PYTHONPYCACHEPREFIX /nonexistent",
    "compile": "run",
    "compile bt": "bt -frame-arguments none 15",
    "compile record": "callpath record compile.json",
    "d2": "delete",
    "watch": "callpath watch code Tensor shapes.py",
    "watch bt": "bt -frame-arguments none 18",
    "watch record": "callpath record watch.json",
    "left over": "info breakpoints",
    "prefix again": "show environment PYTHONPYCACHEPREFIX",
    "seed again": "show environment PYTHONHASHSEED",
    "class by hand": "@by-hand callpath break class Tensor shapes.py -body",
    "class by hand bt": "bt -frame-arguments none 8",
    "d3": "delete",
    "compile by hand": "@by-hand callpath break compile Tensor shapes.py",
    "d4": "delete",
    "watch by hand": "@by-hand callpath watch code Tensor shapes.py",
    "d5": "delete",
    "missing": "callpath watch code NoSuchClass",
}


@pytest.fixture(scope="module", params=BUILDS)
def session(request: pytest.FixtureRequest, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Said:
    if not Path(BUILDS[request.param]).exists():
        pytest.skip(f"{BUILDS[request.param]} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "shapes.py").write_text(SOURCE)
    (folder / "program.py").write_text("import shapes\n")
    said = answers(list(SCRIPT.values()), [BUILDS[request.param], "program.py"], folder, {"CALLPATH_BIN": str(build / "bin" / "callpath"), "PYTHONDONTWRITEBYTECODE": "1"})
    return dict(zip(SCRIPT, said, strict=True)), folder, request.param


def compiled(kind: str) -> list[str]:
    """From _PyCode_New to `compile`, in this interpreter's build of that kind."""
    return COMPILE[MINOR, kind] + COMPILED


def names(text: str) -> list[str]:
    """Functions without the suffix of a compiler's clone."""
    return [re.sub(r"\.(constprop|isra|part|lto_priv)\b.*", "", line.function) for line in backtrace(text)]


def event(folder: Path, name: str) -> dict:
    (only,) = json.loads((folder / name).read_text())["events"]
    return only


def native(only: dict) -> list[str]:
    return [frame["name"] for frame in only["frames"] if frame["kind"] in ("native", "inlined")]


def first_word() -> int:
    """Of the class body's bytecode, from this process's compiler."""
    module = compile(SOURCE, "shapes.py", "exec")
    (body,) = [c for c in module.co_consts if getattr(c, "co_name", "") == "Tensor"]
    return struct.unpack("<Q", body.co_code[:8])[0]


def statement() -> ast.stmt:
    (found,) = [s for s in ast.parse(SOURCE).body if getattr(s, "name", "") == "Tensor"]
    return found


def test_a_class_statement_is_stopped_at(session: Said) -> None:
    said, folder, kind = session
    assert names(said["class bt"]) == CALL
    assert said["class name"].endswith('"Tensor"')
    assert f"class Tensor, {folder}/shapes.py:{statement().lineno}" in said["class"]
    assert f"the first word {first_word():#018x}" in said["class"] and f"{first_word():#018x}" in said["body"]


def test_the_body_is_stopped_at_after_the_metaclass_prepared(session: Said) -> None:
    said, folder, kind = session
    assert "The body of class Tensor starts" in said["body"]
    assert names(said["body bt"]) == BODY


def test_a_code_object_is_stopped_at_when_the_compiler_makes_it(session: Said) -> None:
    said, folder, kind = session
    assert names(said["compile bt"])[: len(compiled(kind))] == compiled(kind)
    holder = HOLDER.get((MINOR, kind), "compiler_visit_stmt")
    held = re.search(rf"#(\d+) {holder} holds the statement: ClassDef, s->lineno = (\d+), s->end_lineno = (\d+)", said["compile"])
    assert held and (int(held[2]), int(held[3])) == (statement().lineno, statement().end_lineno)
    assert names(said["compile bt"])[int(held[1])] == holder


def test_the_copy_of_the_bytecode_is_caught_in_a_second_run(session: Said) -> None:
    said, folder, kind = session
    found = names(said["watch bt"])
    assert re.fullmatch(r"__mem(cpy|move)_\w+", found[0])
    without_memcpy = [name for name in found[1:] if name != "memcpy"]
    assert without_memcpy[: 1 + len(compiled(kind))] == ["init_code", *compiled(kind)]
    assert f"Second run: {first_word():#018x} arrives" in said["watch"]
    assert event(folder, "watch.json")["trigger"]["kind"] == "watch"
    assert said["left over"].startswith("No breakpoints")
    assert said["prefix again"].strip() == "PYTHONPYCACHEPREFIX = /nonexistent"
    assert "not defined" in said["seed again"]


def test_what_never_is_compiled_is_named(session: Said) -> None:
    said, folder, kind = session
    assert said["missing"].startswith("error: The first run ended, and no code object of the name NoSuchClass was compiled")


@pytest.mark.parametrize(("file", "trigger", "spec", "layer"), [("class.json", "class-build", "class:Tensor", "class-build"), ("compile.json", "compile", "compile:Tensor", "compile")])
def test_records_carry_the_kind_and_the_layer(session: Said, file: str, trigger: str, spec: str, layer: str) -> None:
    said, folder, kind = session
    only = event(folder, file)
    assert (only["trigger"]["kind"], only["trigger"]["spec"]) == (trigger, spec)
    frames = CALL if trigger == "class-build" else compiled(kind)
    assert native(only)[: len(frames)] == frames
    assert only["frames"][0]["layer"] == layer
    assert any(f["kind"] == "python" and f["source"]["file"].endswith("shapes.py") for f in only["frames"]) == (trigger == "class-build")


def test_a_frame_is_gdbs_frame_explained(session: Said) -> None:
    said, folder, kind = session
    assert said["frame"].startswith("#3  class-build  builtin___build_class__  bltinmodule.c:")
    assert said["level"].startswith("#3 ")
    assert said["up"].startswith("#4  protocol") and said["down"].startswith("#3  class-build")
    assert said["beyond"].startswith("error: There is no frame 999")
    assert "'x' is no frame number. Usage: callpath frame" in said["no number"]


def test_plain_gdb_commands_show_the_same(session: Said) -> None:
    said, folder, kind = session
    assert f"<module> in {folder}/shapes.py" in said["bt by hand"] and f"<module> in {folder}/program.py" in said["bt by hand"]
    assert "<module> at instruction" in said["frame by hand"]
    assert said["upper"].startswith("#4 ") and re.match(r"#3 .* builtin___build_class__ ", said["lower"])
    assert "nargsf = " in said["up by hand"] and "nargs = " in said["down by hand"]
    assert "builtin___build_class__" in (folder / "plain.txt").read_text()
    assert said["class by hand"].rstrip().find('"Tensor"') > 0 and names(said["class by hand bt"]) == BODY
    lines = (statement().lineno, statement().end_lineno)
    assert re.search(rf'"Tensor"(.|\n)*\$\d+ = \{{{lines[0]}, {lines[1]}\}}\n', said["compile by hand"])
    by_hand = names(said["watch by hand"])
    assert re.fullmatch(r"__mem(cpy|move)_\w+", by_hand[0]) and [n for n in by_hand[1:] if n != "memcpy"][:3] == ["init_code", "_PyCode_New", "makecode"]
