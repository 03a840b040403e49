"""How tensors print: four digits, one format for all elements, the middle of large ones left out. PyTorch's rules to the character."""

from __future__ import annotations

import math

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._tensor import Tensor


class _PrintOptions:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


PRINT_OPTS = _PrintOptions()
_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors print: digits, the number of elements from which the middle is left out, elements kept at each end, columns."""
    options = PRINT_OPTS
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"set_printoptions: there is no profile {profile!r}: give one of {', '.join(_PROFILES)}")
        options.precision, options.threshold, options.edgeitems, options.linewidth = _PROFILES[profile]  # type: ignore[assignment]
    if precision is not None:
        options.precision = precision
    if threshold is not None:
        options.threshold = threshold  # type: ignore[assignment]
    if edgeitems is not None:
        options.edgeitems = edgeitems
    if linewidth is not None:
        options.linewidth = linewidth
    options.sci_mode = sci_mode


class _Formatter:
    """The one format that suits all the values: whole numbers, fixed point or scientific; each as wide as the widest."""

    def __init__(self, values: list[Any], floating: bool) -> None:
        self.floating = floating
        self.int_mode = True
        self.sci_mode = False
        self.width = 1
        if floating:
            self._choose([v for v in values if math.isfinite(v) and v != 0])
        else:
            self.width = max((len(str(v)) for v in values), default=1)
        if PRINT_OPTS.sci_mode is not None:
            self.sci_mode = PRINT_OPTS.sci_mode

    def _choose(self, values: list[float]) -> None:
        if not values:
            return
        largest, smallest = max(map(abs, values)), min(map(abs, values))
        self.int_mode = all(v == math.ceil(v) for v in values)
        self.sci_mode = largest / smallest > 1000.0 or largest > 1.0e8 or (not self.int_mode and smallest < 1.0e-4)
        self.width = max(1, max(len(self._text(v)) for v in values))

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.sci_mode:
            return f"{value:.{PRINT_OPTS.precision}e}"
        if self.int_mode:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{PRINT_OPTS.precision}f}"

    def format(self, value: Any) -> str:
        return self._text(value).rjust(self.width)


def _shown(size: int, summarize: bool) -> list[int | None]:
    """Indices to print along a dimension; None stands for what is left out."""
    edge = PRINT_OPTS.edgeitems
    if not summarize or size <= 2 * edge:
        return list(range(size))
    return [*range(edge), None, *range(size - edge, size)]


def _values(data: Any, dim: int, summarize: bool) -> Iterator[Any]:
    """The elements that are shown, of a tensor with `dim` dimensions."""
    if dim == 0:
        yield data.item()
    elif dim == 1 and not (summarize and len(data) > 2 * PRINT_OPTS.edgeitems):
        yield from data.tolist()
    else:
        for i in _shown(len(data), summarize):
            if i is not None:
                yield from _values(data[i], dim - 1, summarize)


def _vector_str(data: Tensor, indent: int, summarize: bool, formatter: _Formatter) -> str:
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // (formatter.width + 2))
    texts = [" ..." if i is None else formatter.format(data[i].item()) for i in _shown(len(data), summarize)]
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _contents(data: Tensor, indent: int, summarize: bool, formatter: _Formatter) -> str:
    if data.dim() == 0:
        return formatter.format(data.item())
    if data.dim() == 1:
        return _vector_str(data, indent, summarize, formatter)
    parts = ["..." if i is None else _contents(data[i], indent + 1, summarize, formatter) for i in _shown(len(data), summarize)]
    return "[" + ("," + "\n" * (data.dim() - 1) + " " * (indent + 1)).join(parts) + "]"


def _suffixes(tensor: Tensor) -> list[str]:
    suffixes = []
    default = _C.get_default_dtype()
    if tensor.numel() == 0:
        # Nothing in it tells the type, so that is told even of int64.
        if tensor.dim() != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype is not default:
            suffixes.append(f"dtype={tensor.dtype}")
    elif tensor.dtype not in (default, _C.int64, _C.bool):
        suffixes.append(f"dtype={tensor.dtype}")
    grad_fn = getattr(tensor, "grad_fn", None)
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn.name().rsplit('::', 1)[-1]}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def _str(tensor: Tensor, tensor_contents: str | None = None) -> str:
    from ._tensor import Tensor as plain

    with _C.DisableTorchFunctionSubclass():
        prefix = "tensor(" if type(tensor) is plain or type(tensor).__torch_function__ is _C._disabled_torch_function_impl else f"{type(tensor).__name__}("
        indent = len(prefix)
        data = _C._plain_view(tensor)
        if tensor_contents is not None:
            text = prefix + tensor_contents
        elif tensor.numel() == 0:
            text = prefix + "[]"
        else:
            summarize = tensor.numel() > PRINT_OPTS.threshold
            formatter = _Formatter(list(_values(data, data.dim(), summarize)), tensor.dtype.is_floating_point)
            text = prefix + _contents(data, indent, summarize, formatter)
        last_line = len(text) - text.rfind("\n") + 1
        for suffix in _suffixes(tensor):
            if last_line + len(suffix) + 2 > PRINT_OPTS.linewidth:
                text += ",\n" + " " * indent + suffix
                last_line = indent + len(suffix)
            else:
                text += ", " + suffix
                last_line += len(suffix) + 2
        return text + ")"
