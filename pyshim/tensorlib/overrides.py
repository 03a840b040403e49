"""__torch_function__: classes that handle calls of the library themselves."""

from __future__ import annotations

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic
not_implemented_reason = _C._not_implemented_reason
NotImplementedReason = _C.NotImplementedReason

_nowrap: set[Callable[..., Any]] = set()


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Functions whose results the default __torch_function__ leaves as they are: what they give is another tensor's already."""
    if not _nowrap:
        from ._tensor import Tensor

        for name in ("_base", "grad", "_grad"):
            if hasattr(Tensor, name):
                _nowrap.add(getattr(Tensor, name).__get__)
    return _nowrap


def _overloaded_args(relevant_args: Iterable[Any]) -> list[Any]:
    """One argument per type that has __torch_function__, Tensor's own included: subclasses before their bases, else from left to right."""
    chosen: list[Any] = []
    for arg in relevant_args if _C._is_torch_function_enabled() else ():
        function = getattr(type(arg), "__torch_function__", _C._disabled_torch_function_impl)
        if function is _C._disabled_torch_function_impl or any(type(arg) is type(other) for other in chosen):
            continue
        place = next((i for i, other in enumerate(chosen) if issubclass(type(arg), type(other))), len(chosen))
        chosen.insert(place, arg)
    return chosen


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Ask each overriding argument in turn until one does not return NotImplemented."""
    overloaded_args = _overloaded_args(relevant_args)
    types = tuple(type(arg) for arg in overloaded_args)
    for arg in overloaded_args:
        result = arg.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    func_name = f"{public_api.__module__}.{public_api.__name__}" if getattr(public_api, "__module__", None) else public_api.__name__
    raise TypeError(f"no implementation found for '{func_name}' on types that implement __torch_function__: {[t for t in types]}")


def is_tensor_like(inp: object) -> bool:
    """Whether an object is a tensor or takes calls over as one."""
    from ._tensor import Tensor

    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a Python function the protocol: `dispatcher` takes its arguments and returns those that may override."""
    import functools

    def inner(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant_args = dispatcher(*args, **kwargs)
            if has_torch_function(tuple(relevant_args)):
                return handle_torch_function(wrapped, tuple(relevant_args), *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner
