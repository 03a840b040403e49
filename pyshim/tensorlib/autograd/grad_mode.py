"""Modes of the thread that decide what autograd does; each works as a context and as a decorator."""

from __future__ import annotations

import functools

from .. import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """Sets a mode on entry and puts back what was there on exit."""

    def _get(self) -> bool:
        raise NotImplementedError

    def _set(self, enabled: bool) -> None:
        raise NotImplementedError

    def __init__(self, mode: bool = True) -> None:
        self._mode = mode
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(self._get())
        self._set(self._mode)

    def __exit__(self, *exception: object) -> None:
        self._set(self._previous.pop())

    def __call__(self, function: F) -> F:
        if isinstance(function, type):
            raise TypeError(f"{type(self).__name__} decorates functions, not classes: {function.__name__}")

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            previous = self._get()
            self._set(self._mode)
            try:
                return function(*args, **kwargs)
            finally:
                self._set(previous)

        return within  # type: ignore[return-value]


class _GradMode(_Mode):
    def _get(self) -> bool:
        return _C.is_grad_enabled()

    def _set(self, enabled: bool) -> None:
        _C._set_grad_enabled(enabled)


class no_grad(_GradMode):
    """Results computed within do not want gradients."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        # `@no_grad` without brackets decorates too.
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(False)


class enable_grad(_GradMode):
    """Undoes no_grad within."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(True)


class set_grad_enabled(_GradMode):
    """Sets whether this thread records for gradients: at once, and in a `with` until its end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}")
        super().__init__(mode)
        self._before = self._get()
        self._set(mode)

    def __enter__(self) -> None:
        self._previous.append(self._before)

    def __call__(self, function: F) -> F:
        # As a decorator it is about the function alone.
        self._set(self._before)
        return super().__call__(function)


class inference_mode(_Mode):
    """Tensors made within are unknown to autograd, and calls skip its kernels."""

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"inference_mode(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}")
        super().__init__(mode)

    def _get(self) -> bool:
        return _C.is_inference_mode_enabled()

    def _set(self, enabled: bool) -> None:
        _C._set_inference_mode(enabled)
