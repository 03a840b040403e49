"""Stochastic gradient descent."""

from __future__ import annotations

from .. import _C
from .optimizer import Optimizer, check_number, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .._tensor import Tensor


class SGD(Optimizer):
    """p -= lr * g, where g may be gathered over steps (momentum) and draw p towards 0 (weight_decay)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        refuse("SGD", differentiable=differentiable, foreach=foreach, fused=fused)
        check_number("learning rate", lr, 0.0)
        check_number("momentum value", momentum, 0.0)
        check_number("weight_decay value", weight_decay, 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        for parameter in params:
            buffer, first = None, False
            if group["momentum"] != 0:
                state = self.state[parameter]
                first = state.get("momentum_buffer") is None
                if first:
                    state["momentum_buffer"] = _C._VariableFunctions.zeros_like(parameter)
                buffer = state["momentum_buffer"]
            _C._VariableFunctions._fused_sgd_(
                parameter,
                parameter.grad,
                buffer,
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                lr=group["lr"],
                dampening=group["dampening"],
                nesterov=group["nesterov"],
                maximize=group["maximize"],
                is_first_step=first,
            )
