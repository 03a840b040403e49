"""The default random generator."""

from __future__ import annotations

from ._C import Generator, default_generator


def manual_seed(seed: int) -> Generator:
    """Start the default generator anew. Negative seeds count from 2**64; the low 32 bits decide."""
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The seed that the default generator started from."""
    return default_generator.initial_seed()
