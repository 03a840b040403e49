"""__torch_function__: classes that handle calls of the library themselves."""

from __future__ import annotations

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

has_torch_function = _C._has_torch_function


def _overloaded_args(relevant_args: Iterable[Any]) -> list[Any]:
    """One argument per overriding type: subclasses before their bases, else from left to right."""
    chosen: list[Any] = []
    for arg in relevant_args:
        if not has_torch_function((arg,)) or any(type(arg) is type(other) for other in chosen):
            continue
        place = next((i for i, other in enumerate(chosen) if issubclass(type(arg), type(other))), len(chosen))
        chosen.insert(place, arg)
    return chosen


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Ask each overriding argument in turn until one does not return NotImplemented."""
    overloaded_args = _overloaded_args(relevant_args)
    types = tuple(type(arg) for arg in overloaded_args)
    for arg in overloaded_args:
        result = type(arg).__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    names = ", ".join(t.__name__ for t in types)
    raise TypeError(f"no implementation found for '{public_api.__name__}' on types that implement __torch_function__: [{names}]")
