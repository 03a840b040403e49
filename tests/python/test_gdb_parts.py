"""Parts of the gdb scripts that need no gdb: names, line tables, linkage names, ELF headers."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types
from pathlib import Path

import pytest
from gdb_support import PYTHON, ROOT, compile_standin


@pytest.fixture(scope="module")
def parts():
    """The scripts' modules, with an empty stand-in for the module that only gdb has."""
    saved = {name: sys.modules.get(name) for name in ("gdb",)}
    stand_in = types.ModuleType("gdb")
    for name in ("Symbol", "Frame", "Gdb", "Objfile", "Type", "Field"):
        setattr(stand_in, name, type(name, (), {}))
    sys.modules["gdb"] = stand_in
    sys.path.append(str(ROOT / "gdb"))
    try:
        yield types.SimpleNamespace(**{name: importlib.import_module(f"callpath_gdb.{name}") for name in ("names", "lines", "lambdas", "elf")})
    finally:
        sys.path.remove(str(ROOT / "gdb"))
        for name in [n for n in sys.modules if n.split(".")[0] == "callpath_gdb"]:
            del sys.modules[name]
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


KERNEL = "t::native::AVX512::pow_kernel<float, double>(t::Iterator&, double)"


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault"),
        ("vectorcall_maybe.constprop.0", "vectorcall_maybe"),
        ("cfunction_vectorcall_O.lto_priv.0", "cfunction_vectorcall_O"),
        ("withcold.cold", "withcold"),
        (f"{KERNEL}::{{lambda(float)#3}}::operator()(float) const", "lambda(float)"),
        (f"{KERNEL}::<lambda(float)>::operator()(float) const", "lambda(float)"),
        (f"{KERNEL}::{{lambda(t::vec::Vectorized<float>)#4}}::operator()(t::vec::Vectorized<float>) const", "lambda(t::vec::Vectorized<float>)"),
        (f"{KERNEL}::{{lambda(Vec)#1}}::operator()(Vec) const::{{lambda(float)#2}}::operator()(float) const", "lambda(float)"),
        (f"void {KERNEL}", "pow_kernel"),
        (f"void t::basic_loop<{KERNEL}::{{lambda(float)#3}}>(char**, {KERNEL}::{{lambda(float)#3}}&&)", "basic_loop"),
        (f"t::Loop2d<{KERNEL}::{{lambda(float)#1}}, int>::operator()(char**, long const*, long, long)", "operator()"),
        ("t::(anonymous namespace)::wrapper_CPU_pow(t::Tensor const&, t::Scalar const&)", "wrapper_CPU_pow"),
        ("void t::function_ref<void (char**, long const*, long, long)>::callback_fn<t::L>(long, char**, long const*, long, long)", "callback_fn"),
        ("t::function_ref<void (char**)>::operator()(char**) const", "operator()"),
        ("std::enable_if<(bool)1, float>::type f<float>(float)", "f"),
        ("t::T::operator<<(int)", "operator<<"),
        ("t::T::operator bool() const", "operator bool"),
        ("bool t::operator==<int>(t::T<int> const&, t::T<int> const&)", "operator=="),
        ("t::f[abi:cxx11](int)", "f"),
        ("f(int) [clone .constprop.0]", "f"),
        ("t::f(void (*)(int), int (&)[3])", "f"),
        ("t::T<(t::E)3>::~T()", "~T"),
        ("auto t::guts::apply<t::F, 0>(t::F const&, char**)", "apply"),
    ],
)
def test_short_names(parts, full: str, short: str) -> None:
    assert parts.names.short(full) == short


@pytest.mark.parametrize("text", ["", "?", "_ZNbroken", "a::", "operator", "<<<<", "))((", "f(", "::operator()", "x" * 20000, "a<" * 3000])
def test_no_text_breaks_the_shortening(parts, text: str) -> None:
    assert isinstance(parts.names.short(text), str)


def codes(module: types.ModuleType):
    seen = set()
    for _, function in inspect.getmembers(module, inspect.isfunction):
        waiting = [function.__code__]
        while waiting:
            code = waiting.pop()
            if code not in seen:
                seen.add(code)
                yield code
                waiting.extend(c for c in code.co_consts if isinstance(c, types.CodeType))


def test_lines_are_those_that_python_gives(parts) -> None:
    import argparse, asyncio.base_events, dis, inspect, json.decoder, logging, pickle, subprocess, tarfile, typing, unittest.mock, zipfile  # noqa: E401

    checked = 0
    for module in (argparse, asyncio.base_events, dis, inspect, json.decoder, logging, pickle, subprocess, tarfile, typing, unittest.mock, zipfile):
        for code in codes(module):
            for begin, end, line in code.co_lines():
                for offset in range(begin, end, 2):
                    assert parts.lines.line_at(code.co_linetable, code.co_firstlineno, offset) == line
                    checked += 1
    assert checked > 40_000


@pytest.mark.parametrize("table", [b"", b"\xff", b"\xf0", b"\x80" * 50, bytes(range(256))])
def test_broken_line_tables_end(parts, table: bytes) -> None:
    found = parts.lines.line_at(table, 1, 10_000)
    assert found is None or isinstance(found, int)


def test_excerpts_hold_what_is_there(parts, tmp_path: Path) -> None:
    file = tmp_path / "a b.py"
    file.write_bytes(b"one\r\ntwo\nthr\xffee\nfour\n")
    assert parts.lines.excerpt(str(file), 2, 1) == {"first": 1, "lines": ["one", "two", "thr\ufffdee"]}
    assert parts.lines.excerpt(str(file), 4, 1) == {"first": 3, "lines": ["thr\ufffdee", "four"]}
    for line in (None, 0, 5):
        assert parts.lines.excerpt(str(file), line) is None
    assert parts.lines.excerpt("<string>", 1) is None and parts.lines.excerpt(str(tmp_path), 1) is None


def test_lambdas_are_found_by_the_function_that_defines_them(parts, tmp_path: Path) -> None:
    """Against the demangler: the function before the last ::{lambda in c++filt's text."""
    compile_standin(tmp_path)
    listed = subprocess.run(["nm", str(tmp_path / "standin.so")], capture_output=True, text=True, check=True).stdout
    mangled = [line.split()[-1] for line in listed.splitlines()]
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout.splitlines()
    expected = {m for m, p in zip(mangled, plain) if p.startswith("engine::native::TEST::pow_tensor_scalar_optimized_kernel<") and "}::operator()(" in p}
    assert len(expected) == 3
    assert set(parts.lambdas.defined_in("pow_tensor_scalar_optimized_kernel", str(tmp_path / "standin.so"))) == expected
    assert parts.lambdas.defined_in("in_thread", str(tmp_path / "standin.so")) == [m for m, p in zip(mangled, plain) if p.startswith("in_thread(") and p.endswith("}::operator()() const")]
    assert parts.lambdas.defined_in("nothing", str(tmp_path / "standin.so")) == []


def test_elf_headers_are_those_of_readelf(parts) -> None:
    path = str(Path(PYTHON).resolve())
    elf = parts.elf.read(path)
    said = subprocess.run(["readelf", "-hSlW", path], capture_output=True, text=True, check=True).stdout
    assert f"Entry point address:               {elf.entry:#x}" in said
    text = next(line.split() for line in said.splitlines() if " .text " in line)
    assert elf.sections[".text"] == int(text[text.index(".text") + 2], 16)
    assert len(elf.segments) == sum(line.strip().startswith("LOAD") for line in said.splitlines())


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"#!/bin/sh\n"])
def test_what_is_no_elf_file_is_none(parts, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    assert parts.elf.read(str(tmp_path / "x")) in (None,)
