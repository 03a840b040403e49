"""The operator tables as objects: what every generator works on."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schema import FunctionSchema, SchemaError, parse_schema

ROW_KEYS = {
    "func", "variants", "dispatch", "structured", "structured_delegate", "structured_inherits", "derivatives", "output_differentiability", "python",
    "no_binding", "autogen", "tags",
}
DISPATCH_KEYS = ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd")


class TableError(ValueError):
    """A row that cannot be used: file, operator and reason."""


@dataclass
class NativeFunction:
    """One row: an overload of an operator."""

    schema: FunctionSchema
    file: str
    variants: tuple[str, ...] = ("function",)
    dispatch: dict[str, str] = field(default_factory=dict)  # dispatch key -> name of the kernel in namespace native
    structured: bool = False  # an out overload whose kernel is a structured operator
    structured_inherits: str = "MetaBase"
    structured_delegate: str | None = None  # name of the out overload that computes for it
    derivatives: dict[str, str] = field(default_factory=dict)
    output_differentiability: list[bool] | None = None
    no_binding: bool = False  # internal: Python does not see it
    delegate: NativeFunction | None = None  # that overload itself, once tables are whole
    functional: NativeFunction | None = None  # of a structured out overload: the one that returns fresh tensors

    @property
    def name(self) -> str:
        return self.schema.name

    @property
    def struct(self) -> str:
        """The name of its struct in _ops. A struct `std` would hide the namespace."""
        name = self.schema.unambiguous_name
        return "std_" if name == "std" else name

    @property
    def structured_meta(self) -> str:
        """The class whose meta() all three forms share, named by the functional one: "structured_pow_Tensor_Scalar"."""
        out = self if self.structured else self.delegate
        assert out is not None and out.functional is not None
        return f"structured_{out.functional.struct}"

    @property
    def structured_kernel(self) -> str:
        """The class whose impl() computes: "structured_pow_Tensor_Scalar_out"."""
        out = self if self.structured else self.delegate
        assert out is not None
        return f"structured_{out.dispatch['CPU']}"

    @property
    def is_structured(self) -> bool:
        return self.structured or self.structured_delegate is not None

    @property
    def is_composite_implicit(self) -> bool:
        return "CompositeImplicitAutograd" in self.dispatch

    @property
    def has_tensors(self) -> bool:
        return any(a.type.is_tensor_like for a in self.schema.arguments)


def read_row(row: dict[str, Any], file: str) -> NativeFunction:
    if "func" not in row:
        raise TableError(f"{file}: a row has no func")
    try:
        schema = parse_schema(row["func"])
    except SchemaError as error:
        raise TableError(f"{file}: {row['func']}: {error}") from None
    unknown = set(row) - ROW_KEYS
    if unknown:
        raise TableError(f"{file}: {schema.name}: unknown keys {', '.join(sorted(unknown))}; known are {', '.join(sorted(ROW_KEYS))}")
    structured, delegate = row.get("structured", False), row.get("structured_delegate")
    dispatch = dict(row.get("dispatch", {}))
    wrong = set(dispatch) - set(DISPATCH_KEYS)
    if wrong:
        raise TableError(f"{file}: {schema.name}: no dispatch key {', '.join(sorted(wrong))}; known are {', '.join(DISPATCH_KEYS)}")
    if not dispatch and not delegate:
        dispatch = {"CompositeImplicitAutograd": schema.base + ("_out" if schema.is_out else "")}
    if structured and not (schema.is_out and "CPU" in dispatch):
        raise TableError(f"{file}: {schema.name}: only an out overload with a CPU kernel can be structured")
    return NativeFunction(
        schema, file, tuple(row.get("variants", ["function"])), dispatch, structured, row.get("structured_inherits", "MetaBase"), delegate,
        dict(row.get("derivatives", {})), row.get("output_differentiability"), row.get("no_binding", False),
    )


def read_tables(folder: Path) -> list[NativeFunction]:
    """All rows, files in the order of their names. Raises TableError."""
    functions: dict[str, NativeFunction] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            rows = tomllib.loads(path.read_text()).get("op", [])
        except tomllib.TOMLDecodeError as error:
            raise TableError(f"{path.name}: {error}") from None
        for row in rows:
            function = read_row(row, path.name)
            if function.name in functions:
                raise TableError(f"{path.name}: {function.name} is in {functions[function.name].file} already")
            functions[function.name] = function
    for function in functions.values():
        if function.structured_delegate is not None:
            function.delegate = functions.get(function.structured_delegate)
            if function.delegate is None or not function.delegate.structured:
                raise TableError(f"{function.file}: {function.name}: structured_delegate {function.structured_delegate} is no structured operator")
            if function.schema.kind == "functional":
                function.delegate.functional = function
    for function in functions.values():
        if function.structured and function.functional is None:
            raise TableError(f"{function.file}: {function.name} is structured, and no functional overload delegates to it")
    return list(functions.values())
