"""engine_fuzz.py WHAT EXAMPLES: random shapes, indices and values; the engine must give what NumPy gives, or both must refuse.

Started by test_indexing; prints "WHAT: ok", or hypothesis's smallest failing case and exits with 1.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import hypothesis
import numpy
import tensorlib as torch
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

DTYPES = {"float32": torch.float32, "float64": torch.float64, "int64": torch.int64, "int32": torch.int32, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}
SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def arrays(draw: Any, shape: Any = SHAPES) -> numpy.ndarray:
    shape = draw(shape) if not isinstance(shape, tuple) else shape
    # The dimensions lie in memory in any order.
    order = draw(st.permutations(range(len(shape))))
    array = numpy.arange(int(numpy.prod(shape)), dtype="int64").astype(draw(st.sampled_from(list(DTYPES))))
    return array.reshape([shape[i] for i in order]).transpose(numpy.argsort(order).astype(int))


def index_part(size: int, dims: int) -> Any:
    """One index for a dimension of this size; now and then out of bounds."""
    edge = size + 1
    slices = st.builds(slice, *(st.none() | st.integers(-edge, edge),) * 2, st.none() | st.integers(1, 3))
    lists = st.lists(st.integers(-edge, edge), max_size=3)
    masks = st.lists(st.booleans(), min_size=size, max_size=size)
    tensors = lists.map(lambda v: numpy.array(v, dtype="int64")) | masks.map(lambda v: numpy.array(v, dtype=bool))
    return st.integers(-edge, edge) | slices | slices | tensors


@st.composite
def indices(draw: Any, shape: tuple[int, ...]) -> Any:
    parts = [draw(index_part(size, len(shape))) for size in shape[: draw(st.integers(0, len(shape)))]]
    if any(isinstance(part, numpy.ndarray) for part in parts):
        # NumPy makes an array of an integer beside arrays, and puts their dimensions in front; PyTorch selects first.
        parts = [slice(None) if isinstance(part, int) else part for part in parts]
    for extra in draw(st.lists(st.sampled_from([None, Ellipsis]), max_size=2)):
        if extra is not Ellipsis or not any(p is Ellipsis for p in parts):
            parts.insert(draw(st.integers(0, len(parts))), extra)
    if len(shape) >= 2 and draw(st.integers(0, 9)) == 0:
        return numpy.array(draw(st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])), dtype=bool).reshape(shape[:2])
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


def ours(value: Any) -> Any:
    """NumPy's as the engine's."""
    if isinstance(value, tuple):
        return tuple(ours(v) for v in value)
    return torch.tensor(value) if isinstance(value, numpy.ndarray) else value


def outcome(function: Any) -> Any:
    try:
        return function()
    except (IndexError, ValueError, RuntimeError, TypeError, DeprecationWarning) as error:
        return error


def same(a: Any, b: Any) -> None:
    """The same values, shape and type, or an error on both sides."""
    if isinstance(a, Exception) or isinstance(b, Exception):
        assert isinstance(a, Exception) and isinstance(b, Exception), (a, b)
        return
    assert a.numpy().dtype == b.dtype and tuple(a.shape) == b.shape and a.tolist() == b.tolist(), (a, b)


def overlooked(error: Any, selected: Any) -> bool:
    """Where nothing is to be taken, NumPy does not look at every index: an error of the engine's about bounds is as good."""
    nothing = not isinstance(selected, Exception) and numpy.size(selected) == 0
    return nothing and isinstance(error, IndexError) and ("out of bounds" in str(error) or "shape of the mask" in str(error))


@hypothesis.given(st.data())
def getitem(data: Any) -> None:
    array = data.draw(arrays())
    index = data.draw(indices(array.shape))
    tensor = torch.tensor(array)
    taken = outcome(lambda: tensor[ours(index)])
    expected = outcome(lambda: numpy.asarray(array[index]))
    if overlooked(taken, expected):
        return
    same(taken, expected)
    plain = not any(isinstance(p, numpy.ndarray) for p in (index if isinstance(index, tuple) else (index,)))
    if plain and not isinstance(taken, Exception) and taken.numel():
        taken.fill_(1)
        array[index] = 1
        assert tensor.tolist() == array.tolist()  # a view


def ambiguous(index: Any) -> bool:
    """Whether an element is written twice: which value stays is nobody's promise."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, numpy.ndarray) and p.dtype != bool and len(p) > 1 for p in parts)


@hypothesis.given(st.data())
def setitem(data: Any) -> None:
    array = data.draw(arrays()).copy()
    index = data.draw(indices(array.shape))
    selected = outcome(lambda: array[index])
    shapes = [()] if isinstance(selected, Exception) else [numpy.shape(selected), numpy.shape(selected)[1:], (), (1,), (2, 1)]
    shape = data.draw(st.sampled_from(shapes))
    value = data.draw(arrays(shape)).astype(array.dtype)
    if ambiguous(index):
        value = numpy.full(shape, 1, dtype=array.dtype)
    tensor = torch.tensor(array)

    def assign(target: Any, where: Any, what: Any) -> Any:
        target[where] = what
        return target

    a, b = outcome(lambda: assign(tensor, ours(index), torch.tensor(value))), outcome(lambda: assign(array, index, value))
    if overlooked(a, selected):
        return
    # NumPy also drops dimensions of size 1 in front of a value that is too deep for a single element, as the engine does.
    same(a, b)


@hypothesis.given(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4), st.data())
def broadcast(shapes: Any, data: Any) -> None:
    left, right = (data.draw(arrays(shape)) for shape in shapes.input_shapes)
    for name in ("add", "mul", "lt", "eq"):
        operator = {"add": numpy.add, "mul": numpy.multiply, "lt": numpy.less, "eq": numpy.equal}[name]
        result = getattr(torch, name)(torch.tensor(left), torch.tensor(right))
        expected = operator(left, right)
        assert tuple(result.shape) == shapes.result_shape == expected.shape
        kinds = {left.dtype.kind, right.dtype.kind}
        if "f" not in kinds or kinds == {"f"}:  # of an integer with a float32, NumPy makes a float64
            assert result.tolist() == expected.tolist(), (name, result, expected)
        assert torch.tensor(left).expand(shapes.result_shape).tolist() == numpy.broadcast_to(left, shapes.result_shape).tolist()


@hypothesis.given(st.data())
def views(data: Any) -> None:
    array = data.draw(arrays())
    tensor = torch.from_numpy(array)
    if array.ndim:
        order = tuple(data.draw(st.permutations(range(array.ndim))))
        same(tensor.permute(order), array.transpose(order))
        dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
        same(tensor.flip((dim,)), numpy.flip(array, dim))
        same(torch.stack([tensor, tensor], dim), numpy.stack([array, array], dim))
        same(torch.cat([tensor, tensor], dim), numpy.concatenate([array, array], dim))
    same(tensor.unsqueeze(-1), numpy.expand_dims(array, -1))
    same(tensor.squeeze(), numpy.squeeze(array))
    same(tensor.reshape(-1), array.reshape(-1))
    same(tensor.contiguous(), numpy.ascontiguousarray(array) if array.ndim else array)


def main(what: str, examples: int) -> None:
    warnings.simplefilter("error", DeprecationWarning)  # NumPy's of an index out of bounds where nothing is taken
    test = {"getitem": getitem, "setitem": setitem, "broadcast": broadcast, "views": views}[what]
    hypothesis.settings(max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck))(test)()
    print(f"{what}: ok")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
