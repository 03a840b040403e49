"""Bad input: the error says what is wrong with which shapes or types, of which operator, and nothing has been written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engine_support import run_engine

# Expression; what the error must say; what the note after it must say.
WRONG: dict[str, list[tuple[str, str, str]]] = {
    "operands that do not broadcast": [
        ("x + torch.ones(4)", "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1", "in add(float32[2, 3], float32[4])"),
        ("x * torch.ones(4)", "RuntimeError: The size of tensor a (3)", "in mul(float32[2, 3], float32[4])"),
        ("torch.pow(x, torch.ones(2))", "RuntimeError: The size of tensor a (3)", "in pow(float32[2, 3], float32[2])"),
        ("x < torch.ones(2)", "RuntimeError: The size of tensor a (3)", "in lt(float32[2, 3], float32[2])"),
        ("torch.where(x > 0, x, torch.ones(2))", "RuntimeError: The size of tensor a (3)", "in where(bool[2, 3], float32[2, 3], float32[2])"),
        ("x.masked_fill(torch.ones(2).bool(), 1)", "RuntimeError: The size of tensor a (3)", "in masked_fill(float32[2, 3], bool[2], 1)"),
        ("torch.normal(torch.ones(2), torch.ones(3))", "RuntimeError", "in normal(float32[2], float32[3])"),
    ],
    "shapes": [
        ("x @ x", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", "in matmul(float32[2, 3], float32[2, 3])"),
        ("x.mv(torch.ones(2))", "RuntimeError: size mismatch", "in mv(float32[2, 3], float32[2])"),
        ("torch.addmm(torch.ones(4), x, x.t())", "RuntimeError: ", "in addmm(float32[4], float32[2, 3], float32[3, 2])"),
        ("torch.ones(2, 3, 4).bmm(torch.ones(3, 4, 5))", "RuntimeError: ", "in bmm(float32[2, 3, 4], float32[3, 4, 5])"),
        ("torch.cat([x, x.t()])", "RuntimeError: Sizes of tensors must match except in dimension 0", "in cat([float32[2, 3], float32[3, 2]])"),
        ("torch.stack([x, x.t()])", "RuntimeError: stack expects each tensor to be equal size", "in stack([float32[2, 3], float32[3, 2]])"),
        ("x.view(4)", "RuntimeError: shape '[4]' is invalid for input of size 6", "in view(float32[2, 3], 4)"),
        ("x.t().view(6)", "RuntimeError: view size is not compatible", "in view(float32[3, 2], 6)"),
        ("x.expand(3, 3)", "RuntimeError: The expanded size of the tensor (3) must match the existing size (2)", "in expand(float32[2, 3], 3, 3)"),
        ("x.permute(0, 0)", "RuntimeError: permute(): duplicate dims", "in permute(float32[2, 3], 0, 0)"),
        ("torch.nn.functional.linear(torch.ones(2), x)", "RuntimeError: ", "in linear(float32[2], float32[2, 3])"),
    ],
    "element types": [
        ("x & x", 'NotImplementedError: "bitwise_and_cpu" not implemented for \'Float\'', "in bitwise_and(float32[2, 3], float32[2, 3])"),
        ("k.add_(1.5)", "RuntimeError: result type Float can't be cast to the desired output type Long", "in add_(int64[3], 1.5)"),
        ("k.exp_()", "RuntimeError: result type Float can't be cast to the desired output type Long", "in exp_(int64[3])"),
        ("k.mean()", "RuntimeError: mean(): could not infer output dtype.", "in mean(int64[3])"),
        ("torch.add(x, x, out=torch.ones(2, 3, dtype=torch.int64))", "RuntimeError: result type Float can't be cast", "in add(float32[2, 3], float32[2, 3], out=int64[2, 3])"),
        ("-(x > 0)", "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported.", "in neg(bool[2, 3])"),
        ("k**-1", "RuntimeError: Integers to negative integer powers are not allowed.", "in pow(int64[3], -1)"),
        ("x.half()", "TypeError: complex, half and bfloat16 are not supported", ""),
        ("torch.ones(2, dtype=torch.complex64)", "TypeError: tensorlib has no complex64", ""),
    ],
    "indices": [
        ("x[2]", "IndexError: index 2 is out of bounds for dimension 0 with size 2", "in __getitem__(float32[2, 3])"),
        ("x[0, 0, 0]", "IndexError: too many indices for tensor of dimension 2", "in __getitem__(float32[2, 3])"),
        ("x[t([5])]", "IndexError: index 5 is out of bounds for dimension 0 with size 2", "in __getitem__(float32[2, 3])"),
        ("x[t([True])]", "IndexError: The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0", "in __getitem__(float32[2, 3])"),
        ("x.__setitem__(t([5]), 1)", "IndexError: index 5 is out of bounds for dimension 0 with size 2", "in __setitem__(float32[2, 3])"),
        ("x.__setitem__(0, torch.ones(2))", "RuntimeError", "in __setitem__(float32[2, 3])"),
        ("x.index_select(0, t([2]))", "IndexError: index 2 is out of bounds", "in index_select(float32[2, 3], 0, int64[1])"),
        ("x.gather(0, t([[2]]))", "RuntimeError: index 2 is out of bounds for dimension 0 with size 2", "in gather(float32[2, 3], 0, int64[1, 1])"),
        ("x.scatter_(0, t([[2]]), 1.)", "RuntimeError: index 2 is out of bounds for dimension 0 with size 2", "in scatter_(float32[2, 3], 0, int64[1, 1], 1.0)"),
        ("x.index_fill_(1, t([0, 3]), 9.)", "IndexError: index 3 is out of bounds for dimension 1 with size 3", "in index_fill_(float32[2, 3], 1, int64[2], 9.0)"),
        ("x.take(t([6]))", "IndexError: index 6 is out of bounds", "in take(float32[2, 3], int64[1])"),
        ("x.sum(2)", "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)", "in sum(float32[2, 3], 2)"),
        ("torch.nn.functional.cross_entropy(x, t([0, 3]))", "IndexError: Target 3 is out of bounds.", "in cross_entropy_loss(float32[2, 3], int64[2], None, 1, -100, 0.0)"),
    ],
    "memory that is written more than once": [
        ("e.add_(1)", "RuntimeError: unsupported operation: more than one element of the written-to tensor", "in add_(float32[3], 1)"),
        ("e.pow_(2)", "RuntimeError: unsupported operation: more than one element of the written-to tensor", "in pow_(float32[3], 2)"),
        ("e.copy_(torch.ones(3))", "RuntimeError: unsupported operation: more than one element of the written-to tensor", "in copy_(float32[3], float32[3])"),
        ("torch.exp(e, out=e)", "RuntimeError: unsupported operation: more than one element of the written-to tensor", "in exp(float32[3], out=float32[3])"),
        ("a[1:].add_(a[:-1])", "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor", "in add_(float32[3], float32[3])"),
    ],
    "results that cannot be what they are to be": [
        ("torch.ones(1).add_(x)", "RuntimeError: output with shape [1] doesn't match the broadcast shape [2, 3]", "in add_(float32[1], float32[2, 3])"),
        ("torch.pow(k, 2.5, out=torch.ones(3, dtype=torch.int64))", "RuntimeError: result type Float can't be cast", "in pow(int64[3], 2.5, out=int64[3])"),
        ("torch.mm(x, x.t(), out=torch.ones(2, 2, dtype=torch.float64))", "RuntimeError: Expected out tensor to have dtype Float, but got Double instead", "in mm("),
        ("torch.from_numpy(fixed).resize_(100)", "RuntimeError: ", "in resize_(float32[2], 100)"),
    ],
    "numbers": [
        ("torch.empty(2**40, 2**40)", "RuntimeError: not enough memory", "in empty(1099511627776, 1099511627776)"),
        ("torch.empty(-1)", "RuntimeError: Trying to create tensor with negative dimension -1: [-1]", "in empty(-1)"),
        ("torch.arange(0, 1, 0)", "RuntimeError: step must be nonzero", "in arange(0, 1, 0)"),
        ("torch.randint(5, 5, (2,))", "RuntimeError: ", "in randint(5, 5, (2))"),
        ("x.clone().uniform_(2, 1)", "RuntimeError: ", "in uniform_(float32[2, 3], 2, 1)"),
        ("(lambda m: m.release())(memoryview(x)) or bytes(memoryview(x))[:0].decode() + 1", "TypeError", ""),
    ],
}  # fmt: skip
PROGRAM = """
import numpy
import tensorlib.nn
fixed = numpy.ones(2, dtype="float32")
def tell(expression):
    x, k, a = torch.arange(6.).view(2, 3), t([1, 2, 3]), torch.arange(4.)
    e = torch.ones(1).expand(3)
    before = [y.tolist() for y in (x, k, a, e)]
    try:
        eval(expression, dict(globals(), x=x, k=k, a=a, e=e))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return [text, "\\n".join(getattr(error, "__notes__", [])), before == [y.tolist() for y in (x, k, a, e)]]
    return ["no error", "", False]
print(json.dumps([tell(expression) for expression in EXPRESSIONS]))
"""


@pytest.mark.parametrize("kind", WRONG)
def test_errors_name_operator_and_shapes(build: Path, kind: str) -> None:
    pytest.importorskip("numpy")
    expressions = [expression for expression, _, _ in WRONG[kind]]
    answers = json.loads(run_engine(build, f"EXPRESSIONS = {expressions!r}\n" + PROGRAM).stdout)
    wrong = [
        (expression, answer)
        for (expression, text, note), answer in zip(WRONG[kind], answers, strict=True)
        if not (answer[0].startswith(text) and answer[1].startswith(note) and bool(answer[1]) == bool(note) and answer[2])
    ]
    assert not wrong, wrong


def test_a_traceback_shows_the_call(build: Path) -> None:
    done = run_engine(build, "torch.ones(2, 3).add(torch.ones(4), alpha=2)", check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == [
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
        "in add(float32[2, 3], float32[4], alpha=2)",
    ]


def test_an_error_of_an_override_has_no_note(build: Path) -> None:
    program = """
    class Bad(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None): raise RuntimeError("mine")
    try: torch.ones(2).as_subclass(Bad).add(1)
    except RuntimeError as error: print(json.dumps([str(error), getattr(error, "__notes__", [])]))
    """
    assert json.loads(run_engine(build, program).stdout) == ["mine", []]


def test_a_released_buffer_is_refused(build: Path) -> None:
    """What NumPy or a memoryview gave back is not read any more; what is still exported keeps the memory."""
    program = """
    import numpy
    x = torch.arange(3.)
    view = memoryview(x)
    view.release()
    try: view[0]
    except ValueError as error: print(json.dumps(str(error)))
    array = x.numpy()
    del x
    print(json.dumps(array.tolist()))
    data = bytearray(8)
    y = torch.frombuffer(data, dtype=torch.float32)
    try: data.extend(b"more")
    except BufferError as error: print(json.dumps(str(error)))
    del y
    data.extend(b"more")
    print(json.dumps(len(data)))
    """
    lines = [json.loads(line) for line in run_engine(build, program).stdout.splitlines()]
    assert lines[0].startswith("operation forbidden on released memoryview") and lines[1] == [0.0, 1.0, 2.0]
    assert "Existing exports of data" in lines[2] and lines[3] == 12


def test_the_cause_of_a_failed_import_of_numpy_is_kept(build: Path) -> None:
    program = """
    sys.modules["numpy"] = None
    try: torch.ones(2).numpy()
    except RuntimeError as error: print(json.dumps([str(error), type(error.__cause__).__name__]))
    """
    text, cause = json.loads(run_engine(build, program).stdout)
    assert text.startswith("Numpy is not available") and "numpy" in text and cause == "ModuleNotFoundError"
