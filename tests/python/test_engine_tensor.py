"""Tensors from Python: making, indexing, arithmetic, printing, modes, overriding."""

import json
import subprocess
from pathlib import Path

import pytest
from engine_support import PYTHON, capabilities, engine_environment, evaluate, run_engine

INDICES = [
    "0", "-1", "1:", ":-1", "::2", "1:3", "-3:100:2", "5:2", "-100:2", "...", "None", "0, 1", ":, -1", ":, :, 2", "..., 0", "..., 1::2",
    "0, ...", "None, 0, None", "::3, ..., None", "()", "1, 2, 3", "-2:, 0:0", "..., None, ::2, 1", "numpy.int64(1), :", "0, 0, 0, None",
]  # fmt: skip


def test_indexing_agrees_with_numpy(build: Path) -> None:
    pytest.importorskip("numpy")
    setup = """
    import numpy
    data = numpy.arange(4 * 5 * 6, dtype=numpy.float32).reshape(4, 5, 6)
    X = t(data.tolist())
    def layout(shape, strides):  # the stride of a dimension of size 1 is nobody's business
        return [(size, stride) for size, stride in zip(shape, strides) if size != 1]
    def same(ours, theirs):
        return (ours.tolist() == theirs.tolist() and tuple(ours.shape) == theirs.shape and
                (theirs.size == 0 or layout(ours.shape, ours.stride()) == layout(theirs.shape, [s // 4 for s in theirs.strides])))
    """
    answers = evaluate(build, [f"same(X[{index}], data[{index}])" for index in INDICES], setup)
    assert dict(zip(INDICES, answers)) == dict.fromkeys(INDICES, True)


def test_indexing_gives_views(build: Path) -> None:
    setup = "X = torch.zeros(4, 6)"
    expressions = ["X[1:, ::2].data_ptr() - X.data_ptr()", "X[-1, 2].data_ptr() - X.data_ptr()", "X[...] is X", "X[2].storage_offset()"]
    assert evaluate(build, expressions, setup) == [24, 80, False, 12]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("torch.zeros(3)[3]", "IndexError: index 3 is out of bounds for dimension 0 with size 3"),
        ("torch.zeros(3)[-4]", "IndexError: index -4 is out of bounds for dimension 0 with size 3"),
        ("torch.zeros(3)[0, 0]", "IndexError: too many indices for tensor of dimension 1"),
        ("torch.zeros(3)[..., ...]", "IndexError: an index can only have a single ellipsis ('...')"),
        ("t(1.)[0]", "IndexError: invalid index of a 0-dim tensor."),
        ("torch.zeros(3)['a']", "IndexError: only integers, slices"),
        ("torch.zeros(3)[1.0]", "IndexError: only integers, slices"),
        ("torch.zeros(3)[2**70]", "IndexError: cannot fit 'int' into an index-sized integer"),
        ("torch.zeros(3)[::-1]", "ValueError: step must be greater than zero"),
        ("torch.zeros(3)[::0]", "ValueError: slice step cannot be zero"),
        ("torch.zeros(2) + torch.zeros(3)", "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
        ("torch.zeros(2).item()", "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"),
        ("torch.zeros(2).unsqueeze(2)", "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        ("torch.zeros(2).size(1)", "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
        ("t(1.).stride(0)", "IndexError: Dimension specified as 0 but tensor has no dimensions"),
        ("torch.randn(-1)", "RuntimeError: Trying to create tensor with negative dimension -1: [-1]"),
        ("torch.empty(2**62)", "RuntimeError: not enough memory"),
        ("torch.empty(2**31, 2**31, 2**31)", "RuntimeError: not enough memory"),
        ("torch.empty(2**64)", "OverflowError:"),
        ("torch.randn(2, dtype=3)", "TypeError: randn("),
        ("torch.randn('2')", "TypeError: randn("),
        ("t([[1., 2.], [3.]])", "ValueError: expected sequence of length 2 at dim 1 (got 1)"),
        ("t([[1.], 2.])", "TypeError: not a sequence"),
        ("t([1., 'a'])", "TypeError: new(): invalid data type 'str'"),
        ("t('abc')", "TypeError: new(): invalid data type 'str'"),
        ("t([1j])", "TypeError: complex numbers are not supported"),
        ("t(1.).as_subclass(int)", "TypeError: as_subclass: a subclass of tensorlib.Tensor is needed"),
        ("torch.Tensor(1.5)", "TypeError: new(): data must be a sequence (got float)"),
        ("len(t(1.))", "TypeError: len() of a 0-d tensor"),
        ("list(t(1.))", "TypeError: iteration over a 0-d tensor"),
        ("bool(torch.zeros(2))", "RuntimeError: Boolean value of Tensor with more than one value is ambiguous"),
        ("torch.zeros(2) + 'a'", "TypeError: unsupported operand type(s) for +: 'Tensor' and 'str'"),
        ("'a' + torch.zeros(2)", "TypeError:"),
        ("torch.zeros(2) / 'a'", "TypeError: unsupported operand type(s) for /: 'Tensor' and 'str'"),
        ("torch.zeros(2).add(1, beta=2)", "TypeError: add() got an unexpected keyword argument 'beta'"),
        ("setattr(torch.zeros(2), 'requires_grad', 1)", "TypeError: requires_grad must be a bool"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(build: Path, expression: str, error: str) -> None:
    answer = evaluate(build, [expression])[0]
    assert isinstance(answer, str) and answer.startswith(error), answer


ARITHMETIC = [
    "A + B", "A - B", "A * B", "A + R", "R - C", "C * R", "A + 1.5", "1.5 - A", "2 * A", "A - 0.1", "A[::2] + A[1::2]", "A.T * B.T",
    "A + D", "(A * D)[1:]", "A[0] - A", "A[:, :1] * A[:1]", "E + 1", "A.add(B, alpha=3)",
]  # fmt: skip


def test_arithmetic_agrees_with_numpy(build: Path) -> None:
    pytest.importorskip("numpy")
    setup = """
    import numpy
    torch.manual_seed(1)
    names = {'A': (4, 6), 'B': (4, 6), 'R': (6,), 'C': (4, 1), 'D': (4, 6), 'E': (0, 3)}
    ours = {n: torch.randn(*s, dtype=f64 if n == 'D' else torch.float32) for n, s in names.items()}
    theirs = {n: numpy.array(x.tolist(), dtype='f8' if n == 'D' else 'f4').reshape(names[n]) for n, x in ours.items()}
    def same(expression):
        x = eval(expression, dict(ours))
        # With alpha the engine rounds once: 3 * B is exact in float64, so the sum there, rounded, is what it must give.
        y = eval(expression.replace('A.add(B, alpha=3)', "(A + 3 * B.astype('f8')).astype('f4')"), dict(theirs))
        kind = {'float32': 'tensorlib.float32', 'float64': 'tensorlib.float64'}[str(y.dtype)]
        return x.tolist() == y.tolist() and tuple(x.shape) == y.shape and str(x.dtype) == kind
    """
    answers = evaluate(build, [f"same({expression!r})" for expression in ARITHMETIC], setup)
    assert dict(zip(ARITHMETIC, answers)) == dict.fromkeys(ARITHMETIC, True)


def test_tensors_and_their_attributes(build: Path) -> None:
    setup = "X = torch.zeros(3, 4, dtype=f64)"
    expressions = [
        "list(X.shape)", "repr(X.shape)", "X.shape.numel()", "X.size(-1)", "X.stride()", "X.stride(0)", "X.numel()", "X.dim()", "X.ndim",
        "str(X.dtype)", "X.element_size()", "X.is_contiguous()", "X.t().is_contiguous()", "X.contiguous() is X", "X.t().contiguous().stride()",
        "X.unsqueeze(1).stride()", "X.requires_grad", "X.is_leaf", "X[0] is not X[0]", "len(X)", "X.to(torch.float32).element_size()",
        "X.to(f64) is X", "[x.tolist() for x in t([[1., 2.], [3., 4.]])]", "t([[1., 2.], [3., 4.]]).T.tolist()", "float(t(2.5)), int(t([2.5]))",
        "isinstance(X + 1, torch.Tensor)", "torch.full((2,), 1e300, dtype=f64).tolist()", "t([], dtype=f64).shape.numel()", "torch.ones(2).tolist()",
        "t(X).data_ptr() == X.data_ptr()", "X.data_ptr() % 64",
    ]  # fmt: skip
    assert evaluate(build, expressions, setup) == [
        [3, 4], "tensorlib.Size([3, 4])", 12, 4, [4, 1], 4, 12, 2, 2,
        "tensorlib.float64", 8, True, False, True, [3, 1],
        [4, 4, 1], False, True, True, 3, 4,
        True, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [2.0, 4.0]], [2.5, 2],
        True, [1e300, 1e300], 0, [1.0, 1.0],
        False, 0,
    ]  # fmt: skip


# As torch prints them, but for the name of the module in the dtype.
PRINTED = [
    ("t(5.)", "tensor(5.)"),
    ("t([1., 2.])", "tensor([1., 2.])"),
    ("t([1.5, -2.25])", "tensor([ 1.5000, -2.2500])"),
    ("t([1e-8, 1.])", "tensor([1.0000e-08, 1.0000e+00])"),
    ("t([1e10, 1.])", "tensor([1.0000e+10, 1.0000e+00])"),
    ("t([nan, 1.])", "tensor([nan, 1.])"),
    ("t([0.5, inf, -inf])", "tensor([0.5000,    inf,   -inf])"),
    ("torch.zeros(2, 3)", "tensor([[0., 0., 0.],\n        [0., 0., 0.]])"),
    ("t([-0., 0.])", "tensor([-0., 0.])"),
    ("t([1.5], dtype=f64)", "tensor([1.5000], dtype=tensorlib.float64)"),
    ("torch.ones(1, requires_grad=True)", "tensor([1.], requires_grad=True)"),
    ("t([])", "tensor([])"),
    ("torch.zeros(0, 3)", "tensor([], size=(0, 3))"),
    ("torch.ones(2, 2, 1)", "tensor([[[1.],\n         [1.]],\n\n        [[1.],\n         [1.]]])"),
    ("torch.ones(1001)", "tensor([1., 1., 1.,  ..., 1., 1., 1.])"),
    ("torch.ones(501, 2)", "tensor([[1., 1.],\n        [1., 1.],\n        [1., 1.],\n        ...,\n        [1., 1.],\n        [1., 1.],\n        [1., 1.]])"),
    ("torch.ones(25)", "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,\n        1., 1., 1., 1., 1., 1., 1.])"),
]  # fmt: skip


def test_printing(build: Path) -> None:
    answers = evaluate(build, [f"repr({expression})" for expression, _ in PRINTED])
    assert dict(zip((e for e, _ in PRINTED), answers)) == dict(PRINTED)


def test_modes_belong_to_the_thread_and_end(build: Path) -> None:
    program = """
    import threading
    x = torch.ones(2, requires_grad=True)
    seen = {}
    with torch.no_grad():
        seen["no_grad"] = [torch.is_grad_enabled(), (x**2).requires_grad]
        thread = threading.Thread(target=lambda: seen.update(other_thread=torch.is_grad_enabled()))
        thread.start(); thread.join()
        with torch.enable_grad():
            seen["enable_grad"] = (x**2).requires_grad
    try:
        with torch.inference_mode():
            y = torch.ones(2)
            seen["inference"] = [y.is_inference(), (x**2).requires_grad, torch._C._dispatch_keys(y)]
            raise KeyError
    except KeyError:
        pass
    @torch.no_grad()
    def decorated():
        "doc"
        return torch.is_grad_enabled()
    seen["decorated"] = [decorated(), decorated.__name__, decorated.__doc__]
    seen["after"] = [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), (x**2).requires_grad, (x + 1).is_leaf, x[0].requires_grad]
    print(json.dumps(seen))
    """
    assert json.loads(run_engine(build, program).stdout) == {
        "no_grad": [False, False],
        "other_thread": True,
        "enable_grad": True,
        "inference": [True, False, "DispatchKeySet(CPU, AutocastCPU)"],
        "decorated": [False, "decorated", "doc"],
        "after": [True, False, True, False, True],
    }


OVERRIDING = """
class Foreign:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "mine"
class Refusing:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented
"""


def test_a_class_with_torch_function_takes_the_call(build: Path) -> None:
    answers = evaluate(build, ["t([2.])**Foreign()", "t([2.])**Refusing()", "t([2.]).__pow__(Refusing()) is NotImplemented"], OVERRIDING)
    assert answers[0] == "mine"
    assert answers[1].startswith("TypeError: unsupported operand type(s) for ** or pow()")
    assert answers[2] is True


def test_only_pow_has_a_python_function_around_it(build: Path) -> None:
    expressions = [
        "torch.Tensor.__pow__.__code__.co_name",
        "torch.Tensor.__pow__.__wrapped__ is torch._C.TensorBase.pow",
        "type(torch.Tensor.__add__).__name__",
        "type(torch.Tensor.__mul__).__name__",
        "type(torch._C.TensorBase.pow).__name__",
    ]
    assert evaluate(build, expressions) == ["wrapped", True, "method_descriptor", "method_descriptor", "method_descriptor"]


def test_a_forced_capability_is_followed(build: Path) -> None:
    for capability in capabilities(build):
        assert evaluate(build, ["torch.get_cpu_capability()"], capability=capability) == [capability.upper()]


def test_a_capability_that_is_none_is_ignored_with_a_warning(build: Path) -> None:
    result = run_engine(build, "print(torch.get_cpu_capability())", capability="sse9")
    assert result.stdout.strip().lower() == capabilities(build)[-1]
    assert "RuntimeWarning: ignoring TENSORLIB_CPU_CAPABILITY=sse9: give default, avx2 or avx512" in result.stderr


def test_the_package_is_imported_without_heavy_modules(build: Path) -> None:
    program = """
import sys
before = set(sys.modules)
import tensorlib
print([m for m in ("typing", "numpy", "re", "inspect", "dataclasses", "contextlib") if m in sys.modules and m not in before])
"""
    result = subprocess.run(
        [PYTHON, "-c", program],
        env=engine_environment(build),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout.strip() == "[]"


def test_threads_share_tensors(build: Path) -> None:
    program = """
    import threading
    X = torch.randn(1000, 2)
    expected = md5(X[:, 1]**3 + X[:, 0])
    wrong = []
    def work():
        for _ in range(200):
            if md5(X[:, 1]**3 + X[:, 0]) != expected: wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(wrong)
    """
    assert run_engine(build, program).stdout.strip() == "[]"
