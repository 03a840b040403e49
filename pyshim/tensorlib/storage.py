"""The memory behind tensors, as one object for all tensors that share it: copies and pickles go by it."""

from __future__ import annotations

import weakref

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._tensor import Tensor


class UntypedStorage:
    """A run of bytes. Two tensors are views of one memory if and only if their storages are the same object."""

    def __init__(self, data: Tensor) -> None:
        self._bytes = data  # a 1-dim tensor of uint8 over all of the memory

    def nbytes(self) -> int:
        return self._bytes.numel()

    __len__ = nbytes

    def size(self) -> int:
        return self.nbytes()

    def data_ptr(self) -> int:
        return self._bytes.data_ptr()

    def tolist(self) -> list[int]:
        return self._bytes.tolist()

    def __repr__(self) -> str:
        return f"<tensorlib.UntypedStorage of {self.nbytes()} bytes>"

    def __deepcopy__(self, memo: dict[int, Any]) -> UntypedStorage:
        copied = _remember(UntypedStorage(_C._copy_bytes(self._bytes)))
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_storage, (bytes(memoryview(self._bytes)),)


_alive: weakref.WeakValueDictionary[int, UntypedStorage] = weakref.WeakValueDictionary()


def _remember(storage: UntypedStorage) -> UntypedStorage:
    _alive[_C._storage_key(storage._bytes)] = storage
    return storage


def storage_of(tensor: Tensor) -> UntypedStorage:
    # The storage object keeps the memory, so a key in use is not given to another memory.
    found = _alive.get(_C._storage_key(tensor))
    return found if found is not None else _remember(UntypedStorage(_C._storage_bytes(tensor)))


def _rebuild_storage(data: bytes) -> UntypedStorage:
    return _remember(UntypedStorage(_C._bytes_tensor(data)))


def _rebuild_tensor(
    cls: type, storage: UntypedStorage, dtype: _C.dtype, offset: int, size: tuple[int, ...], stride: tuple[int, ...], requires_grad: bool
) -> Tensor:
    plain = _C._tensor_over(storage._bytes, dtype, offset, size, stride)
    tensor = plain if type(plain) is cls else plain.as_subclass(cls)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def _parts(tensor: Tensor, storage: UntypedStorage) -> tuple[Any, ...]:
    return type(tensor), storage, tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.requires_grad


def reduce_tensor(tensor: Tensor) -> tuple[Any, ...]:
    if not tensor.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user can be pickled with their gradients: use tensor.detach()")
    return _rebuild_tensor, _parts(tensor, storage_of(tensor)), tensor.__dict__ or None


def deepcopy_tensor(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    if not tensor.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were attempting "
            "to deepcopy a module, this may be because of a tensor that was computed: use tensor.detach()"
        )
    if id(tensor) in memo:
        return memo[id(tensor)]
    import copy

    with _C.DisableTorchFunctionSubclass():
        copied = _rebuild_tensor(*_parts(tensor, copy.deepcopy(storage_of(tensor), memo)))
        memo[id(tensor)] = copied
        if getattr(tensor, "grad", None) is not None:
            copied.grad = copy.deepcopy(tensor.grad, memo)
        copied.__dict__.update(copy.deepcopy(tensor.__dict__, memo))
    return copied
