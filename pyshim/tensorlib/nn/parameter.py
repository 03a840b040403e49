"""Parameters and buffers: the tensors that a Module keeps."""

from __future__ import annotations

from .. import _C
from .._tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Parameter(Tensor):
    """A tensor that a Module counts among its parameters when it is assigned to it."""

    # What is computed from a parameter is a plain tensor.
    __torch_function__ = _C._disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = _C._VariableFunctions.empty(0)
        return _C.TensorBase._make_subclass(cls, data, requires_grad)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Parameter, (self.detach().as_subclass(Tensor), self.requires_grad)
