"""What a schema's types are in C++."""

from __future__ import annotations

from schema import Argument, FunctionSchema, Type

VALUE = {
    "Tensor": "Tensor",
    "Scalar": "Scalar",
    "int": "std::int64_t",
    "bool": "bool",
    "float": "double",
    "str": "std::string_view",
    "ScalarType": "ScalarType",
    "Generator": "Generator",
}
BY_REFERENCE = ("Tensor", "Scalar", "Generator")


def list_type(t: Type) -> str:
    if t.base == "Tensor":
        return "OptionalTensorList" if t.optional_elements else "TensorList"
    if t.base == "int":
        return "OptionalIntArrayRef" if t.optional else "IntArrayRef"
    return f"std::span<const {VALUE[t.base]}>"


def argument_type(t: Type) -> str:
    """The type in which kernels take it."""
    if t.is_list:
        return list_type(t)
    value = VALUE[t.base]
    if t.optional:
        wrapped = f"std::optional<{value}>"
        return f"const {wrapped}&" if t.base in BY_REFERENCE else wrapped
    if t.is_written:
        return "Tensor&"
    return f"const {value}&" if t.base in BY_REFERENCE else value


def result_type_of(t: Type) -> str:
    if t.is_list:
        return f"std::vector<{VALUE[t.base]}>"
    if t.is_written:
        return "Tensor&"
    return f"std::optional<{VALUE[t.base]}>" if t.optional else VALUE[t.base]


def return_type(schema: FunctionSchema) -> str:
    if not schema.returns:
        return "void"
    types = [result_type_of(r.type) for r in schema.returns]
    return types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>"


def declaration(argument: Argument) -> str:
    return f"{argument_type(argument.type)} {argument.name}"


def parameters(arguments: tuple[Argument, ...] | list[Argument], first: str | None = None, defaults: bool = False) -> str:
    parts = [first] if first else []
    parts += [declaration(a) + (default_value(a) if defaults else "") for a in arguments]
    return ", ".join(parts)


def names(arguments: tuple[Argument, ...] | list[Argument], first: str | None = None) -> str:
    return ", ".join(([first] if first else []) + [a.name for a in arguments])


def default_value(argument: Argument) -> str:
    """" = 1" for C++, or nothing where a default would have to be a list."""
    default = argument.default
    if default is None:
        return ""
    if default == "None":
        return " = {}" if argument.type.is_list and argument.type.base != "int" else " = std::nullopt"
    if default in ("True", "False"):
        return f" = {default.lower()}"
    if default.startswith("["):
        return " = {}" if default == "[]" else ""
    if argument.type.base == "ScalarType":
        return f" = ScalarType::{default}"
    if default[0] in "\"'":
        return f' = "{default[1:-1]}"'
    if argument.type.base == "Scalar":
        return f" = Scalar({default})"
    if argument.type.base == "float":
        return f" = {float(default)!r}"
    return f" = {default}"


def signature(schema: FunctionSchema) -> str:
    """"Tensor(const Tensor&, const Scalar&)"."""
    return f"{return_type(schema)}({', '.join(argument_type(a.type) for a in schema.arguments)})"


def tensor_arguments(schema: FunctionSchema) -> list[Argument]:
    return [a for a in schema.arguments if a.type.is_tensor_like]
