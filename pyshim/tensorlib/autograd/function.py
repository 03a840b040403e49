"""Operations whose derivative is written in Python."""

from __future__ import annotations

from .. import _C
from .grad_mode import no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tensor import Tensor


class FunctionCtx:
    """What forward leaves for backward."""

    def __init__(self, function: type[Function], needs_input_grad: tuple[bool, ...]) -> None:
        self._function = function
        self.needs_input_grad = needs_input_grad
        self._to_save: tuple[Tensor | None, ...] = ()
        self._saved: tuple[Tensor | None, ...] | None = None
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep arguments or results for backward, where they are `saved_tensors`."""
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What save_for_backward was given; in backward only."""
        if self._saved is None:
            raise RuntimeError("saved_tensors can be read in backward only")
        return self._saved

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which arguments forward changed in place."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which results have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether a gradient that is not there comes as zeros (the default) or as None."""
        self._materialize_grads = value

    def _run_backward(self, grads: tuple[Tensor, ...], saved: tuple[Tensor, ...]) -> Any:
        self._saved = saved
        try:
            return self._function.backward(self, *grads)
        finally:
            self._saved = None


class Function:
    """Base of operations with a derivative of one's own: forward(ctx, *args) and backward(ctx, *grads), both static; call apply(*args)."""

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result. With a setup_context of its own, without ctx."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Fill ctx after a forward that does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of each argument of forward, None for what is no tensor, from those of the results."""
        raise NotImplementedError("You must implement the backward function for your custom autograd.Function to use it with backward mode AD.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward and, if gradients are wanted, have backward run in its turn."""
        needs = tuple(isinstance(a, _C.TensorBase) and a.requires_grad for a in args)
        ctx = FunctionCtx(cls, needs)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args)
            else:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
        if not (_C.is_grad_enabled() and any(needs)):
            return output
        single = not isinstance(output, tuple)
        outputs = (output,) if single else output
        results = _C._function_outputs(
            ctx,
            f"{cls.__name__}Backward",
            args,
            outputs,
            ctx._to_save,
            ctx._dirty,
            ctx._non_differentiable,
            ctx._materialize_grads,
        )
        ctx._to_save = ctx._dirty = ctx._non_differentiable = ()
        return results[0] if single else results
