"""Memory shared with NumPy and others; copies and pickles; generators; limits of types; settings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from engine_support import PYTHON, as_torch_says, engine_environment, evaluate, run_engine, torch_values


def check(build: Path, program: str) -> None:
    """A program of assertions after the usual imports."""
    result = run_engine(build, program, check=False)
    assert result.returncode == 0, result.stderr


def test_memory_is_shared_with_numpy_both_ways(build: Path) -> None:
    pytest.importorskip("numpy")
    check(build, """
    import gc, numpy, weakref
    for name in "float32 float64 int64 int32 int16 int8 uint8 bool".split():
        a = numpy.arange(12).reshape(3, 4).astype(name)
        x = torch.from_numpy(a)
        assert str(x.dtype) == "tensorlib." + name and x.tolist() == a.tolist() and x.data_ptr() == a.ctypes.data
        x[1, 2] = 1
        assert a[1, 2] == 1
        b = x.t()[::2].numpy()
        assert b.dtype == a.dtype and b.shape == (2, 3) and b.tolist() == a.T[::2].tolist() and b.base is not None
        b[0, 0] = 0
        assert a[0, 0] == 0 and b.strides == a.T[::2].strides
    assert torch.from_numpy(numpy.array(3.)).shape == () and torch.zeros(0, 3).numpy().shape == (0, 3) and t(2.).numpy().shape == ()
    # Each keeps the other alive.
    a = numpy.ones(1000); w = weakref.ref(a); x = torch.from_numpy(a); del a; gc.collect()
    assert w() is not None and x.sum().item() == 1000
    del x; gc.collect()
    assert w() is None
    b = torch.ones(1000).numpy(); gc.collect()
    assert b.sum() == 1000
    assert numpy.asarray(torch.ones(2)).dtype == numpy.float32 and numpy.asarray(torch.ones(2), dtype="f8").dtype == numpy.float64
    assert numpy.array(torch.ones(2)).flags.owndata and isinstance(numpy.sin(torch.ones(2)), torch.Tensor)
    x = torch.ones(2); assert torch.as_tensor(x) is x or torch.as_tensor(x).data_ptr() == x.data_ptr()
    a = numpy.ones(2); assert torch.as_tensor(a).data_ptr() == a.ctypes.data and torch.tensor(a).data_ptr() != a.ctypes.data
    """)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("torch.from_numpy(numpy.arange(4)[::-1])", "ValueError: At least one stride in the given numpy array is negative"),
        ("torch.from_numpy(numpy.zeros((2, 2))[:, ::-1])", "ValueError: At least one stride"),
        ("torch.from_numpy(numpy.zeros(2, 'f2'))", "TypeError: can't convert np.ndarray of type numpy.float16"),
        ("torch.from_numpy(numpy.zeros(2, 'c8'))", "TypeError: can't convert np.ndarray of type numpy.complex64"),
        ("torch.from_numpy(numpy.zeros(2, 'u4'))", "TypeError: can't convert np.ndarray of type numpy.uint32"),
        ("torch.from_numpy(numpy.zeros(2, object))", "TypeError: can't convert np.ndarray of type numpy.object_"),
        ("torch.from_numpy(numpy.zeros(2, '>f4'))", "ValueError: given numpy array has byte order different from the native byte order"),
        ("torch.from_numpy([1, 2])", "TypeError: expected np.ndarray (got list)"),
        ("torch.from_numpy(numpy.zeros(2, [('a', 'i1'), ('b', 'f4')])['b'])", "ValueError: given numpy array strides not a multiple of the element byte size"),
        ("torch.ones(2, requires_grad=True).numpy()", "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
        ("memoryview(torch.ones(2, requires_grad=True))", "BufferError: a Tensor that requires grad has no buffer"),
        ("torch.ones(2, requires_grad=True).__dlpack__()", "BufferError: Can't export tensors that require gradient"),
        ("torch.frombuffer(b'', dtype=torch.int8)", "ValueError: both buffer length (0) and count (-1) must not be 0"),
        ("torch.frombuffer(bytearray(5), dtype=torch.int32)", "ValueError: buffer length (5 bytes) after offset (0 bytes) must be a multiple of element size (4)"),
        ("torch.frombuffer(bytearray(8), dtype=torch.int32, offset=9)", "ValueError: offset (9 bytes) must be non-negative"),
        ("torch.frombuffer(bytearray(8), dtype=torch.int32, count=3)", "ValueError: requested buffer length (3 * 4 bytes)"),
        ("torch.frombuffer(3, dtype=torch.int8)", "ValueError: object does not implement Python buffer protocol."),
    ],
)  # fmt: skip
def test_memory_that_cannot_be_shared(build: Path, expression: str, error: str) -> None:
    pytest.importorskip("numpy")
    (answer,) = evaluate(build, [expression], "import numpy")
    assert answer.startswith(error), answer


def test_a_read_only_array_is_warned_about(build: Path) -> None:
    pytest.importorskip("numpy")
    check(build, """
    import numpy, warnings
    a = numpy.ones(2); a.flags.writeable = False
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.from_numpy(a)
    assert len(seen) == 1 and seen[0].category is UserWarning and "not writable" in str(seen[0].message)
    """)


def test_buffers(build: Path) -> None:
    check(build, """
    import gc
    formats = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "?"}
    for name, code in formats.items():
        x = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
        m = memoryview(x)
        assert (m.format, m.shape, m.itemsize, m.nbytes, m.readonly) == (code, (2, 3), x.element_size(), x.numel() * x.element_size(), False)
        assert m.tolist() == x.tolist() and memoryview(x.t()).strides == (x.element_size(), 3 * x.element_size())
    m = memoryview(torch.arange(4.)); gc.collect()
    assert m.tolist() == [0., 1., 2., 3.]
    x = torch.zeros(4); m = memoryview(x); m[1] = 5.; assert x[1].item() == 5.
    # The storage stays where it is while somebody has its address.
    try: x.resize_(1000)
    except RuntimeError as error: assert "not resizable" in str(error), error
    else: raise AssertionError("resized under a buffer")
    assert m.tolist() == [0., 5., 0., 0.]
    m.release(); x.resize_(1000); assert x.numel() == 1000
    x = torch.zeros(2, 3)
    try: bytes(memoryview(x.t()).cast("B"))
    except TypeError: pass
    else: raise AssertionError
    assert bytes(x.contiguous()) == bytes(24)
    import io; f = io.BytesIO(); f.write(torch.ones(2, dtype=torch.int16)); assert f.getvalue() == b"\\1\\0\\1\\0"
    b = bytearray(8); x = torch.frombuffer(b, dtype=torch.int16, offset=2, count=2); x[0] = 258
    assert b == b"\\0\\0\\2\\1\\0\\0\\0\\0"
    """)


def test_dlpack(build: Path) -> None:
    pytest.importorskip("numpy")
    check(build, """
    import gc, numpy
    for name in "float32 float64 int64 int32 int16 int8 uint8".split():
        x = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
        a = numpy.from_dlpack(x.t())
        assert a.tolist() == x.t().tolist() and a.dtype == name
        x[0, 1] = 9; assert a[1, 0] == 9
        y = torch.from_dlpack(x); y[1, 1] = 7; assert x[1, 1].item() == 7 and y.stride() == x.stride()
        b = numpy.arange(6).astype(name).reshape(3, 2)[:, ::-1][:, ::-1]
        z = torch.from_dlpack(b); z[2, 1] = 3; assert b[2, 1] == 3
        del b; gc.collect(); assert z[2, 1].item() == 3
    x = torch.ones(3); assert x.__dlpack_device__() == (1, 0)
    capsule = x.__dlpack__(); del x; y = torch.from_dlpack(capsule); assert y.tolist() == [1., 1., 1.]
    try: torch.from_dlpack(capsule)
    except RuntimeError as error: assert "can be consumed only once" in str(error)
    else: raise AssertionError
    assert torch.from_dlpack(torch.ones(2, dtype=torch.bool)).tolist() == [True, True]
    torch.ones(2).__dlpack__()  # never taken over: nothing leaks, nothing crashes
    """)


def test_dlpack_with_pytorch(build: Path) -> None:
    program = """
import torch, tensorlib
x = tensorlib.arange(6.).reshape(2, 3)
y = torch.from_dlpack(x.t())
y[0, 1] = 9
assert x[1, 0].item() == 9 and y.stride() == (1, 3)
z = tensorlib.from_dlpack(torch.arange(4))
assert z.tolist() == [0, 1, 2, 3] and z.dtype is tensorlib.int64
"""
    done = subprocess.run([PYTHON, "-c", program], env=engine_environment(build), capture_output=True, text=True, timeout=120)
    if "No module named 'torch'" in done.stderr:
        pytest.skip("python3-torch is not installed")
    assert done.returncode == 0, done.stderr


def test_pickles_and_copies_keep_views_views(build: Path) -> None:
    check(build, """
    import copy, pickle
    class Sub(torch.Tensor): pass
    import __main__; __main__.Sub = Sub; Sub.__module__ = "__main__"; Sub.__qualname__ = "Sub"
    base = torch.arange(24.).reshape(4, 6)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        a, b, c = pickle.loads(pickle.dumps([base, base[1:, ::2], base.t()], protocol))
        assert a.tolist() == base.tolist() and b.tolist() == base[1:, ::2].tolist() and c.stride() == (1, 6)
        b[0, 0] = -1; assert a[1, 0].item() == -1 and c[0, 1].item() == -1 and base[1, 0].item() == 6
    for kind in (torch.float64, torch.int64, torch.int8, torch.bool):
        x = pickle.loads(pickle.dumps(torch.ones(2, dtype=kind))); assert x.dtype is kind and x.tolist() == torch.ones(2, dtype=kind).tolist()
    for x in (torch.zeros(0, 3), t(2.5)): assert pickle.loads(pickle.dumps(x)).shape == x.shape
    x = torch.ones(2, requires_grad=True); assert pickle.loads(pickle.dumps(x)).requires_grad and copy.deepcopy(x).requires_grad
    s = torch.ones(2).as_subclass(Sub); s.note = "kept"
    for made in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)): assert type(made) is Sub and made.note == "kept" and made.tolist() == [1., 1.]
    a, b = copy.deepcopy([base, base[0]]); b[0] = 100; assert a[0, 0].item() == 100 and base[0, 0].item() == 0
    same = copy.deepcopy([base, base]); assert same[0] is same[1]
    shallow = copy.copy(base); shallow[0, 0] = 55; assert base[0, 0].item() == 55
    for value in (torch.float32, torch.bool, torch.Size([1, 2]), torch.device("cpu")):
        assert pickle.loads(pickle.dumps(value)) == value and type(pickle.loads(pickle.dumps(value))) is type(value)
    assert pickle.loads(pickle.dumps(torch.float32)) is torch.float32
    assert base.untyped_storage() is base[1].untyped_storage() and base.untyped_storage().nbytes() == 96
    """)


def test_objects_of_tensors(build: Path) -> None:
    check(build, """
    import gc, weakref
    x = torch.ones(2)
    x.note = [1]; x.me = x
    w = weakref.ref(x); del x; gc.collect(); assert w() is None  # a cycle through its attributes goes
    for _ in range(300):  # objects are used again: none brings anything of the last one's along
        y = torch.ones(1); assert not y.__dict__ and y.requires_grad is False
        y.note = 1; y.requires_grad = True
    class Sub(torch.Tensor):
        __slots__ = ("slot",)
    s = Sub([1., 2.]); s.slot = 3; w = weakref.ref(s); assert (type(s), s.slot, s.tolist()) == (Sub, 3, [1., 2.])
    references = sys.getrefcount(Sub); del s; assert w() is None and sys.getrefcount(Sub) == references - 1
    before = sys.getrefcount(torch.Tensor)
    many = [torch.ones(1) for _ in range(500)]; del many; gc.collect()
    assert abs(sys.getrefcount(torch.Tensor) - before) < 5
    assert torch.ones(1) in {torch.ones(1): 1} or True
    assert len({x: 1 for x in [torch.ones(1), torch.ones(1)]}) == 2
    assert "pow" in dir(torch.ones(1)) and "note" in dir(y) and torch.Tensor.pow.__doc__.startswith("pow(exponent)") and torch.pow.__doc__
    """)


INFO = [
    "torch.finfo()", "torch.finfo(torch.float64)", "torch.iinfo(torch.int8)", "torch.iinfo(torch.uint8)", "torch.iinfo(torch.int64)", "torch.finfo(torch.float32).eps", "torch.finfo(torch.float64).max",
    "torch.finfo().smallest_normal", "torch.finfo().tiny", "torch.finfo().bits", "torch.finfo().min", "torch.finfo().resolution", "torch.iinfo(torch.int64).min", "torch.iinfo(torch.int32).max", "torch.iinfo(torch.int16).bits",
    "torch.finfo() == torch.finfo(torch.float32)", "torch.finfo() == torch.finfo(torch.float64)", "torch.finfo(torch.float32).dtype", "torch.float32.is_floating_point", "torch.int8.is_signed", "torch.uint8.is_signed",
    "torch.float", "torch.double", "torch.long", "torch.int", "torch.short", "torch.bool", "torch.Size([2, 3])", "torch.Size([2, 3]).numel()", "torch.Size([2]) + (3,)", "torch.Size([2, 3, 4])[1:]", "torch.Size([2]) * 2", "torch.Size((t(2), 3))",
    "torch.device('cpu')", "str(torch.device('cpu'))", "torch.ones(1).device", "torch.ones(1).device == torch.device('cpu')", "torch.ones(2).is_cuda", "torch.is_tensor(1)", "torch.is_tensor(t(1))",
]  # fmt: skip


def test_types_sizes_and_limits(build: Path) -> None:
    asked = [f"repr({e})" for e in INFO]
    ours, theirs = evaluate(build, asked), torch_values(asked)
    assert [row for row in zip(INFO, map(as_torch_says, ours), theirs) if row[1] != row[2]] == []


def test_errors_of_limits(build: Path) -> None:
    answers = evaluate(build, ["torch.finfo(torch.int8)", "torch.iinfo(torch.float32)", "torch.finfo(3)", "torch.iinfo()", "torch.Size([1.5])", "torch.device('cuda')", "torch.bfloat16", "torch.nothing"])
    assert [a.split(":")[0] for a in answers] == ["TypeError"] * 5 + ["RuntimeError", "TypeError", "AttributeError"]


def test_the_default_type(build: Path) -> None:
    check(build, """
    assert torch.get_default_dtype() is torch.float32
    torch.set_default_dtype(torch.float64)
    assert torch.ones(1).dtype is torch.float64 and t(1.5).dtype is torch.float64 and (t(3) / 2).dtype is torch.float64 and repr(t(1.5)) == "tensor(1.5000)"
    assert repr(torch.ones(1, dtype=torch.float32)).endswith("dtype=tensorlib.float32)") and (t(1) * 1.5).dtype is torch.float64
    torch.set_default_dtype(torch.float32)
    for wrong in (torch.int64, 3, float):
        try: torch.set_default_dtype(wrong)
        except TypeError: pass
        else: raise AssertionError(wrong)
    assert t(1.5).dtype is torch.float32
    """)


def test_generators(build: Path) -> None:
    check(build, """
    torch.manual_seed(5); a = torch.randn(20)
    g = torch.Generator(); assert g.manual_seed(5) is g and g.initial_seed() == 5 and str(g.device) == "cpu"
    assert bits(torch.randn(20, generator=g)) == bits(a)
    state = g.get_state(); b = torch.rand(7, generator=g); g.set_state(state); assert bits(torch.rand(7, generator=g)) == bits(b)
    x = torch.empty(3); torch.manual_seed(1); x.normal_(); state = torch.get_rng_state(); y = x.clone().normal_()  # a kept normal goes along
    torch.set_rng_state(state); assert bits(x.normal_()) == bits(y)
    assert g.seed() == g.initial_seed() and torch.initial_seed() == 1
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1 and torch.manual_seed(1.9).initial_seed() == 1 and torch.manual_seed(2**64 - 1)
    for wrong, error in ((2**64, RuntimeError), (-2**63 - 1, RuntimeError), ("a", TypeError), (None, TypeError)):
        try: torch.manual_seed(wrong)
        except error: pass
        else: raise AssertionError(wrong)
    for wrong in (torch.zeros(5, dtype=torch.uint8), torch.ones(3), "a"):
        try: g.set_state(wrong)
        except (RuntimeError, TypeError): pass
        else: raise AssertionError(wrong)
    """)


def test_the_number_of_threads(build: Path) -> None:
    check(build, """
    x = torch.randn(300_000); expected = bits(x ** 2.5)
    for threads in (1, 2, 5):
        torch.set_num_threads(threads); assert torch.get_num_threads() == threads and bits(x ** 2.5) == expected
    for wrong in (0, -1, "a", 1.5):
        try: torch.set_num_threads(wrong)
        except (RuntimeError, TypeError): pass
        else: raise AssertionError(wrong)
    """)


def test_output_arguments(build: Path) -> None:
    expressions = [
        "torch.pow(x, 2, out=y) is y", "y.tolist()", "torch.add(x, x, out=torch.empty(3, dtype=f64)).dtype is f64", "torch.linspace(0, 2, 3, out=torch.empty(3)).tolist()",
        "[r.tolist() for r in torch.max(torch.ones(2, 2), 0, out=(torch.empty(0), torch.empty(0, dtype=torch.int64)))]", "torch.pow(x, 2, out=[y])", "torch.pow(x, 2, out=torch.empty(3, dtype=torch.int64))",
    ]  # fmt: skip
    answers = evaluate(build, expressions, "x = torch.arange(3.); y = torch.empty(3)")
    assert answers[:4] == [True, [0.0, 1.0, 4.0], True, [0.0, 1.0, 2.0]]
    assert json.dumps(answers[4]) in ("[[1.0, 1.0], [0, 0]]",) or str(answers[4]).startswith("TypeError")
    assert answers[5].startswith("TypeError: pow()") and answers[6].startswith("RuntimeError: result type Float can't be cast")
