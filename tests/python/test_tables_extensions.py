"""Functions of stripped extensions are named by Python's own tables; the truth is the unstripped twin, or NumPy's own lists."""

import importlib.util
import json
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]

# Each function calls puts, which has a symbol: that is where the probe stands.
SOURCE = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>
static void say(const char *text) { puts(text); fflush(stdout); }
#define BODY(result) { say("here"); return result; }
static PyObject *m_plain(PyObject *self, PyObject *args) BODY(PyLong_FromLong(1))
static PyObject *t_method(PyObject *self, PyObject *unused) BODY(PyLong_FromLong(2))
static PyObject *t_get(PyObject *self, void *closure) BODY(PyLong_FromLong(3))
static int t_set(PyObject *self, PyObject *value, void *closure) BODY(0)
static PyObject *t_power(PyObject *a, PyObject *b, PyObject *c) BODY(PyLong_FromLong(4))
static Py_ssize_t t_length(PyObject *self) BODY(5)
static PyObject *t_call(PyObject *self, PyObject *args, PyObject *kw) BODY(PyLong_FromLong(6))
static PyObject *h_method(PyObject *self, PyObject *unused) BODY(PyLong_FromLong(7))
static PyObject *h_add(PyObject *a, PyObject *b) BODY(PyLong_FromLong(8))
static PyObject *__attribute__((noinline)) deep(void) BODY(PyLong_FromLong(9))
static PyObject *m_outer(PyObject *self, PyObject *args) { PyObject *o = deep(); return o ? PyNumber_Negative(o) : o; }
static int m_exec(PyObject *module);
static PyMethodDef methods[] = {{"plain", m_plain, METH_NOARGS, "One."}, {"outer", m_outer, METH_NOARGS, NULL}, {NULL}};
static PyMethodDef t_methods[] = {{"method", t_method, METH_NOARGS, NULL}, {NULL}};
static PyGetSetDef t_getset[] = {{"both", t_get, t_set, NULL, NULL}, {NULL}};
static PyNumberMethods t_number = {.nb_power = t_power};
static PySequenceMethods t_sequence = {.sq_length = t_length};
static PyTypeObject T = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "stripped.T", .tp_basicsize = sizeof(PyObject), .tp_flags = Py_TPFLAGS_DEFAULT |
  Py_TPFLAGS_BASETYPE, .tp_methods = t_methods, .tp_getset = t_getset, .tp_as_number = &t_number, .tp_as_sequence = &t_sequence, .tp_call = t_call,
  .tp_new = PyType_GenericNew};
static PyMethodDef h_methods[] = {{"deeper", h_method, METH_NOARGS, "Of a type made at run time."}, {NULL}};
static PyType_Slot h_slots[] = {{Py_tp_methods, h_methods}, {Py_nb_add, h_add}, {0, NULL}};
static PyType_Spec h_spec = {"stripped.H", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, h_slots};
static int m_exec(PyObject *module) {
  say("exec");
  PyObject *h = PyType_FromSpec(&h_spec);
  return h && PyType_Ready(&T) == 0 && PyModule_AddObject(module, "T", (PyObject *)&T) == 0 ? PyModule_AddObject(module, "H", h) : -1;
}
static PyModuleDef_Slot slots[] = {{Py_mod_exec, m_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, "stripped", NULL, 0, methods, slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_stripped(void) { return PyModuleDef_Init(&def); }
"""

# What Python runs, the C function whose frame calls puts, and the name that a table gives it.
CASES = [
    ("stripped.plain()", "m_plain", "function plain"),
    ("stripped.T().method()", "t_method", "method stripped.T.method"),
    ("stripped.T().both", "t_get", "getter of the attribute both"),
    ("setattr(stripped.T(), 'both', 1)", "t_set", "setter of the attribute both"),
    ("stripped.T() ** 2", "t_power", "nb_power slot of stripped.T"),
    ("len(stripped.T())", "t_length", "sq_length slot of stripped.T"),
    ("stripped.T()()", "t_call", "tp_call slot of stripped.T"),
    ("type('Sub', (stripped.T,), {})()()", "t_call", "tp_call slot of stripped.T"),
    ("stripped.H().deeper()", "h_method", "method stripped.H.deeper"),
    ("stripped.H() + 1", "h_add", "nb_add slot of stripped.H"),
    ("stripped.outer()", "deep", "function called by function outer"),
    ("", "m_exec", "exec function of a module"),
]


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stripped extension; its twin with symbols lies beside it in `twin`."""
    compiler = shutil.which("gcc")
    assert compiler, "gcc is what builds callpath"
    folder = tmp_path_factory.mktemp("extension")
    (folder / "stripped.c").write_text(SOURCE)
    (folder / "twin").mkdir()
    twin = folder / "twin" / "stripped.so"
    subprocess.run([compiler, "-O1", "-fno-optimize-sibling-calls", "-fno-inline", "-shared", "-fPIC", "-w", "-I", sysconfig.get_paths()["include"],
                    folder / "stripped.c", "-o", twin], check=True)
    subprocess.run(["strip", "-o", folder / "stripped.so", twin], check=True)
    return folder


def twin_symbol(folder: Path, offset: int) -> str:
    """The function of the twin that holds an offset."""
    listing = subprocess.run(["nm", "-S", folder / "twin" / "stripped.so"], capture_output=True, text=True, check=True).stdout
    for start, size, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\w+)$", listing, re.MULTILINE):
        if int(start, 16) <= offset < int(start, 16) + int(size, 16):
            return name
    raise AssertionError(f"{offset:#x} is in no function of the twin")


@pytest.mark.parametrize("statement, function, name", CASES, ids=[case[1] for case in CASES])
def test_tables_of_an_extension_name_its_functions(
    callpath: Run, extension: Path, tmp_path: Path, statement: str, function: str, name: str
) -> None:
    program, out = tmp_path / "p.py", tmp_path / "r.json"
    program.write_text(f"import sys\nsys.path.insert(0, {str(extension)!r})\nimport stripped\n{statement}\n")
    done = callpath("run", "--quiet", "--limit", "2", "--at", "puts", "-o", out, program)
    assert done.returncode == 0, done.stderr
    recording = json.loads(out.read_text())
    event = recording["events"][-1 if statement else 0]
    frames = [f for f in event["frames"] if f.get("module") is not None and recording["modules"][f["module"]]["name"] == "stripped.so"]
    found = {twin_symbol(extension, int(f["offset"], 16) - 1): f for f in frames}
    assert function in found, found.keys()
    assert (found[function]["full"], found[function]["confidence"]) == (name, "inferred")
    assert found[function]["evidence"]
    # No table names the helper that all of them call: only who calls it is told.
    assert found["say"]["full"].startswith(("function called by ", "function inside "))


numpy = pytest.mark.skipif(importlib.util.find_spec("numpy") is None, reason="python3-numpy is not installed")


def inside_numpy(callpath: Run, folder: Path, program: str, at: str) -> list[dict]:
    """NumPy's native frames at the first hit of a probe."""
    script, out = folder / "p.py", folder / "r.json"
    script.write_text("import numpy as np\n" + program)
    done = callpath("run", "--quiet", "--limit", "1", "--at", at, "-o", out, script)
    assert done.returncode == 0, done.stderr
    recording = json.loads(out.read_text())
    frames = [f for f in recording["events"][0]["frames"] if f.get("module") is not None]
    return [f for f in frames if recording["modules"][f["module"]]["name"].startswith("_multiarray_umath")]


@numpy
@pytest.mark.parametrize("statement, at, ufunc", [("a**3", "powl", "power"), ("np.exp(a)", "expl", "exp"), ("np.hypot(a, a)", "hypotl", "hypot")])
def test_a_loop_that_several_ufuncs_share_names_them_all(callpath: Run, tmp_path: Path, statement: str, at: str, ufunc: str) -> None:
    """Long doubles: one loop a signature, which calls the C library, where a probe can stand."""
    program = f"a = np.arange(4.).astype(np.longdouble)\n{statement}\n"
    frames = inside_numpy(callpath, tmp_path, program, at)
    signature = "g->g" if ufunc == "exp" else "gg->g"
    assert (frames[0]["full"], frames[0]["layer"]) == (f"loop {signature} of numpy ufuncs", "kernel")
    assert re.search(rf"serves .*\b{ufunc}\b", frames[0]["evidence"])
    # Up to the call by the interpreter, each is told by the one whose code leads to it.
    assert [f["full"] for f in frames if f["confidence"] == "module" or f["layer"] == "unknown"] == []
    assert "vectorcall of numpy.ufunc" in frames[-1]["full"] and frames[-1]["layer"] == "dispatcher"


AT_THE_ELEMENT = """
import gdb, json, re, subprocess
gdb.execute("run", to_string=True)  # up to the program's signal
address = open("ADDRESS").read()
gdb.execute("rwatch *(double *) " + address, to_string=True)
gdb.execute("signal 0", to_string=True)
frame, stack = gdb.newest_frame(), []
while frame is not None and "_multiarray_umath" in (gdb.solib_name(frame.pc()) or ""):
    stack.append(hex(frame.pc()) + ("" if stack else "!"))
    frame = frame.older()
stack.append(hex(frame.pc()))
print("NAMES " + subprocess.run(["CALLPATH", "names", "--pid", str(gdb.selected_inferior().pid), *stack], capture_output=True, text=True,
                                check=True).stdout)
"""


@numpy
@pytest.mark.parametrize("statement, loop", [("a**2", "loop d->d of numpy.square"), ("a**3", "loop dd->d of numpy.power"),
                                             ("a + a", "loop dd->d of numpy.add")])
def test_square_and_cube_end_in_different_loops(build: Path, python: str, tmp_path: Path, statement: str, loop: str) -> None:
    """Where the element is read, which gdb's watchpoint finds. The power slot leaves no frame."""
    program, script, address = tmp_path / "p.py", tmp_path / "s.py", tmp_path / "address"
    program.write_text(f"import numpy as np, os, signal\na = np.arange(4.) + 1\nopen({str(address)!r}, 'w').write(str(a.ctypes.data))\n"
                       f"os.kill(os.getpid(), signal.SIGUSR1)\n{statement}\n")
    script.write_text(AT_THE_ELEMENT.replace("ADDRESS", str(address)).replace("CALLPATH", str(build / "bin/callpath")))
    done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", script, "--args", python, program],
                          capture_output=True, text=True, env=clean_environment(), stdin=subprocess.DEVNULL)
    line = next((line for line in done.stdout.splitlines() if line.startswith("NAMES ")), None)
    assert line, done.stdout + done.stderr
    names = json.loads(line.removeprefix("NAMES "))
    assert names[0]["full"] == loop
    assert not any("nb_power" in name["full"] for name in names if name)
