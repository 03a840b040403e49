"""Adam and AdamW."""

from __future__ import annotations

from .. import _C
from .optimizer import Optimizer, check_number, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .._tensor import Tensor


class Adam(Optimizer):
    """Steps of about lr in each element: the mean of gradients over the root of the mean of their squares.

    With amsgrad, of the largest that this mean ever was.
    """

    _decoupled_weight_decay = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        refuse(
            type(self).__name__,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
        )
        check_number("learning rate", lr, 0.0)
        check_number("epsilon value", eps, 0.0)
        check_number("beta parameter at index 0", betas[0], 0.0, 1.0)
        check_number("beta parameter at index 1", betas[1], 0.0, 1.0)
        check_number("weight_decay value", weight_decay, 0.0)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize})

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = group["betas"]
        for parameter in params:
            state = self.state[parameter]
            if not state:
                state["step"] = _C._VariableFunctions.scalar_tensor(0.0)
                state["exp_avg"] = _C._VariableFunctions.zeros_like(parameter)
                state["exp_avg_sq"] = _C._VariableFunctions.zeros_like(parameter)
                if group["amsgrad"]:
                    state["max_exp_avg_sq"] = _C._VariableFunctions.zeros_like(parameter)
            elif not isinstance(state["step"], _C.TensorBase):  # a state_dict of another program's
                state["step"] = _C._VariableFunctions.scalar_tensor(float(state["step"]))
            state["step"] += 1
            step = _C._VariableFunctions._fused_adamw_ if self._decoupled_weight_decay else _C._VariableFunctions._fused_adam_
            step(
                parameter,
                parameter.grad,
                state["exp_avg"],
                state["exp_avg_sq"],
                int(state["step"].item()),
                state["max_exp_avg_sq"] if group["amsgrad"] else None,
                lr=group["lr"],
                beta1=beta1,
                beta2=beta2,
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )


class AdamW(Adam):
    """Adam whose weight decay acts on the parameter itself, not through the gradient."""

    _decoupled_weight_decay = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
        )
