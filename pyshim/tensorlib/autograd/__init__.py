"""Gradients: backward, grad, the modes, and operations with a derivative of one's own."""

from __future__ import annotations

from .. import _C
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Union

    from .._tensor import Tensor

    Tensors = Union[Tensor, Sequence[Tensor]]
    Gradients = Union[Tensor, Sequence["Tensor | None"], None]

__all__ = [
    "Function",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]


def _tuple(tensors: Tensors | Gradients, empty_for_none: bool = True) -> tuple[Tensor | None, ...]:
    if tensors is None and empty_for_none:
        return ()
    return (tensors,) if isinstance(tensors, _C.TensorBase) or tensors is None else tuple(tensors)


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of tensors to the .grad of the leaves behind them, or of `inputs` only."""
    wanted = _tuple(inputs)
    if inputs is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    _C._run_backward(_tuple(tensors), _tuple(grad_tensors), retain_graph, create_graph, wanted)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of outputs for inputs; nothing is added to any .grad."""
    if not only_inputs:
        raise ValueError("only_inputs=False is not supported: use backward() to add to every leaf's .grad")
    if is_grads_batched:
        raise ValueError("is_grads_batched=True is not supported: call grad() once for each gradient")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    wanted = _tuple(inputs, empty_for_none=False)
    if not wanted:
        raise ValueError("grad requires non-empty inputs.")
    unused = materialize_grads or bool(allow_unused)
    result = _C._grad(_tuple(outputs), wanted, _tuple(grad_outputs), retain_graph, create_graph, unused)
    if not materialize_grads:
        return result
    return tuple(_C._VariableFunctions.zeros_like(i) if g is None else g for g, i in zip(result, wanted))
