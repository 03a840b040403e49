"""The default random generator."""

from __future__ import annotations

from ._C import Generator, default_generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._tensor import Tensor


def manual_seed(seed: int) -> Generator:
    """Start the default generator anew. Negative seeds count from 2**64; the low 32 bits decide."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Start the default generator anew from a number that the system draws; returns that number."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the default generator is, for set_rng_state."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Goes on from where get_rng_state was called."""
    default_generator.set_state(new_state)
