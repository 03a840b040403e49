"""torch's tensors and scalars, read from memory. Their layout is in no debug information, so each layout that is known is tried, and what it gives is
believed only where it fits together: the object's table of virtual functions, its sizes, its number of elements, its place in its storage."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from . import names
from .errors import READ_ERRORS
from .pyobjects import Memory

_DTYPES = {0: ("uint8", 1), 1: ("int8", 1), 2: ("int16", 2), 3: ("int32", 4), 4: ("int64", 8), 5: ("float16", 2), 6: ("float32", 4), 7: ("float64", 8),
           8: ("complex32", 4), 9: ("complex64", 8), 10: ("complex128", 16), 11: ("bool", 1), 15: ("bfloat16", 2)}  # fmt: skip
_INLINE_DIMENSIONS = 5
_MOST_DIMENSIONS = 64


@dataclass(frozen=True)
class Layout:
    """Offsets in TensorImpl, and in its StorageImpl."""

    torch: str
    storage: int
    ndim: int
    sizes: int
    strides: int
    offset: int
    numel: int
    dtype: int
    storage_data: int
    storage_bytes: int


LAYOUTS = (
    Layout("1.13", 0x18, 0x48, 0x50, 0x78, 0xA0, 0xA8, 0xB0, 0x18, 0x38),
    Layout("2", 0x10, 0x40, 0x48, 0x70, 0x98, 0xA0, 0xA8, 0x10, 0x30),
)


@dataclass
class Tensor:
    impl: int
    sizes: list[int]
    strides: list[int]
    offset: int  # elements from the start of the storage
    dtype: str
    itemsize: int
    data: int  # address of the first element; 0 where it has no storage

    @property
    def numel(self) -> int:
        count = 1
        for size in self.sizes:
            count *= size
        return count

    def text(self) -> str:
        return f"{self.dtype} sizes {self.sizes} strides {self.strides} offset {self.offset}"


def read(impl: int, memory: Memory) -> Tensor | None:
    """The tensor whose TensorImpl lies there; None where no known layout fits."""
    if not impl or not is_impl(impl, memory):
        return None
    for layout in LAYOUTS:
        try:
            tensor = _by(layout, impl, memory)
        except READ_ERRORS:
            continue
        if tensor is not None:
            return tensor
    return None


def is_impl(impl: int, memory: Memory) -> bool:
    """Whether an object's first word is the table of virtual functions of a TensorImpl."""
    try:
        table = names.symbol_at(memory.word(impl))
    except READ_ERRORS:
        return False
    return table is not None and table[0].startswith("vtable for ") and table[0].split(" + ")[0].endswith("TensorImpl")


def _by(layout: Layout, impl: int, memory: Memory) -> Tensor | None:
    ndim = memory.word(impl + layout.ndim)
    if ndim > _MOST_DIMENSIONS:
        return None
    if ndim <= _INLINE_DIMENSIONS:
        sizes, strides = (_words(impl + start, ndim, memory) for start in (layout.sizes, layout.strides))
    else:
        outside = memory.word(impl + layout.sizes)
        sizes, strides = _words(outside, ndim, memory), _words(outside + 8 * ndim, ndim, memory)
    offset = memory.signed(impl + layout.offset)
    code = struct.unpack("<H", memory.bytes(impl + layout.dtype, 2))[0]
    if code not in _DTYPES or offset < 0 or any(size < 0 for size in sizes):
        return None
    dtype, itemsize = _DTYPES[code]
    tensor = Tensor(impl, sizes, strides, offset, dtype, itemsize, 0)
    if tensor.numel != memory.signed(impl + layout.numel):
        return None
    storage = memory.word(impl + layout.storage)
    if not storage:
        return tensor
    held = memory.signed(storage + layout.storage_bytes)
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if tensor.numel else -1
    if not 0 <= (last + 1) * itemsize <= held:
        return None
    data = memory.word(storage + layout.storage_data)
    tensor.data = data + offset * itemsize if data else 0
    return tensor


def _words(start: int, count: int, memory: Memory) -> list[int]:
    return list(struct.unpack(f"<{count}q", memory.bytes(start, 8 * count)))


def scalar(address: int, memory: Memory) -> float | int | bool | None:
    """A c10::Scalar: what it is at +0, the number at +16. None for complex numbers and what is not known."""
    tag = memory.int32(address)
    if tag == 0:
        return struct.unpack("<d", memory.bytes(address + 16, 8))[0]
    if tag == 1:
        return memory.signed(address + 16)
    return None
