"""The dispatcher seen from Python: its tables are torch's, and what explain_dispatch foretells is what calls do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_support import PYTHON, engine_environment, evaluate, run_engine

KEYS = ("CPU", "BackendSelect", "ADInplaceOrView", "AutogradCPU", "Tracer", "AutocastCPU")
GDB_SCRIPT = Path(__file__).with_name("engine_gdb_script.py")

# ---- the tables, beside torch's


def torch_says(program: str) -> Any:
    """What a program in which torch is imported prints, read as JSON."""
    done = subprocess.run([PYTHON, "-c", "import json, sys, torch\n" + program], capture_output=True, text=True, timeout=120)
    if "No module named 'torch'" in done.stderr:
        pytest.skip("torch is not installed")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def entries(table: str) -> dict[str, str]:
    """{"CPU": "kernel"} from a dumped table; "fallthrough" stands for its fallbacks that do nothing."""
    found = {}
    for line in table.splitlines():
        key, text = line.split(": ", 1)
        rule = text[text.rindex("[") + 1 : -1]
        found[key] = "fallthrough" if text.startswith("fallthrough") else rule
    return found


@pytest.fixture(scope="module")
def tables(build: Path) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """For each operator that both have, by its name without a namespace: our entries, and torch's dumped table as it is."""
    (ours,) = evaluate(build, ["{n: torch._C._dispatch_dump_table(n) for n in torch._C._dispatch_get_all_op_names()}"])
    names = [name.removeprefix("tensorlib::") for name in ours]
    program = f"""
found = {{}}
for name in {names!r}:
    try:
        torch._C._jit_get_schemas_for_operator
        base, _, overload = name.partition(".")
        torch._C._get_operation_overload("aten::" + base, overload)
        found[name] = torch._C._dispatch_dump_table("aten::" + name)
    except RuntimeError:
        pass
print(json.dumps(found))
"""
    theirs = torch_says(program)
    assert len(theirs) > 200, "hardly any operator has torch's name"
    return {n: entries(ours["tensorlib::" + n]) for n in theirs}, theirs


# Where ours differ from torch 1.13, by why.
#
# A kernel for the CPU alone, where torch's kernel is for every backend: there is one backend here.
CPU_ALONE = set(
    "detach logical_and logical_and_ logical_or logical_or_ logical_xor logical_xor_ logical_not logical_not_ index_put index_put_ mv randn sum mean abs abs_ "
    "isinf isfinite _fused_adam_".split()
)
# Made of other operators, which have the gradients; torch has a kernel and a gradient of its own.
COMPOSED = set("rsub.Tensor remainder.Scalar remainder_.Scalar remainder.Scalar_Tensor fmod.Scalar fmod_.Scalar masked_select split_with_sizes repeat".split())
# Nothing to differentiate: torch registers a kernel that passes on, ours fall through.
FACTORIES = set(
    "empty.memory_format empty_strided full zeros ones eye eye.m arange arange.start arange.start_step linspace scalar_tensor rand rand.generator randn "
    "randn.generator randint randint.generator randint.low randint.low_generator randperm randperm.generator normal.float_float".split()
)
OTHERWISE: dict[str, set[str]] = {
    "CPU": CPU_ALONE | COMPOSED,
    "AutogradCPU": COMPOSED | FACTORIES | {"isfinite"},
    # resize_ and the fused step count as writes here.
    "ADInplaceOrView": COMPOSED | {"resize_", "_fused_adam_"},
    # Its device argument chooses a backend in torch; there is no device argument.
    "BackendSelect": {"_to_copy"},
}


def differing(tables: tuple[dict[str, dict[str, str]], dict[str, str]], key: str, same: Any) -> dict[str, tuple[str | None, str | None]]:
    ours, theirs = tables
    found = {}
    for name, entry in ours.items():
        other = entries(theirs[name])
        if not same(entry.get(key), other.get(key), theirs[name]) and name not in OTHERWISE.get(key, ()):
            found[name] = (entry.get(key), other.get(key))
    return found


def test_what_runs_at_cpu_is_put_there_by_the_rule_that_puts_it_there_in_torch(tables: Any) -> None:
    assert differing(tables, "CPU", lambda ours, theirs, _: ours == theirs) == {}


def test_autograd_is_entered_where_torch_enters_it(tables: Any) -> None:
    # Torch registers a boxed "not implemented" where an operator has no tensors or no gradient; here such operators fall through.
    assert differing(tables, "AutogradCPU", lambda ours, theirs, _: ours == theirs) == {}


def test_views_and_in_place_operators_have_kernels_at_adinplaceorview(tables: Any) -> None:
    assert differing(tables, "ADInplaceOrView", lambda ours, theirs, _: ours == theirs) == {}


def test_backend_select_serves_operators_without_tensors(tables: Any) -> None:
    assert differing(tables, "BackendSelect", lambda ours, theirs, _: ours == theirs) == {}


def test_the_tracer_is_one_boxed_fallback_where_torch_has_a_kernel_an_operator(tables: Any) -> None:
    ours, _ = tables
    assert {entry["Tracer"] for entry in ours.values()} == {"backend fallback"}


def test_autocast_changes_nothing_for_want_of_a_lower_precision(tables: Any) -> None:
    ours, theirs = tables
    assert {entry["AutocastCPU"] for entry in ours.values()} == {"fallthrough"}
    plain = {entries(table)["AutocastCPU"] for name, table in theirs.items() if not name.startswith(("mm", "add", "b", "cat", "stack", "matmul", "linear"))}
    assert "fallthrough" in plain


KEY_SETS = """
x, out = torch.ones(2), {}
out["plain"] = str(torch._C._dispatch_keys(x))
out["wants gradients"] = str(torch._C._dispatch_keys(torch.ones(2, requires_grad=True)))
out["a view"] = str(torch._C._dispatch_keys(x[:1]))
with torch.no_grad():
    out["no_grad"] = str(torch._C._dispatch_keys(torch.ones(2)))
with torch.inference_mode():
    out["inference"] = str(torch._C._dispatch_keys(torch.ones(2)))
print(json.dumps(out))
"""


def test_tensors_carry_the_keys_that_torchs_carry(build: Path) -> None:
    assert json.loads(run_engine(build, KEY_SETS).stdout) == torch_says(KEY_SETS)


TLS = """
def sets():
    text = getattr(torch._C, "_dispatch_keyset_to_string", str)
    return [text(torch._C._dispatch_tls_local_include_set()), text(torch._C._dispatch_tls_local_exclude_set())]
out = {"plain": sets()}
with torch.no_grad(): out["no_grad"] = sets()
with torch.inference_mode(): out["inference"] = sets()
out["after"] = sets()
print(json.dumps(out))
"""


def test_threads_include_and_exclude_what_torchs_do(build: Path) -> None:
    def known(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.removeprefix("DispatchKeySet"))) & set(KEYS)

    ours, theirs = json.loads(run_engine(build, TLS).stdout), torch_says(TLS)
    for mode, (included, excluded) in ours.items():
        their_included, their_excluded = theirs[mode]
        assert known(included) == known(their_included), mode
        # The tracer is off by a key that is not included in torch, by one that is excluded here.
        wanted = known(their_excluded) | {"Tracer"} | ({"AutogradCPU"} if "AutogradOther" in their_excluded else set())
        assert known(excluded) == wanted, mode


def test_a_dump_names_the_kernels_and_where_they_are_registered(build: Path) -> None:
    (dump,) = evaluate(build, ["torch._C._dispatch_dump('tensorlib::pow.Tensor_Scalar')"])
    assert "schema: tensorlib::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor" in dump
    assert re.search(r"^CPU: registered at tensorlib/generated/ops/RegisterCPU.cpp:\d+ :: .*::wrapper_CPU_pow_Tensor_Scalar \[ boxed unboxed \]$", dump, re.M)
    assert re.search(r"^Autograd\[alias\]: registered at tensorlib/\S+:\d+ :: .*VariableType::.*::pow_Tensor_Scalar \[ boxed unboxed \]$", dump, re.M)


# ---- the tracer


def test_the_environment_switches_the_trace_on_for_every_thread(build: Path) -> None:
    program = """
import threading
import tensorlib as torch
x = torch.ones(2)
thread = threading.Thread(target=lambda: x ** 3)
thread.start(); thread.join()
"""
    def errors(value: str | None) -> str:
        env = engine_environment(build, TENSORLIB_SHOW_DISPATCH_TRACE=value)
        return subprocess.run([PYTHON, "-c", program], env=env, capture_output=True, text=True, timeout=60, check=True).stderr

    assert "tensorlib::pow.Tensor_Scalar(Tensor Float [2], 3) -> AutogradCPU\n" in errors("1")
    assert errors("0") == errors(None) == ""


def test_python_switches_it_on_and_off(build: Path) -> None:
    done = run_engine(build, "x = torch.ones(2)\ntorch._C._set_dispatch_trace(True)\nx**3\ntorch._C._set_dispatch_trace(False)\nx**4")
    assert done.stderr.count("tensorlib::pow.Tensor_Scalar(Tensor Float [2], 3)") == 1
    assert "4)" not in done.stderr


# ---- explain_dispatch


def test_the_overload_is_chosen_as_for_the_call(build: Path) -> None:
    calls = ["('pow', x, 3)", "('pow', x, x)", "('pow', 2, x)", "('add', x, x)"]
    ops = evaluate(build, [f"torch.explain_dispatch{call}['op']" for call in calls], "x = torch.ones(2)")
    assert ops == [f"tensorlib::{name}" for name in ("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "add.Tensor")]


def test_what_cannot_be_explained_is_refused(build: Path) -> None:
    setup = "x = torch.ones(2)"
    no_operator, no_match = evaluate(build, ["torch.explain_dispatch('powder', x)", "torch.explain_dispatch('pow', x, 'a')"], setup)
    assert no_operator.startswith("AttributeError: no operator is called 'powder'")
    assert no_match.startswith("TypeError: ")


def test_the_text_answers_in_the_order_of_the_questions(build: Path) -> None:
    (text,) = evaluate(build, ["str(torch.explain_dispatch('pow', torch.ones(3), 3))"])
    parts = ["self = Tensor Float [3]: DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)", "exponent = 3", "this thread includes",
             "this thread excludes", "together", "AutogradCPU of", "not AutocastCPU: this thread excludes it", "CPU of DispatchKeySet(CPU)",
             "stub pow_tensor_scalar_stub", "branch base * base * base"]  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places and places == sorted(places), text


CALLS = {
    "cube of a column": ("X[:, 1]", "3", ""),
    "cube without gaps": ("X", "3", ""),
    "square root": ("X[:, 1]", "0.5", ""),
    "inverse root": ("X", "-0.5", ""),
    "inverse": ("X", "-1", ""),
    "general": ("X[:, 1]", "2.3", ""),
    "integers": ("torch.tensor([1, 2, 3])", "3", ""),
    "inference": ("X", "2", "torch.inference_mode()"),
    "no_grad": ("X", "2", "torch.no_grad()"),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_captured_call_goes_where_it_was_foretold(build: Path, tmp_path: Path, what: str) -> None:
    if not shutil.which("gdb"):
        pytest.skip("gdb is not installed")
    if "TENSORLIB_TEACH:BOOL=ON" not in (build / "CMakeCache.txt").read_text():
        pytest.skip("the kernels' frames are there in the teach build")
    base, exponent, mode = CALLS[what]
    around = f"with {mode}:\n    " if mode else ""
    setup = f"import tensorlib as torch\nX = torch.randn(100, 2)\nx = {base}\n"
    explained = json.loads(run_engine(build, setup + around + f"e = torch.explain_dispatch('pow', x, {exponent})\nprint(json.dumps(e))").stdout)

    program = tmp_path / "program.py"
    program.write_text(setup + around + f"y = x ** {exponent}\n")
    job = {"stops": ["tensorlib::TensorIteratorBase::for_each"], "values": [["::call(", "call.dispatchKeySet_.repr_"]], "out": str(tmp_path / "answer.json")}
    command = ["gdb", "-nx", "-batch", "-x", str(GDB_SCRIPT), "--args", PYTHON, str(program)]
    subprocess.run(command, env=engine_environment(build, ENGINE_JOB=json.dumps(job)), capture_output=True, text=True, timeout=180)
    answer = json.loads((tmp_path / "answer.json").read_text())
    names = [frame["name"] or "" for frame in answer["frames"]]

    # The kernels on the way, innermost first in gdb's list.
    at = [next((i for i, name in enumerate(names) if name == step["kernel"] or name.startswith(step["kernel"] + "(")), None) for step in explained["steps"]]
    assert None not in at and at == sorted(at, reverse=True), (explained["steps"], names)
    redispatches = sum("_ops::pow_Tensor_Scalar::redispatch" in name for name in names)
    assert redispatches == len(explained["steps"]) - 1

    kernel = explained["kernel"]
    assert kernel["stub"] == "pow_tensor_scalar_stub"
    assert any(f"::{kernel['capability']}::pow_tensor_scalar_kernel" in name for name in names), names
    form = re.match(r"pow_\w+_kernel(?=:)", kernel["branch"])
    named = {m.group(1) for name in names if (m := re.search(r"::(pow_(?:one_half|minus_one_half|minus_one)_kernel)<", name))}
    assert named == ({form.group()} if form else set()), names
    optimized = any("pow_tensor_scalar_optimized_kernel<" in name for name in names)
    assert optimized != kernel["branch"].startswith("integer_pow"), kernel
    assert any("cpu_kernel_rows<" in name for name in names) == kernel["loop"].startswith("rows"), (kernel, names)
