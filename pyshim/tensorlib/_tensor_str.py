"""How tensors print: four digits, one format for all elements, the middle of large ones left out."""

from __future__ import annotations

import math

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._tensor import Tensor

PRECISION = 4
THRESHOLD = 1000
EDGE_ITEMS = 3
LINE_WIDTH = 80


class _Formatter:
    """The one format that suits all the values: whole numbers, fixed point or scientific."""

    def __init__(self, values: list[float]) -> None:
        finite = [v for v in values if math.isfinite(v) and v != 0]
        self.int_mode = all(v == math.ceil(v) for v in finite)
        self.sci_mode = bool(finite) and self._wants_sci([abs(v) for v in finite])
        self.width = max((len(self._text(v)) for v in finite), default=1)

    def _wants_sci(self, sizes: list[float]) -> bool:
        largest, smallest = max(sizes), min(sizes)
        return largest / smallest > 1000.0 or largest > 1.0e8 or (not self.int_mode and smallest < 1.0e-4)

    def _text(self, value: float) -> str:
        if self.sci_mode:
            return f"{value:.{PRECISION}e}"
        if self.int_mode:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{PRECISION}f}"

    def format(self, value: float) -> str:
        return self._text(value).rjust(self.width)


def _shown(size: int, summarize: bool) -> list[int | None]:
    """Indices to print along a dimension; None stands for what is left out."""
    if not summarize or size <= 2 * EDGE_ITEMS:
        return list(range(size))
    return [*range(EDGE_ITEMS), None, *range(size - EDGE_ITEMS, size)]


def _values(tensor: Tensor, summarize: bool) -> Iterator[float]:
    if tensor.dim() == 0:
        yield tensor.item()
        return
    for i in _shown(len(tensor), summarize):
        if i is not None:
            yield from _values(tensor[i], summarize)


def _vector_str(tensor: Tensor, indent: int, summarize: bool, formatter: _Formatter) -> str:
    per_line = max(1, (LINE_WIDTH - indent) // (formatter.width + 2))
    texts = [" ..." if i is None else formatter.format(tensor[i].item()) for i in _shown(len(tensor), summarize)]
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _contents(tensor: Tensor, indent: int, summarize: bool, formatter: _Formatter) -> str:
    if tensor.dim() == 0:
        return formatter.format(tensor.item())
    if tensor.dim() == 1:
        return _vector_str(tensor, indent, summarize, formatter)
    parts = [
        "..." if i is None else _contents(tensor[i], indent + 1, summarize, formatter) for i in _shown(len(tensor), summarize)
    ]
    return "[" + ("," + "\n" * (tensor.dim() - 1) + " " * (indent + 1)).join(parts) + "]"


def _suffixes(tensor: Tensor) -> list[str]:
    suffixes = []
    if tensor.numel() == 0 and tensor.dim() != 1:
        suffixes.append(f"size={tuple(tensor.shape)}")
    if tensor.dtype is not _C.float32:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def _str(tensor: Tensor) -> str:
    prefix = "tensor("
    indent = len(prefix)
    if tensor.numel() == 0:
        text = prefix + "[]"
    else:
        summarize = tensor.numel() > THRESHOLD
        text = prefix + _contents(tensor, indent, summarize, _Formatter(list(_values(tensor, summarize))))
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(tensor):
        if last_line + len(suffix) + 2 > LINE_WIDTH:
            text += ",\n" + " " * indent + suffix
            last_line = indent + len(suffix)
        else:
            text += ", " + suffix
            last_line += len(suffix) + 2
    return text + ")"
