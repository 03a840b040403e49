"""The modules."""

from .activation import ReLU, Sigmoid, Tanh
from .container import Sequential
from .linear import Identity, Linear
from .loss import CrossEntropyLoss, MSELoss
from .module import Module

__all__ = ["CrossEntropyLoss", "Identity", "Linear", "MSELoss", "Module", "ReLU", "Sequential", "Sigmoid", "Tanh"]
