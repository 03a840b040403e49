"""tensorlib: a small PyTorch, made to be looked into. `import tensorlib as torch`."""

from __future__ import annotations

from . import _C, autograd
from ._C import (
    Generator,
    Size,
    as_tensor,
    bool,
    default_generator,
    device,
    double,
    dtype,
    finfo,
    float,
    float32,
    float64,
    from_numpy,
    frombuffer,
    get_cpu_capability,
    get_default_dtype,
    get_num_threads,
    iinfo,
    int,
    int8,
    int16,
    int32,
    int64,
    is_grad_enabled,
    is_inference_mode_enabled,
    long,
    set_default_dtype,
    set_num_threads,
    short,
    tensor,
    uint8,
)
from ._dispatch import explain_dispatch
from ._tensor import Tensor
from ._tensor_str import set_printoptions
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .dlpack import from_dlpack
from .random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state

_C._set_tensor_class(Tensor)

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "as_tensor",
    "autograd",
    "bool",
    "default_generator",
    "device",
    "double",
    "dtype",
    "enable_grad",
    "explain_dispatch",
    "finfo",
    "float",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_cpu_capability",
    "get_default_dtype",
    "get_num_threads",
    "get_rng_state",
    "iinfo",
    "inference_mode",
    "initial_seed",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "long",
    "manual_seed",
    "no_grad",
    "seed",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "short",
    "tensor",
    "uint8",
]


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


# The operators are functions of the module as they are of the class that holds them.
for _name in dir(_C._VariableFunctions):
    if not _name.startswith("_") and _name not in globals():
        globals()[_name] = getattr(_C._VariableFunctions, _name)
        __all__.append(_name)
del _name


def __getattr__(name: str) -> object:
    """Packages that are loaded when they are first used; a word on what is not here."""
    if name in ("nn", "optim", "utils"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    if name in ("complex64", "complex128", "cfloat", "cdouble", "float16", "half", "bfloat16"):
        raise TypeError(
            f"tensorlib has no {name}: the element types are float32, float64, int64, int32, int16, int8, uint8 and bool"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
