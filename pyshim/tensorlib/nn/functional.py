"""The functions behind the modules."""

from __future__ import annotations

from .. import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._tensor import Tensor

linear = _C._VariableFunctions.linear
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _check_reduction(reduction: str) -> int:
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]


def _check_label_smoothing(label_smoothing: float) -> None:
    if label_smoothing != 0.0:
        raise NotImplementedError(f"cross_entropy: label_smoothing={label_smoothing} is not supported, only 0.0 is")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), element by element."""
    return input.relu_() if inplace else input.relu()


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent, element by element."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
    return input.sigmoid()


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """(input - target)**2: each, their mean or their sum."""
    if target.shape != input.shape:
        import warnings

        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    return _C._VariableFunctions.mse_loss(input, target, _check_reduction(reduction))


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """x - log(sum(exp(x))) along a dimension."""
    return _C._VariableFunctions.log_softmax(input, dim)


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension."""
    return _C._VariableFunctions.softmax(input, dim)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """-input at the class that target names."""
    return _C._VariableFunctions.nll_loss(input, target, weight, _check_reduction(reduction), ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """nll_loss of log_softmax over the classes."""
    _check_label_smoothing(label_smoothing)
    return nll_loss(log_softmax(input, 1 if input.dim() > 1 else 0), target, weight, ignore_index, reduction)
