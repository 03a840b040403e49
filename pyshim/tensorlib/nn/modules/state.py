"""state_dict: the state of a module as a dictionary, and back."""

from __future__ import annotations

from collections import namedtuple

from ... import _C
from ..parameter import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .module import Module


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict did not find and what it did not know."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<All keys matched successfully>" if not self.missing_keys and not self.unexpected_keys else super().__repr__()

    __str__ = __repr__


def _members(module: Module) -> Iterator[tuple[str, Any]]:
    yield from ((name, value) for name, value in module._parameters.items() if value is not None)
    for name, value in module._buffers.items():
        if value is not None and name not in module._non_persistent_buffers_set:
            yield name, value


def state_dict(module: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> dict[str, Any]:
    """Fill destination with the state of a module and of those below it."""
    for name, value in _members(module):
        destination[prefix + name] = value if keep_vars else value.detach()
    for name, child in module._modules.items():
        if child is not None:
            state_dict(child, destination, f"{prefix}{name}.", keep_vars)
    return destination


def _load(module: Module, name: str, key: str, value: Any, assign: bool) -> str | None:
    """Put a value into a module; text if that cannot be."""
    own = getattr(module, name)
    if not isinstance(value, _C.TensorBase):
        return f'While copying the parameter named "{key}", expected tensorlib.Tensor from checkpoint but received {type(value)}'
    if value.shape != own.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {own.shape}."
        )
    if not assign:
        previous = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            own.copy_(value)
        finally:
            _C._set_grad_enabled(previous)
    elif isinstance(own, Parameter):
        setattr(module, name, value if isinstance(value, Parameter) else Parameter(value, own.requires_grad))
    else:
        setattr(module, name, value)
    return None


def load_state_dict(module: Module, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy a state into a module. What does not fit is told all at once, in one error."""
    if not hasattr(state, "items"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    missing, errors, known = [], [], set()
    for path, part in module.named_modules(remove_duplicate=False):
        for name, _ in _members(part):
            key = f"{path}.{name}" if path else name
            known.add(key)
            if key not in state:
                missing.append(key)
            elif error := _load(part, name, key, state[key], assign):
                errors.append(error)
    unexpected = [key for key in state if key not in known]
    if strict and unexpected:
        errors.insert(0, "Unexpected key(s) in state_dict: " + ", ".join(f'"{key}"' for key in unexpected) + ". ")
    if strict and missing:
        errors.insert(0, "Missing key(s) in state_dict: " + ", ".join(f'"{key}"' for key in missing) + ". ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return IncompatibleKeys(missing, unexpected)
