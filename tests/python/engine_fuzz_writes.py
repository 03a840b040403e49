"""engine_fuzz_writes.py WHAT EXAMPLES: random tensors and views of them, written to in place and by out=, chosen from and joined; the engine must do
what PyTorch does, or both must refuse and leave everything as it was.

Started by test_indexing as engine_fuzz.py is. PyTorch and the engine run in one process on copies of the same arrays.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import hypothesis
import numpy
import tensorlib
import torch
from engine_fuzz import DTYPES, SHAPES, arrays, indices
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

LIBRARIES = (tensorlib, torch)
ERRORS = (IndexError, ValueError, RuntimeError, TypeError)


def view_of(base: Any, steps: list[Any]) -> Any:
    """A view, by steps that both libraries take."""
    for name, *args in steps:
        base = base[tuple(args[0])] if name == "index" else getattr(base, name)(*args)
    return base


@st.composite
def steps(draw: Any, shape: tuple[int, ...]) -> list[Any]:
    """Slices, a new order of dimensions, an expansion."""
    found: list[Any] = []
    if draw(st.booleans()):
        parts = [draw(st.sampled_from([slice(None), slice(1, None), slice(None, -1), slice(None, None, 2)])) for _ in shape]
        found.append(("index", parts))
    if draw(st.booleans()) and shape:
        found.append(("permute", list(draw(st.permutations(range(len(shape)))))))
    if draw(st.integers(0, 5)) == 0:
        found.append(("expand", [2] + [-1] * len(shape)))
    return found


def outcome(function: Any) -> Any:
    try:
        return function()
    except ERRORS as error:
        return error


def agree(ours: Any, theirs: Any, context: Any) -> None:
    """The same result, or an error on both sides: where two things are wrong, either may be told."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        assert isinstance(ours, Exception) and isinstance(theirs, Exception), (context, ours, theirs)
        return
    a, b = (str(x.dtype).split(".")[1] for x in (ours, theirs))
    assert (a, tuple(ours.shape), ours.tolist()) == (b, tuple(theirs.shape), theirs.tolist()), (context, ours, theirs)


def both(array: numpy.ndarray) -> list[Any]:
    """A tensor of each library with a copy of the array's memory, laid out alike."""
    return [library.from_numpy(array.copy(order="K")) for library in LIBRARIES]


def unchanged(error: Any, bases: list[Any], array: numpy.ndarray, context: Any) -> None:
    if isinstance(error, Exception):
        assert bases[0].tolist() == array.tolist(), (context, "written to before the error", error)


BINARY = ["add", "sub", "mul", "maximum", "eq", "lt", "logical_and", "bitwise_or"]
INPLACE = ["add_", "sub_", "mul_", "eq_", "lt_", "logical_and_", "bitwise_or_", "copy_"]


@hypothesis.given(st.data())
def inplace(data: Any) -> None:
    array = data.draw(arrays())
    target_steps, name = data.draw(steps(array.shape)), data.draw(st.sampled_from(INPLACE))
    bases = both(array)
    targets = [view_of(base, target_steps) for base in bases]
    kind = data.draw(st.sampled_from(["number", "same memory", "other", "other"]))
    if kind == "number" and name != "copy_":
        number = data.draw(st.sampled_from([0, 1, 2, True, 2.5]))
        operands = [number, number]
    elif kind == "same memory":
        other_steps = data.draw(steps(array.shape))
        operands = [view_of(base, other_steps) for base in bases]
    else:
        shape = tuple(targets[0].shape)
        shapes = [shape, shape[1:], (1,) * len(shape), (), (2, *shape), (*shape[:-1], 3)]
        operands = both(data.draw(arrays(data.draw(st.sampled_from(shapes)))))
    results = [outcome(lambda t=t, o=o: getattr(t, name)(o)) for t, o in zip(targets, operands)]
    context = (array, target_steps, name, operands)
    agree(*results, context)
    agree(*bases, context)
    unchanged(results[0], bases, array, context)


@hypothesis.given(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), st.data())
def out(shapes: Any, data: Any) -> None:
    left, right = (both(data.draw(arrays(shape))) for shape in shapes.input_shapes)
    array = data.draw(arrays(data.draw(st.sampled_from([shapes.result_shape, shapes.result_shape, (0,), (2, 2), (3,)]))))
    out_steps = data.draw(steps(array.shape))
    bases = both(array)
    name = data.draw(st.sampled_from(BINARY))
    outs = [view_of(base, out_steps) for base in bases]
    results = [outcome(lambda m=m, a=a, b=b, o=o: getattr(m, name)(a, b, out=o)) for m, a, b, o in zip(LIBRARIES, left, right, outs)]
    context = (left[0], right[0], array, out_steps, name)
    agree(*results, context)
    if isinstance(results[0], Exception):
        unchanged(results[0], bases, array, context)
    else:
        assert results[0] is outs[0] and tuple(outs[0].stride()) == tuple(outs[1].stride()), (context, outs[0].stride(), outs[1].stride())
        agree(*bases, context)


@hypothesis.given(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3), st.data())
def where(shapes: Any, data: Any) -> None:
    condition, left, right = (data.draw(arrays(shape)) for shape in shapes.input_shapes)
    if data.draw(st.integers(0, 4)):
        condition = condition.astype(bool)
    if data.draw(st.integers(0, 6)) == 0:
        left = data.draw(arrays())
    if left.dtype != right.dtype and data.draw(st.integers(0, 2)):
        right = right.astype(left.dtype)  # PyTorch 1.13 promotes, as the engine does
    triples = zip(LIBRARIES, both(condition), both(left), both(right))
    agree(*(outcome(lambda m=m, c=c, a=a, b=b: m.where(c, a, b)) for m, c, a, b in triples), (condition, left, right))


@hypothesis.given(st.data())
def join(data: Any) -> None:
    shape = list(data.draw(SHAPES))
    dim = data.draw(st.integers(-len(shape) - 1, len(shape)))
    name = data.draw(st.sampled_from(["cat", "cat", "stack"]))
    pieces = []
    for _ in range(data.draw(st.integers(0, 3))):
        piece = list(shape)
        if name == "cat" and piece and data.draw(st.integers(0, 9)):
            piece[dim % len(piece)] = data.draw(st.integers(0, 3))
        if data.draw(st.integers(0, 12)) == 0:
            piece = list(data.draw(SHAPES))
        pieces.append(data.draw(arrays(tuple(piece))))
    lists = [[library.from_numpy(p.copy(order="K")) for p in pieces] for library in LIBRARIES]
    agree(*(outcome(lambda m=m, each=each: getattr(m, name)(each, dim)) for m, each in zip(LIBRARIES, lists)), (name, dim, pieces))


@hypothesis.given(st.data())
def assign(data: Any) -> None:
    array = data.draw(arrays())
    view_steps = data.draw(steps(array.shape).filter(lambda s: not any(step[0] == "expand" for step in s)))
    bases = both(array)
    views = [view_of(base, view_steps) for base in bases]
    index = data.draw(indices(tuple(views[0].shape)))
    selected = outcome(lambda: views[1][in_library(torch, index)])
    shape = () if isinstance(selected, Exception) else tuple(selected.shape)
    value = data.draw(arrays(data.draw(st.sampled_from([shape, shape[1:], (), (1,), (2, *shape)]))))
    if repeats(index):
        value = numpy.full(value.shape, 1, dtype=value.dtype)

    def set_item(library: Any, target: Any) -> Any:
        target[in_library(library, index)] = library.from_numpy(value.copy(order="K"))
        return target

    results = [outcome(lambda m=m, v=v: set_item(m, v)) for m, v in zip(LIBRARIES, views)]
    context = (array, view_steps, index, value)
    agree(*results, context)
    # PyTorch may have written a part before it finds an index out of bounds.
    if isinstance(results[0], Exception):
        unchanged(results[0], bases, array, context)
    else:
        agree(*bases, context)


def repeats(index: Any) -> bool:
    """Whether an element may be written twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, numpy.ndarray) and p.dtype != bool and len(p) > 1 for p in parts)


def in_library(library: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(in_library(library, v) for v in value)
    return library.tensor(value) if isinstance(value, numpy.ndarray) else value


TESTS = {"inplace": inplace, "out": out, "where": where, "join": join, "assign": assign}


def main(what: str, examples: int) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    assert set(DTYPES) <= {"float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"}
    hypothesis.settings(max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck))(TESTS[what])()
    print(f"{what}: ok")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
