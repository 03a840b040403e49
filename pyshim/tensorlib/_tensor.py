"""tensorlib.Tensor: the class of tensors.

Most methods are the engine's own, from the base class. Those that are Python functions here take a look at their arguments first:
a class with `__torch_function__` may want the call for itself, and an argument that the operator cannot take must give NotImplemented, so
that Python asks the other operand. `**` is one of them, `+` and `*` are not: their slots call the engine's methods directly.
"""

from __future__ import annotations

import functools

from . import _C, _tensor_str
from .overrides import handle_torch_function, has_torch_function

TYPE_CHECKING = False  # what typing's is, without the price of importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


# How `x ** 3` gets here: the type's slot for `**` looks up `__pow__` and finds what this function returned when the class below was
# made, the function `wrapped`; and `wrapped` calls `f`, the engine's own method `pow`.
#
# functools.wraps gives `wrapped` the name and the documentation of `f`, but a frame is named by its code: a stack shows `wrapped`.
#
# `wrapped` asks three questions. Does an argument's class take the call over? Then handle_torch_function lets it. Does `f` take these
# arguments? If it raises TypeError, Python gets NotImplemented and asks the other operand. Otherwise the answer is what `f` returns.


def _handle_torch_function_and_wrap_type_error_to_not_implemented(f: Callable[..., Any]) -> Callable[..., Any]:
    assigned = functools.WRAPPER_ASSIGNMENTS

    @functools.wraps(f, assigned=assigned)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            # Only types of the user's own are asked, so this costs a plain call little.
            if has_torch_function(args):
                return handle_torch_function(wrapped, args, *args, **kwargs)
            return f(*args, **kwargs)
        except TypeError:
            return NotImplemented

    return wrapped


class Tensor(_C.TensorBase):
    """A strided tensor. Made by tensorlib.tensor, randn, zeros and so on, or computed."""

    __pow__ = _handle_torch_function_and_wrap_type_error_to_not_implemented(_C.TensorBase.pow)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rsub__(self, other: Any) -> Tensor:
        return self.rsub(other)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rpow__(self, other: Any) -> Tensor:
        return _C.pow(other, self)

    def __eq__(self, other: object) -> bool:
        raise NotImplementedError("comparing tensors is not supported yet: compare t.tolist(), or use `is`")

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Iterator[Tensor]:
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __float__(self) -> float:
        return self.item()

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with other than one value is ambiguous")
        return bool(self.item())

    def __repr__(self) -> str:
        return _tensor_str._str(self)

    @property
    def T(self) -> Tensor:
        """All dimensions in reverse order, as a view."""
        return self.permute(*reversed(range(self.dim()))) if self.dim() else self.t()

    @classmethod
    def __torch_function__(cls, func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Run func as if nothing overrode it; a subclass calls this from its own and may change arguments and result."""
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        previous = _C._set_torch_function_enabled(False)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            _C._set_torch_function_enabled(previous)
