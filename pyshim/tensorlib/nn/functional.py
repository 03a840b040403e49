"""The functions behind the modules."""

from __future__ import annotations

from .. import _C
from ..overrides import handle_torch_function, has_torch_function_unary, has_torch_function_variadic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import Tensor

linear = _C._VariableFunctions.linear
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _check_reduction(reduction: str) -> int:
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]


def _check_legacy(what: str, size_average: None, reduce: None) -> None:
    if size_average is not None or reduce is not None:
        raise ValueError(f"{what}: size_average and reduce are not supported: use reduction='mean', 'sum' or 'none'")


# A class with __torch_function__ is asked first, and sees the function with all its arguments.


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), element by element."""
    if has_torch_function_unary(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return input.relu_() if inplace else input.relu()


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent, element by element."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
    return input.sigmoid()


def mse_loss(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean"
) -> Tensor:
    """(input - target)**2: each, their mean or their sum."""
    if has_torch_function_variadic(input, target):
        return handle_torch_function(
            mse_loss, (input, target), input, target, size_average=size_average, reduce=reduce, reduction=reduction
        )
    _check_legacy("mse_loss", size_average, reduce)
    if target.shape != input.shape:
        import warnings

        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    return _C._VariableFunctions.mse_loss(input, target, _check_reduction(reduction))


def log_softmax(input: Tensor, dim: int, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """x - log(sum(exp(x))) along a dimension."""
    if has_torch_function_unary(input):
        return handle_torch_function(log_softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype)
    return _C._VariableFunctions.log_softmax(input, dim, dtype=dtype)


def softmax(input: Tensor, dim: int, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension."""
    if has_torch_function_unary(input):
        return handle_torch_function(softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype)
    return _C._VariableFunctions.softmax(input, dim, dtype=dtype)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    """-input at the class that target names."""
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            nll_loss,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            ignore_index=ignore_index,
            reduce=reduce,
            reduction=reduction,
        )
    _check_legacy("nll_loss", size_average, reduce)
    return _C._VariableFunctions.nll_loss(input, target, weight, _check_reduction(reduction), ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: None = None,
    ignore_index: int = -100,
    reduce: None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax over the classes; `target` names classes, or holds a probability for each."""
    if has_torch_function_variadic(input, target, weight):
        return handle_torch_function(
            cross_entropy,
            (input, target, weight),
            input,
            target,
            weight=weight,
            size_average=size_average,
            ignore_index=ignore_index,
            reduce=reduce,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    _check_legacy("cross_entropy", size_average, reduce)
    return _C._VariableFunctions.cross_entropy_loss(
        input, target, weight, _check_reduction(reduction), ignore_index, label_smoothing
    )
