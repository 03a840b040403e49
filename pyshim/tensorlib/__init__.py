"""tensorlib: a small PyTorch, made to be looked into. `import tensorlib as torch`."""

from . import _C
from ._C import (
    Generator,
    Size,
    default_generator,
    double,
    dtype,
    empty,
    float,
    float32,
    float64,
    full,
    get_cpu_capability,
    is_grad_enabled,
    is_inference_mode_enabled,
    ones,
    pow,
    randn,
    tensor,
    zeros,
)
from ._tensor import Tensor
from .autograd.grad_mode import enable_grad, inference_mode, no_grad
from .random import initial_seed, manual_seed

_C._set_tensor_class(Tensor)

__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "default_generator",
    "double",
    "dtype",
    "empty",
    "enable_grad",
    "float",
    "float32",
    "float64",
    "full",
    "get_cpu_capability",
    "inference_mode",
    "initial_seed",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "manual_seed",
    "no_grad",
    "ones",
    "pow",
    "randn",
    "tensor",
    "zeros",
]
