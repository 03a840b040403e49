"""tensorlib's tensors, read by its own debug information."""

from __future__ import annotations

import gdb

from .errors import READ_ERRORS


def text(address: int) -> str | None:
    """Element type, sizes, strides and offset of the tensor that a Python object holds; None where the engine has no debug information."""
    try:
        kind = gdb.lookup_type("tensorlib::THPVariable")
        impl = gdb.Value(address).cast(kind.pointer())["cdata"]["impl_"]["target_"]
        if not int(impl):
            return "undefined"
        tensor = impl.dereference()
        dtype = str(tensor["dtype_"]).rpartition("::")[2]
        return f"{_NAMES.get(dtype, dtype)} sizes {_numbers(tensor['sizes_'])} strides {_numbers(tensor['strides_'])} offset {int(tensor['storage_offset_'])}"
    except READ_ERRORS:
        return None


_NAMES = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Float": "float32", "Double": "float64", "Bool": "bool"}
_MOST = 64


def _numbers(vector: gdb.Value) -> list[int]:
    count = int(vector["size_"])
    if count > _MOST:
        raise ValueError(f"a tensor of {count} dimensions")
    return [int(vector["data_"][i]) for i in range(count)]
