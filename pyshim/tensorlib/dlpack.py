"""Memory shared with other libraries through DLPack."""

from __future__ import annotations

from . import _C

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._tensor import Tensor


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor over the memory of another library's array, or of a DLPack capsule; nothing is copied."""
    if hasattr(ext_tensor, "__dlpack__"):
        if hasattr(ext_tensor, "__dlpack_device__"):
            kind = int(ext_tensor.__dlpack_device__()[0])
            if kind != 1:
                raise BufferError(f"from_dlpack: the memory is on a device of kind {kind}; tensorlib has the CPU only")
        return _C._from_dlpack(ext_tensor.__dlpack__())
    return _C._from_dlpack(ext_tensor)


def to_dlpack(tensor: Tensor) -> Any:
    """The tensor's memory as a DLPack capsule, to be taken over once."""
    return tensor.__dlpack__()
