"""What all optimisers share: groups of parameters, their state, and how it is saved."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy

from .. import _C
from ..autograd.grad_mode import enable_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .._tensor import Tensor


def check_number(name: str, value: Any, low: float, high: float = float("inf")) -> None:
    """Raise for a value outside of [low, high), or of [low, inf)."""
    if not low <= value < high:
        raise ValueError(f"Invalid {name}: {value}")


def refuse(optimizer: str, **options: Any) -> None:
    """Raise for options that are given but not supported. False and None are as if not given."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise NotImplementedError(f"{optimizer}: {name}={value!r} is not supported")


class Optimizer:
    """Base of optimisers. A subclass gives its defaults and _update()."""

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, _C.TensorBase):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got " + type(params).__name__
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own; options not given are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        params = group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets is not defined")
        group["params"] = [params] if isinstance(params, _C.TensorBase) else [self._tensor(p) for p in params]
        for parameter in group["params"]:
            if not isinstance(parameter, _C.TensorBase):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(p) for other in self.param_groups for p in other["params"]}
        if known & {id(p) for p in group["params"]}:
            raise ValueError("some parameters appear in more than one parameter group")
        if len({id(p) for p in group["params"]}) != len(group["params"]):
            raise ValueError("optimizer contains a parameter group with duplicate parameters")
        self.param_groups.append({**self.defaults, **group})

    @staticmethod
    def _tensor(parameter: Any) -> Any:
        # named_parameters() gives pairs.
        return parameter[1] if isinstance(parameter, tuple) and len(parameter) == 2 else parameter

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or make them zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad = parameter.grad.detach()
                    parameter.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients. A closure computes the loss anew first; its result is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        previous = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            for group in self.param_groups:
                self._update(group, [p for p in group["params"] if p.grad is not None])
        finally:
            _C._set_grad_enabled(previous)
        return loss

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """State and options; parameters are numbered in the order of the groups."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            groups.append({**group, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers[id(p)]: dict(values) for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state_dict of an optimiser with the same groups."""
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(saved, self.param_groups)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        by_number = {n: p for a, b in zip(saved, self.param_groups) for n, p in zip(a["params"], b["params"])}
        self.state = defaultdict(dict)
        for number, values in state_dict["state"].items():
            self.state[by_number[number]] = {name: self._loaded(by_number[number], value) for name, value in values.items()}
        self.param_groups = [
            {**deepcopy({k: v for k, v in a.items() if k != "params"}), "params": b["params"]} for a, b in zip(saved, self.param_groups)
        ]

    @staticmethod
    def _loaded(parameter: Tensor, value: Any) -> Any:
        if not isinstance(value, _C.TensorBase):
            return deepcopy(value)
        # The count of steps is a number, whatever the parameter's type is.
        return value.detach().clone() if value.dim() == 0 else value.detach().to(parameter.dtype).clone()

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return f"{type(self).__name__} (\n" + "\n".join(lines) + "\n)"
