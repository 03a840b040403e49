"""Losses."""

from __future__ import annotations

from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._tensor import Tensor


class _Loss(Module):
    def __init__(self, size_average: None = None, reduce: None = None, reduction: str = "mean") -> None:
        super().__init__()
        F._check_legacy(type(self).__name__, size_average, reduce)
        F._check_reduction(reduction)
        self.reduction = reduction


class MSELoss(_Loss):
    """(input - target)**2, averaged."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_Loss):
    """-log of the share that softmax gives to the class that `target` names, averaged. Scores are (N, classes) or (classes).

    `target` may hold a probability for each class instead. label_smoothing mixes that share of equal probabilities in.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: None = None,
        ignore_index: int = -100,
        reduce: None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )
