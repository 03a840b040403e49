"""Signatures as Python's users write them, which PythonArgParser reads: "pow(Tensor input, Scalar exponent, *, Tensor out=None)"."""

from __future__ import annotations

from dataclasses import dataclass

from model import NativeFunction
from schema import Argument, Type

# What a parameter's type is called in a signature.
PARSER_TYPES = {
    "Tensor": "Tensor", "Scalar": "Scalar", "int": "int64_t", "bool": "bool", "float": "double", "str": "str", "ScalarType": "ScalarType",
    "Generator": "Generator",
}
PARSER_LISTS = {"Tensor": "TensorList", "int": "IntArrayRef"}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a signature; `argument` is the operator's argument that it is for, or None for what only Python knows."""

    name: str
    type: str  # as the parser reads it
    default: str | None
    argument: Argument | None = None

    def __str__(self) -> str:
        return f"{self.type} {self.name}" + (f"={self.default}" if self.default is not None else "")


def parser_type(t: Type) -> str:
    name = PARSER_TYPES[t.base]
    if t.is_list:
        name = PARSER_LISTS.get(t.base, name + "List") + (f"[{t.size}]" if t.size else "")
    return name + ("?" if t.optional else "")


def python_default(argument: Argument) -> str | None:
    if argument.default is None:
        return None
    if argument.type.base == "ScalarType":
        return "None"
    return "None" if argument.default == "[]" else argument.default


def is_factory(function: NativeFunction) -> bool:
    """Makes a tensor of a type and device that the user chooses: randn, zeros_like, new_full."""
    s = function.schema
    if s.kind != "functional" or len(s.returns) != 1 or s.returns[0].type.base != "Tensor" or s.returns[0].type.is_list:
        return False
    has_dtype = any(a.name == "dtype" for a in s.arguments)
    return has_dtype and (not function.has_tensors or s.base.endswith("_like") or s.base.startswith("new_"))




@dataclass
class Signature:
    """A Python signature and the overloads behind it: the plain one, and the one that `out=` chooses."""

    base: NativeFunction
    out: NativeFunction | None
    method: bool

    @property
    def name(self) -> str:
        return self.base.schema.base

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        source = self.out or (self.base if self.base.schema.is_out else None)
        return source.schema.out_arguments if source else ()

    def parameter(self, argument: Argument) -> Parameter:
        name = argument.name
        if name == "self" and argument.type.base == "Tensor" and not self.method:
            name = "input"
        return Parameter(name, parser_type(argument.type), python_default(argument), argument)

    def positional(self) -> list[Parameter]:
        arguments = [a for a in self.base.schema.arguments if not a.keyword_only and not (self.method and a.name == "self")]
        return [self.parameter(a) for a in arguments]

    def keywords(self) -> list[Parameter]:
        factory = is_factory(self.base)
        arguments = [a for a in self.base.schema.arguments if a.keyword_only and a not in self.base.schema.out_arguments]
        result = [self.parameter(a) for a in arguments if not (factory and a.name == "dtype")]
        outs = self.out_arguments
        default = "None" if self.out else None
        if len(outs) == 1:
            result.append(Parameter("out", "Tensor", default, outs[0]))
        elif outs:
            result.append(Parameter("out", f"TensorList[{len(outs)}]", default))
        if factory:
            result += [self.parameter(a) for a in arguments if a.name == "dtype"]
            result += [Parameter("device", "Device", "None"), Parameter("requires_grad", "bool", "False")]
        return result

    def parameters(self) -> list[Parameter]:
        return self.positional() + self.keywords()

    def __str__(self) -> str:
        keywords = self.keywords()
        parts = [str(p) for p in self.positional()] + (["*"] if keywords else []) + [str(p) for p in keywords]
        return f"{self.name}({', '.join(parts)})"

    def documentation(self) -> str:
        """"pow(input, exponent, *, out=None)"."""

        def shown(p: Parameter) -> str:
            return p.name + (f"={p.default}" if p.default is not None else "")

        keywords = self.keywords()
        parts = [shown(p) for p in self.positional()] + (["*"] if keywords else []) + [shown(p) for p in keywords]
        return f"{self.name}({', '.join(parts)})"


def key(function: NativeFunction) -> tuple[tuple[str, str], ...]:
    """What a functional overload and its out overload have in common: arguments but for out, and but for a type that is asked for."""
    skipped = ("dtype",) if is_factory(function) else ()
    s = function.schema
    return tuple((a.name, str(a.type)) for a in s.arguments if a not in s.out_arguments and a.name not in skipped)


def grouped(overloads: list[NativeFunction], method: bool) -> list[Signature]:
    """Overloads of one name as signatures, in the order in which they are tried."""
    outs = {} if method else {key(f): f for f in overloads if f.schema.is_out}
    signatures = []
    for function in overloads:
        if not function.schema.is_out:
            signatures.append(Signature(function, outs.pop(key(function), None), method))
    signatures += [Signature(function, None, method) for function in outs.values()]
    return sort_overloads(signatures)


def is_narrower(a: Type, b: Type) -> bool:
    """Whether what fits `a` may fit `b` as well, so that `b` is to be tried first."""
    left, right = str(a), str(b)
    return (
        (left == "Scalar" and right == "Tensor")
        or (left == "Scalar?" and right == "Tensor?")
        or (left.startswith("int[") and right in ("int", "int?"))
        or (left == "Tensor[]" and "[" in right and right != "Tensor[]")
    )


def is_smaller(a: Signature, b: Signature) -> bool:
    left = [x.type for x in a.base.schema.arguments if x not in a.out_arguments]
    right = [x.type for x in b.base.schema.arguments if x not in b.out_arguments]
    if len(left) != len(right) or left == right:
        return False
    return all(x == y or is_narrower(x, y) for x, y in zip(left, right))


def sort_overloads(signatures: list[Signature]) -> list[Signature]:
    """Those that others are narrower than come first; else by their text, as PyTorch's generator sorts them."""
    rest = sorted(signatures, key=str)
    larger = {i: {j for j, b in enumerate(rest) if is_smaller(a, b)} for i, a in enumerate(rest)}
    order = [i for i in larger if not larger[i]]
    for i in order:  # grows while it is gone through
        for j in sorted(larger):
            if i in larger[j]:
                larger[j].discard(i)
                if not larger[j]:
                    order.append(j)
    return [rest[i] for i in order]
