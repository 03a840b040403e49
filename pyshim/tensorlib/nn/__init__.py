"""Neural networks: modules, their parameters, functions and initial weights."""

from . import functional, init
from .modules import CrossEntropyLoss, Identity, Linear, Module, MSELoss, ReLU, Sequential, Sigmoid, Tanh
from .parameter import Parameter

__all__ = [
    "CrossEntropyLoss",
    "Identity",
    "Linear",
    "MSELoss",
    "Module",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
]
