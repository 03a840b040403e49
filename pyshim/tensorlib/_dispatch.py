"""explain_dispatch: where a call goes, without going there."""

from __future__ import annotations

from . import _C
from ._tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class DispatchExplanation(dict):  # type: ignore[type-arg]
    """What explain_dispatch found. Printed, it is a text for people; its items are for programs: op, schema, arguments, included, excluded, merged
    (key sets), steps (a kernel each: keys, key, passed_over, kernel, rule, registered_at), kernel (stub, capability, branch, loop)."""

    def __repr__(self) -> str:
        return str(self["text"]).rstrip("\n")

    __str__ = __repr__


def _function_called(name: str) -> Callable[..., Any]:
    for owner in (_C, getattr(_C, "_VariableFunctions", None), Tensor):
        function = getattr(owner, name, None)
        if function is not None:
            return function
    raise AttributeError(f"no operator is called {name!r}: give the name of a function or of a method of tensors, such as 'pow' or 'pow_'")


def explain_dispatch(name: str, *args: Any, **kwargs: Any) -> DispatchExplanation:
    """explain_dispatch("pow", x, 3): which kernels `tensorlib.pow(x, 3)` would run, and why those.

    The overload is chosen as for the call itself, from these arguments. The answer is read from the tables that calls use, with this thread's
    modes: no_grad, inference_mode. The arguments stay as they are.
    """
    return DispatchExplanation(_C._explain_dispatch(_function_called(name), args, kwargs))
