"""From the `derivatives` fields of operator rows to nodes: which tensors want gradients, and what forward must save for them.

A formula is a C++ expression. It names the operator's arguments, its results (`result`, or the names that the schema gives), and the
gradients of its results (`grad`, `grads`, or `grad_NAME`). What it asks of a tensor without needing its elements is saved instead of the tensor:
sizes(), strides(), dim(), numel(), dtype(), TensorGeometry(x), and of lists to_args_sizes(x), to_args_scalartypes(x).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from model import NativeFunction, TableError
from schema import Argument, Type

# pattern, suffix of the saved member, its type, what forward stores
_QUERIES = [
    (r"\b{name}\.sizes\(\)", "sizes", "DimVector", "DimVector({name}.sizes())"),
    (r"\b{name}\.strides\(\)", "strides", "DimVector", "DimVector({name}.strides())"),
    (r"\b{name}\.dim\(\)", "dim", "std::int64_t", "{name}.dim()"),
    (r"\b{name}\.numel\(\)", "numel", "std::int64_t", "{name}.numel()"),
    (r"\b{name}\.dtype\(\)", "dtype", "ScalarType", "{name}.dtype()"),
    (r"\bTensorGeometry\({name}\)", "geometry", "std::optional<TensorGeometry>", "TensorGeometry({name})"),
    (r"\bto_args_sizes\({name}\)", "sizes_list", "std::vector<DimVector>", "to_args_sizes({name})"),
    (r"\bto_args_scalartypes\({name}\)", "dtypes_list", "std::vector<ScalarType>", "to_args_scalartypes({name})"),
]

# Nodes that PyTorch names otherwise.
NAMES = {"copy_": "CopyBackwards"}

_MEMBER_TYPES = {
    "Scalar": "Scalar",
    "Scalar?": "std::optional<Scalar>",
    "int": "std::int64_t",
    "int?": "std::optional<std::int64_t>",
    "int[]": "DimVector",
    "int[]?": "std::optional<DimVector>",
    "float": "double",
    "float?": "std::optional<double>",
    "bool": "bool",
    "bool?": "std::optional<bool>",
    "str": "std::string",
    "str?": "std::optional<std::string>",
    "ScalarType": "ScalarType",
    "ScalarType?": "std::optional<ScalarType>",
}


@dataclass
class Saved:
    """Something that forward leaves in the node."""

    member: str  # of the node
    type: str
    store: str  # the expression that forward evaluates
    name: str  # of the argument or result
    kind: str  # "tensor", "optional", "list", "optional list" or "value"
    is_output: bool = False
    used_by: set[str] = field(default_factory=set)  # arguments whose gradient needs it


@dataclass
class Derivative:
    """The formula of the gradient of one argument."""

    arg: Argument
    formula: str


@dataclass
class Node:
    """One struct: the derivative of an operator and of its in-place and out= forms."""

    name: str
    function: NativeFunction
    derivatives: list[Derivative]
    saved: list[Saved]
    differentiable_outputs: list[bool]

    def saved_of(self, is_output: bool) -> list[Saved]:
        """What is saved before the operator runs, or of its results."""
        return [s for s in self.saved if s.is_output == is_output]


def tensor_kind(t: Type) -> str | None:
    """How a schema type holds tensors; None if it does not."""
    if t.base != "Tensor":
        return None
    if t.is_list:
        return "optional list" if t.optional_elements else "list"
    return "optional" if t.optional else "tensor"


def camel_case(name: str) -> str:
    """add -> Add, _log_softmax -> LogSoftmax."""
    return "".join(part.title() for part in name.strip("_").split("_") if part)


def result_names(function: NativeFunction) -> list[str]:
    """The names of results in formulas."""
    returns = function.schema.returns
    if len(returns) == 1:
        return [returns[0].name or "result"]
    return [r.name or f"result{i}" for i, r in enumerate(returns)]


class _Reader:
    """Reads the formulas of one operator."""

    def __init__(self, function: NativeFunction) -> None:
        self.function = function
        self.saved: dict[str, Saved] = {}

    def read(self, arg: Argument, formula: str) -> Derivative:
        for other in self.function.schema.arguments:
            formula = self._replace_queries(arg.name, other.name, formula)
            if re.search(rf"\b{other.name}\b", formula):
                self._save_argument(arg.name, other)
        for name in result_names(self.function):
            formula = self._replace_queries(arg.name, name, formula, is_output=True)
            if name not in {a.name for a in self.function.schema.arguments} and re.search(rf"\b{name}\b", formula):
                self._add(arg.name, Saved(f"{name}_", "SavedVariable", name, name, "tensor", True))
        return Derivative(arg, formula)

    def _add(self, wanted_by: str, saved: Saved) -> None:
        self.saved.setdefault(saved.member, saved).used_by.add(wanted_by)

    def _replace_queries(self, wanted_by: str, name: str, formula: str, is_output: bool = False) -> str:
        for pattern, suffix, type_, store in _QUERIES:
            member = f"{name}_{suffix}"
            formula, count = re.subn(pattern.format(name=name), f"*{member}" if suffix == "geometry" else member, formula)
            if count:
                self._add(wanted_by, Saved(member, type_, store.format(name=name), name, "value", is_output))
        return formula

    def _save_argument(self, wanted_by: str, arg: Argument) -> None:
        kind = tensor_kind(arg.type)
        if kind is None:
            base = re.sub(r"\[\d+\]", "[]", str(arg.type))
            if base not in _MEMBER_TYPES:
                raise TableError(f"{self.function.file}: {self.function.name}: a derivative needs '{arg.name}', and a node cannot keep a {base}")
            store = f"DimVector({arg.name})" if base == "int[]" else f"to_member({arg.name})" if base in ("int[]?", "str", "str?") else arg.name
            self._add(wanted_by, Saved(arg.name, _MEMBER_TYPES[base], store, arg.name, "value"))
        elif "list" in kind:
            store = f"make_saved_variable_list({arg.name}, false)"
            self._add(wanted_by, Saved(f"{arg.name}_", "std::vector<SavedVariable>", store, arg.name, kind))
        else:
            self._add(wanted_by, Saved(f"{arg.name}_", "SavedVariable", f"SavedVariable({arg.name}, false)", arg.name, kind))


def nodes(functions: list[NativeFunction]) -> dict[str, Node]:
    """The node of each operator that has derivatives, by the operator's name. Rows decide the order that numbers the nodes."""
    counter: Counter[str] = Counter()
    result = {}
    for function in functions:
        if not function.derivatives or _shares_a_node(function, functions):
            continue
        arguments = function.schema.arguments
        unknown = set(function.derivatives) - {a.name for a in arguments}
        if unknown:
            raise TableError(f"{function.file}: {function.name}: derivatives name {', '.join(sorted(unknown))}, which is no argument")
        reader = _Reader(function)
        derivatives = [reader.read(a, function.derivatives[a.name]) for a in arguments if a.name in function.derivatives]
        outputs = function.output_differentiability or [tensor_kind(r.type) is not None for r in function.schema.returns]
        prefix = camel_case(function.schema.base) + "Backward"
        name = NAMES.get(function.name, f"{prefix}{counter[prefix]}")
        result[function.name] = Node(name, function, derivatives, list(reader.saved.values()), outputs)
        counter[prefix] += 1
    return result


def _shares_a_node(function: NativeFunction, functions: list[NativeFunction]) -> bool:
    """Whether it is the in-place form of an operator with derivatives."""
    if not function.schema.is_inplace:
        return False
    base = function.schema.base[:-1]
    return any(f.derivatives and f.schema.base == base and _inputs(f) == _inputs(function) for f in functions)


def _inputs(function: NativeFunction) -> list[tuple[str, str]]:
    outs = function.schema.out_arguments
    return [(a.name, re.sub(r"\([a-z]!?\)", "", str(a.type))) for a in function.schema.arguments if a not in outs]


def node_of(function: NativeFunction, known: dict[str, Node]) -> Node | None:
    """The node of an operator; an in-place one has that of the functional operator with the same arguments."""
    if function.name in known or not function.schema.is_inplace:
        return known.get(function.name)
    base = function.schema.base[:-1]
    for node in known.values():
        if node.function.schema.base == base and _inputs(node.function) == _inputs(function):
            return node
    return None
