"""The methods of tensorlib.Tensor that concern gradients; _tensor.py makes them the class's own."""

from __future__ import annotations

from . import _C
from .overrides import handle_torch_function, has_torch_function_unary
from .utils.hooks import add_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._tensor import Tensor
    from .utils.hooks import RemovableHandle


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add the gradients of this tensor to the .grad of the leaves behind it, or of `inputs` only."""
    if has_torch_function_unary(self):
        keywords = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        return handle_torch_function(backward, (self,), self, **keywords)
    if inputs is None:
        wanted: tuple[Tensor, ...] = ()
    else:
        wanted = (inputs,) if isinstance(inputs, _C.TensorBase) else tuple(inputs)
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    _C._run_backward((self,), () if gradient is None else (gradient,), retain_graph, create_graph, wanted)


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call hook(gradient) whenever this tensor's gradient is computed; what it returns, if anything, goes on in its place."""
    if has_torch_function_unary(self):
        return handle_torch_function(register_hook, (self,), self, hook)
    return add_hook(self._tensor_hooks(), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call hook(leaf) whenever the gradient of this leaf has been added up."""
    return add_hook(self._post_accumulate_hooks(), hook)
