"""What walkthroughs record, against what Python, gdb's published stacks, the source's own tree and explain_dispatch say; and every route and answer."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, clean_environment
from walk_support import FOLDERS, Callpath, data, event, folder, names, plain_gdb, python_names, skip_without_modules, take

each_folder = pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)


@each_folder
def test_both_routes_tell_the_same_path(path: Path, callpath: Callpath, tmp_path: Path) -> None:
    skip_without_modules(path)
    done = callpath("walk", path.name[:2], "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("The same path by both routes" in done.stdout) == ("gdb" in data(path)["stop"])


GDB_TOO = [(path.name[:2], v["name"]) for path in FOLDERS for v in data(path).get("variant", []) if "gdb" in v.get("stop", {}) and path.name[:2] != "01"]


@pytest.mark.parametrize(("number", "variant"), GDB_TOO)
def test_variants_with_a_stop_of_their_own_do_so_too(number: str, variant: str, callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", number, "--variant", variant, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The same path by both routes" in done.stdout or variant == "bytes"


# From what the article and PyTorch are known to do, not from a recording of ours.
ANSWERS = {
    "00": ["no: it has returned", "one, the module", "no: it ran and left by a jump"],
    "01": ["the scalar lambda", "the one for exponent 3", "scalar: two are too few for a vector", "scalar: it is the same column", "yes"],
    "02": ["two", "NotImplemented, which asks the other operand", "no: its slot goes to the C method", "yes, as __rpow__", "no: it has returned, and the cause with it", "none"],
    "03": ["`__rsub__`, the first that the class body comes to", "once for each method that it wraps", "no: they belong to pdb's tracing", "none: wrapped runs at a call, not at import", "yes"],
    "04": ["no: the body runs first, and using the name Tensor in it is a NameError", "__build_class__", "no: it has returned, and left a namespace", "after: __build_class__ has returned", "yes",
           "yes: the import statement and the module that it runs"],
    "05": ["no: the whole module is compiled first", "none: r_object reads the code object from the file", "yes: size or time no longer agree", "when exec runs: it is on the stack", "none: no line of it runs"],
    "06": ["AutogradCPU", "yes: the frames are the same", "no: its keys are masked out", "no: the key is a matter of the tensor, not of its Python class",
           "yes: the key says which device, not which type", "no: a function was called, no operator used"],
    "09": ["two, half the elements each", "no: it was handed C++ to run", "one: under 32,768 the work is not cut", "one"],
    "07": ["none", "no: it is inlined in the loop", "no: a method goes straight to C", "yes: only instructions differ"],
}  # fmt: skip


@pytest.mark.parametrize("number", ANSWERS)
def test_answers_are_computed_and_are_what_is_known(number: str, callpath: Callpath) -> None:
    skip_without_modules(folder(number))
    done = callpath("walk", number, "--answers")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"^    → (.*)$", done.stdout, re.M) == ANSWERS[number]


# --- 00
def test_abs_left_by_a_jump(callpath: Callpath, tmp_path: Path) -> None:
    found = take(callpath, tmp_path, "00")
    assert names(found)[:2] == ["long_abs", "cfunction_vectorcall_O"]
    assert not any("builtin_abs" in f["full"] for f in found["frames"])  # the call went through a pointer: not guessed
    assert [(o["argrepr"] or o["opcode"], o["state"]) for o in found["operations"]][-1][1] == "current" and found["operations"][0]["state"] == "returned"


# --- 02
WATCH = """
import runpy, sys
found = []
def profile(frame, event, arg):
    if event == "c_call" and arg.__name__ == "pow" and not found:
        while frame is not None:
            found.append((frame.f_code.co_name, frame.f_lineno))
            frame = frame.f_back
sys.setprofile(profile)
runpy.run_path(sys.argv[1], run_name="__main__")
sys.setprofile(None)
for name, line in found: print(name, line)
"""


def test_wrapped_stands_twice_where_python_says(callpath: Callpath, build: Path, tmp_path: Path) -> None:
    """Python's own frames, when it calls the C method pow; runpy's are left out."""
    program = folder("02") / "taken.py"
    said = subprocess.run(["/usr/bin/python3", "-c", WATCH, str(program)], env=clean_environment(PYTHONPATH=str(build / "python")), capture_output=True, text=True, check=True).stdout
    truth = [tuple(line.split()) for line in said.splitlines()]
    truth = truth[: [name for name, _ in truth].index("<module>") + 1]
    found = take(callpath, tmp_path, "02")
    ours = [(f["name"].rsplit(".", 1)[-1], str(f["source"]["line"])) for f in found["frames"] if f["kind"] == "python"]
    assert ours == truth
    assert [line for name, line in ours if name == "wrapped"] == ["39", "38"]


def test_the_other_outcomes_of_the_operator(callpath: Callpath, tmp_path: Path) -> None:
    other = take(callpath, tmp_path, "02", "--variant", "other")
    assert python_names(other)[:2] == ["__rpow__", "<module>"] and "wrapped" not in python_names(other)
    refused = take(callpath, tmp_path, "02", "--variant", "refused")
    assert python_names(refused) == ["wrapped", "<module>"]
    message = take(callpath, tmp_path, "02", "--variant", "message")
    assert python_names(message) == ["<module>"] and names(message)[0] == "PyErr_Format"
    for variant in ("plus", "times"):
        assert python_names(take(callpath, tmp_path, "02", "--variant", variant)) == ["<module>"]


# --- what gdb showed of CPython, brought in from its own sessions
def article(stop: str) -> list[str]:
    """Functions of a list in article_frames.txt, innermost first."""
    text = (ROOT / "tests/data/gdb/article_frames.txt").read_text()
    (rows,) = re.findall(rf"^\[{re.escape(stop)}\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S)
    return [re.sub(r"\.(constprop|isra|part|lto_priv|cold)(\.\d+)*", "", row.split("\t")[0].lstrip("~")) for row in rows.splitlines() if row]


def without_python(found: dict) -> list[str]:
    return [re.sub(r"\.(constprop|isra|part|lto_priv|cold)(\.\d+)*", "", f["full"]).split("(")[0] for f in found["frames"] if f["kind"] in ("native", "inlined")]


def test_the_frames_of_a_class_are_the_articles(callpath: Callpath, tmp_path: Path) -> None:
    entry = without_python(take(callpath, tmp_path, "04", "--variant", "entry"))
    assert entry[:5] == article("class 3.11 torch")[:5]
    engine = without_python(take(callpath, tmp_path, "04", "--variant", "engine"))
    assert engine[:23] == article("class 3.11 torch")[:23]
    body = without_python(take(callpath, tmp_path, "04"))
    assert body[0] == "PyDict_SetItem"
    assert body[1:9] == article("body 3.11 torch")[:8]


def test_six_moments_in_order(callpath: Callpath, tmp_path: Path) -> None:
    """The module's instruction is the call for the first five and the store for the sixth; each has what makes it that moment."""
    found = {v: take(callpath, tmp_path, "04", "--variant", v) for v in ("bases", "metaclass", "prepare", "call", "store")}
    found["body"] = take(callpath, tmp_path, "04")
    for moment, seen in found.items():
        outermost = [f for f in seen["frames"] if f["kind"] == "python"][-1]
        assert outermost["python"]["instruction"]["opcode"] == ("STORE_NAME" if moment == "store" else "CALL"), moment
        assert ("builtin___build_class__" in names(seen)) == (moment != "store")
    assert "update_bases" in names(found["bases"]) and "update_bases" not in names(found["metaclass"])
    assert python_names(found["prepare"])[0] == "__prepare__" and python_names(found["body"])[0] == "Tensor" and python_names(found["call"])[0] == "__new__"
    lines = [next(f["source"]["line"] for f in found[m]["frames"] if f["name"] == "builtin___build_class__") for m in ("bases", "metaclass", "prepare", "body", "call")]
    assert lines == sorted(lines) and len(set(lines)) == 5  # bltinmodule.c does them from top to bottom


def test_the_frames_of_a_compilation_are_the_articles(callpath: Callpath, tmp_path: Path) -> None:
    wanted = article("compile 3.11 torch")
    main = without_python(take(callpath, tmp_path, "05"))
    assert main[:26] == wanted[:26]
    pyc = without_python(take(callpath, tmp_path, "05", "--variant", "pyc"))
    loaded = article("load 3.11 torch")
    assert [n for n in pyc if n != "r_object"][:10] == [n for n in loaded if n != "r_object"][:10] and pyc.count("r_object") >= 2
    assert without_python(take(callpath, tmp_path, "05", "--variant", "touched"))[:26] == wanted[:26]


def test_the_copy_is_the_articles(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "05", "--variant", "bytes", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    found = without_python(event(tmp_path / "05_compile-bytes.json"))
    wanted = article("copy 3.11 torch")
    assert re.fullmatch(r"__mem(cpy|move)_\w+", found[0]) and re.fullmatch(r"__mem(cpy|move)_\w+", wanted[0])
    assert found[1:26] == wanted[1:26]


@pytest.mark.parametrize(("name", "said"), [("Tensor", "a code object of a class body"), ("numel", "a code object of a function's body")])
def test_what_is_compiled_is_told_by_the_nearest_function_of_the_compiler(name: str, said: str, callpath: Callpath) -> None:
    """A method's code is made inside of the compilation of its class."""
    done = callpath("run", "--events", f"compile:{name}", folder("05") / "imports.py", env={"PYTHONPYCACHEPREFIX": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"})
    assert said in done.stderr, done.stderr


# --- 03
def uses_of_the_decorator() -> list[tuple[int, str]]:
    """Line and name of everything that the class body of Tensor wraps, in order, from the source's own tree."""
    tree = ast.parse((ROOT / "pyshim/tensorlib/_tensor.py").read_text())
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor"]
    wrapper, found = "_handle_torch_function_and_wrap_type_error_to_not_implemented", []
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found += [(d.lineno, node.name) for d in node.decorator_list if isinstance(d, ast.Name) and d.id == wrapper]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == wrapper:
            found.append((node.lineno, node.targets[0].id))  # type: ignore[attr-defined]
    return found


def test_the_decorator_stops_once_for_each_method(callpath: Callpath, tmp_path: Path) -> None:
    truth = uses_of_the_decorator()
    assert [name for _, name in truth][:3] == ["__rsub__", "__rdiv__", "__pow__"]  # as in PyTorch
    take(callpath, tmp_path, "03", "--variant", "all")
    events = json.loads((tmp_path / "03_decorator_pdb-all.json").read_text())["events"]
    lines = [next(f["source"]["line"] for f in e["frames"] if f["kind"] == "python" and f["full"] == "Tensor") for e in events]
    assert lines == [line + 2 for line, _ in truth]  # two lines were put in above


def test_pdb_brings_frames_that_input_has_not(callpath: Callpath, tmp_path: Path) -> None:
    wanted = ["PyOS_Readline", "builtin_input_impl", "builtin_input", "_PyEval_EvalFrameDefault", "method_vectorcall", "call_trampoline", "trace_trampoline", "call_trace", "maybe_call_line_trace",
              "_PyEval_EvalFrameDefault", "_PyEval_Vector", "builtin___build_class__"]  # fmt: skip
    left = iter(without_python(take(callpath, tmp_path, "03")))
    assert all(any(name == one for name in left) for one in wanted)
    plain = without_python(take(callpath, tmp_path, "03", "--variant", "input"))
    assert not set(plain) & {"call_trampoline", "trace_trampoline", "call_trace", "maybe_call_line_trace"}
    assert plain[0] == "PyOS_Readline" and "builtin___build_class__" in plain


def test_moved_into_wrapped_it_never_stops_at_import(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "03", "--variant", "inner", "--out", tmp_path)
    assert done.returncode == 0 and "never came to the stop" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_plain_gdb_shows_the_decorator(build: Path, tmp_path: Path) -> None:
    """With the two lines put in as the session's first lines say."""
    package = tmp_path / "python" / "tensorlib"
    package.mkdir(parents=True)
    (tmp_path / "lib").symlink_to(build / "lib")
    for file in (build / "python" / "tensorlib").iterdir():
        (package / file.name).symlink_to(file)
    source = (package / "_tensor.py").read_text()
    (package / "_tensor.py").unlink()
    edited = source.replace("import functools\n", "import functools\nimport pdb\n", 1)
    (package / "_tensor.py").write_text(edited.replace("functools.WRAPPER_ASSIGNMENTS\n", "functools.WRAPPER_ASSIGNMENTS\n    pdb.set_trace()\n", 1))
    said = plain_gdb(folder("03") / "by_hand.gdb", folder("03") / "imports.py", build, ["-B"], packages=str(tmp_path / "python"))
    for pattern in (r"^#\d+ .*call_trampoline", r"^#\d+ .*builtin___build_class__", r"in _handle_torch_function_and_wrap_type_error_to_not_implemented", r"class Tensor\(_C\.TensorBase\):"):
        assert re.search(pattern, said, re.M), f"{pattern}\n{said[-3000:]}"


# --- 06
def explained(build: Path, program: str) -> dict:
    script = f"import json, tensorlib as torch\ntorch.manual_seed(0)\nX = torch.randn(10000, 2)\n{program}\nprint(json.dumps(dict(e)))"
    done = subprocess.run(["/usr/bin/python3", "-c", script], env=clean_environment(PYTHONPATH=str(build / "python")), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


PROGRAMS = {
    "": 'e = torch.explain_dispatch("pow", X, 3)',
    "no_grad": 'with torch.no_grad(): e = torch.explain_dispatch("pow", X, 3)',
    "inference": 'with torch.inference_mode(): e = torch.explain_dispatch("pow", X, 3)',
}


@pytest.mark.parametrize("variant", PROGRAMS)
def test_the_path_goes_where_explain_dispatch_foretold(variant: str, callpath: Callpath, build: Path, tmp_path: Path) -> None:
    told = explained(build, PROGRAMS[variant])
    found = take(callpath, tmp_path, "06", *(["--variant", variant] if variant else []))
    taken = {d["id"]: d["taken"] for d in found["decisions"]}
    assert taken["dispatcher.call"] == told["steps"][0]["key"]
    assert taken["stub.capability"] == told["kernel"]["capability"]
    kernels = [re.sub(r"\(anonymous namespace\)::", "", step["kernel"]).split("::")[-1] for step in told["steps"]]
    left = iter([n.split("::")[-1] for n in reversed(names(found))])
    assert all(any(kernel == one for one in left) for kernel in kernels), kernels
    assert any("VariableType::" in f["full"] for f in found["frames"]) == (variant != "inference")


def test_modes_change_the_frames_that_are_known_to_change(callpath: Callpath, tmp_path: Path) -> None:
    def stack(*more: str) -> list[str]:
        return [f["full"] for f in take(callpath, tmp_path, "06", *more)["frames"] if f["kind"] in ("native", "inlined") and "tensorlib" in f["full"]]

    plain = stack()
    assert stack("--variant", "no_grad") == plain and stack("--variant", "gradient") == plain
    gone = [name for name in plain if name not in stack("--variant", "inference")]
    assert len(gone) == 3 and "redispatch" in gone[0] and all("VariableType" in name for name in gone[1:])


def test_what_was_foretold_stands_beside_the_path(callpath: Callpath, tmp_path: Path) -> None:
    done = callpath("walk", "06", "--out", tmp_path, "--route", "process")
    assert done.returncode == 0, done.stderr
    path, foretold = done.stdout.split('What explain_dispatch("pow", X, 3) foretold')
    assert "not AutocastCPU: this thread excludes it" in foretold and "not CPU: lower than the key chosen" in foretold


# --- 07
def test_the_real_tower_is_ours(callpath: Callpath, tmp_path: Path) -> None:
    """Layers in the same order as on the engine, but for the lambda's frame, which optimisation took."""
    skip_without_modules(folder("07"))
    real, ours = take(callpath, tmp_path, "07"), take(callpath, tmp_path, "01")

    def tower(found: dict) -> list[str]:
        layers = [f["layer"] for f in reversed(found["frames"]) if f["layer"] in ("wrapper", "binding", "dispatcher", "autograd", "operator", "kernel", "loop")]
        return [layer for i, layer in enumerate(layers) if i == 0 or layer != layers[i - 1]]

    assert tower(real)[:7] == ["wrapper", "binding", "dispatcher", "autograd", "dispatcher", "operator", "kernel"] == tower(ours)[:7]
    wanted = [re.sub(r"~", "", name) for name in article("kernel 3.11 torch 1.13 default")]
    exported = [name.split("(")[0] for name in wanted if name.startswith("at::")]
    mine = [f["full"].split("(")[0] for f in real["frames"]]
    left = iter(mine)
    assert all(any(name in one for one in left) for name in exported), (exported, mine)
    for frame in real["frames"]:
        if frame["confidence"] == "inferred":
            assert frame["evidence"], frame["full"]


# --- 09
def test_two_threads_have_half_each(callpath: Callpath, tmp_path: Path) -> None:
    take(callpath, tmp_path, "09")
    main, worker = json.loads((tmp_path / "09_threads.json").read_text())["events"]
    assert main["thread"]["has_python"] and not worker["thread"]["has_python"] and worker["thread"]["name"].startswith("tensorlib-")
    assert main["thread"]["tid"] != worker["thread"]["tid"]
    halves = sorted(tuple(a["value"] for a in e["frames"][0]["arguments"] if a["name"] in ("begin", "end")) for e in (main, worker))
    assert halves == [("0", "32768"), ("32768", "65536")]
    assert any(name.endswith("parallel_for") for name in names(main)) and not any(name.endswith("parallel_for") for name in names(worker))
