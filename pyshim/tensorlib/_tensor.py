"""tensorlib.Tensor: the class of tensors.

Most methods are the engine's own, from the base class. Those that are Python functions here take a look at their arguments first:
a class with `__torch_function__` may want the call for itself, and an argument that the operator cannot take must give NotImplemented, so
that Python asks the other operand. `**` is one of them, `+` and `*` are not: their slots call the engine's methods directly.
"""

from __future__ import annotations

import functools

from . import _C, _tensor_autograd, _tensor_str
from .overrides import get_default_nowrap_functions, handle_torch_function, has_torch_function, has_torch_function_unary

TYPE_CHECKING = False  # what typing's is, without the price of importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


# How `x ** 3` gets here: the type's slot for `**` looks up `__pow__` and finds what this function returned when the class below was
# made, the function `wrapped`; and `wrapped` calls `f`, the engine's own method `pow`.
#
# functools.wraps gives `wrapped` the name and the documentation of `f`, but a frame is named by its code: a stack shows `wrapped`.
#
# `wrapped` asks three questions. Does an argument's class take the call over? Then handle_torch_function lets it. Does `f` take these? If it
# raises TypeError, Python gets NotImplemented and asks the other operand; overrides.not_implemented_reason() keeps why. Else `f` answers.


def _handle_torch_function_and_wrap_type_error_to_not_implemented(f: Callable[..., Any]) -> Callable[..., Any]:
    assigned = functools.WRAPPER_ASSIGNMENTS

    @functools.wraps(f, assigned=assigned)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            # Only types of the user's own are asked, so this costs a plain call little.
            if has_torch_function(args):
                return handle_torch_function(wrapped, args, *args, **kwargs)
            return f(*args, **kwargs)
        except TypeError as error:
            return _C._type_error_to_not_implemented(error)

    return wrapped


def _convert(ret: Any, cls: type) -> Any:
    """A result with every tensor in it of class `cls`."""
    if cls is Tensor:
        return ret
    if isinstance(ret, Tensor) and not isinstance(ret, cls):
        return ret.as_subclass(cls)
    if isinstance(ret, (tuple, list)):
        parts = [_convert(r, cls) for r in ret]
        # A tuple with names is made from one sequence as well.
        return type(ret)(parts)
    return ret


class Tensor(_C.TensorBase):
    """A strided tensor. Made by tensorlib.tensor, randn, zeros and so on, or computed."""

    __module__ = "tensorlib"
    # NumPy's arrays leave an operation with a tensor to the tensor.
    __array_priority__ = 1000

    backward = _tensor_autograd.backward
    register_hook = _tensor_autograd.register_hook
    register_post_accumulate_grad_hook = _tensor_autograd.register_post_accumulate_grad_hook

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rsub__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.rsub(self, other)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rdiv__(self, other: Any) -> Tensor:
        return self.reciprocal() * other

    __rtruediv__ = __rdiv__

    __pow__ = _handle_torch_function_and_wrap_type_error_to_not_implemented(_C.TensorBase.pow)
    __ipow__ = _handle_torch_function_and_wrap_type_error_to_not_implemented(_C.TensorBase.pow_)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rmod__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.remainder(other, self)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rpow__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.pow(other, self)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __floordiv__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.floor_divide(self, other)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rfloordiv__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.floor_divide(other, self)

    @_handle_torch_function_and_wrap_type_error_to_not_implemented
    def __rmatmul__(self, other: Any) -> Tensor:
        return _C._VariableFunctions.matmul(other, self)

    def __pos__(self) -> Tensor:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__pos__, (self,), self)
        if self.dtype is _C.bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Iterator[Tensor]:
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self) -> Tensor:
        """The tensor with its first dimension's elements in reverse order."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__reversed__, (self,), self)
        return self if self.dim() == 0 else self.flip(0)

    def __contains__(self, element: Any) -> bool:
        """Whether a number, or an element of a tensor, equals one of the elements."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__contains__, (self,), self, element)
        if isinstance(element, (Tensor, int, float, bool)):
            return bool((element == self).any().item())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        """Its elements as text, with what is out of the ordinary about it. `tensor_contents` stands in for the elements."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__repr__, (self,), self, tensor_contents=tensor_contents)
        return _tensor_str._str(self, tensor_contents)

    def __format__(self, format_spec: str) -> str:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__format__, (self,), self, format_spec)
        if self.dim() == 0 and type(self) is Tensor:
            return self.item().__format__(format_spec)
        return object.__format__(self, format_spec)

    @property
    def T(self) -> Tensor:
        """All dimensions in reverse order, as a view."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.T.__get__, (self,), self)
        return self.permute(*reversed(range(self.dim()))) if self.dim() else self.t()

    # Copies and pickles. Views of one memory are views of one memory afterwards.

    def untyped_storage(self) -> Any:
        """The memory behind the tensor, which its views share."""
        from .storage import storage_of

        return storage_of(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__deepcopy__, (self,), self, memo)
        from .storage import deepcopy_tensor

        return deepcopy_tensor(self, memo)

    def __reduce_ex__(self, proto: int) -> tuple[Any, ...]:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__reduce_ex__, (self,), self, proto)
        from .storage import reduce_tensor

        return reduce_tensor(self)

    # NumPy and other libraries.

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__array__, (self,), self, dtype=dtype)
        array = self.numpy()
        if dtype is not None:
            array = array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__array_wrap__, (self,), self, array=array)
        return _C.as_tensor(array)

    def __dlpack__(self, stream: Any = None) -> Any:
        """The tensor's memory as a DLPack capsule, for from_dlpack of this or another library."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__dlpack__, (self,), self, stream)
        if stream is not None:
            raise TypeError("stream must be None: the memory is the CPU's")
        try:
            return self._to_dlpack()
        except RuntimeError as error:
            raise BufferError(str(error)) from None

    def __dlpack_device__(self) -> tuple[int, int]:
        """(kDLCPU, 0)."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__dlpack_device__, (self,), self)
        return (1, 0)

    def __dir__(self) -> list[str]:
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__dir__, (self,), self)
        return sorted(set(dir(type(self))) | set(self.__dict__))

    @classmethod
    def __torch_function__(cls, func: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Run func as if nothing overrode it, and give its result the class that asked; a subclass calls this from its own."""
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        with _C.DisableTorchFunctionSubclass():
            ret = func(*args, **(kwargs or {}))
            return ret if func in get_default_nowrap_functions() else _convert(ret, cls)
