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
        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self._mode):
                return function(*args, **kwargs)

        return within  # type: ignore[return-value]


class _GradMode(_Mode):
    def _get(self) -> bool:
        return _C.is_grad_enabled()

    def _set(self, enabled: bool) -> None:
        _C._set_grad_enabled(enabled)


class no_grad(_GradMode):
    """Results computed within do not want gradients."""

    def __init__(self, mode: bool = False) -> None:
        super().__init__(mode)


class enable_grad(_GradMode):
    """Undoes no_grad within."""


class inference_mode(_Mode):
    """Tensors made within are unknown to autograd, and calls skip its kernels."""

    def _get(self) -> bool:
        return _C.is_inference_mode_enabled()

    def _set(self, enabled: bool) -> None:
        _C._set_inference_mode(enabled)
