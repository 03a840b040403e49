"""Operators.h and Operators_N.cpp: each operator's way into the dispatcher; Functions.h: operators as plain functions."""

from __future__ import annotations

from pathlib import Path

import cpp
import text
from model import NativeFunction

SHARDS = 4


def struct(function: NativeFunction) -> str:
    s = function.schema
    return f"""struct {function.struct} {{
  using schema = {cpp.signature(s)};
  static constexpr const char* name = "tensorlib::{s.name}";
  static constexpr const char* schema_str = "tensorlib::{s.text}";
  static {cpp.return_type(s)} call({cpp.parameters(s.arguments)});
  static {cpp.return_type(s)} redispatch({cpp.parameters(s.arguments, "DispatchKeySet dispatchKeySet")});
}};
"""


def operators_header(functions: list[NativeFunction]) -> str:
    about = "The operators, as C++ calls them. `call` starts at the highest key; `redispatch` goes on at the keys it is given."
    out = text.header(about, ["core/ArgumentTypes.h", "dispatch/Dispatcher.h"], once=True)
    return out + "namespace tensorlib::_ops {\n\n" + "\n".join(map(struct, functions)) + "\n}  // namespace tensorlib::_ops\n"


def definition(function: NativeFunction) -> str:
    s = function.schema
    tensors = cpp.names(cpp.tensor_arguments(s), "op.entry()")
    arguments = cpp.names(s.arguments, "kernel.functor, call.dispatchKeySet()")
    return f"""{cpp.return_type(s)} {function.struct}::call({cpp.parameters(s.arguments)}) {{
  const auto op = handle<{function.struct}>();
  const OperatorCall call(op.entry(), keysOf({tensors}));
  tell_operator_hook(op.entry().name().c_str());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call({arguments});
}}

{cpp.return_type(s)} {function.struct}::redispatch({cpp.parameters(s.arguments, "DispatchKeySet dispatchKeySet")}) {{
  const auto op = handle<{function.struct}>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call({arguments});
}}
"""


def operators_source(functions: list[NativeFunction]) -> str:
    about = (
        "`call` and `redispatch` fetch the kernel and call it themselves: they are the frames that a stack shows between two kernels, and the\n"
        "// OperatorCall on their stack holds the keys of the call."
    )
    out = text.header(about, ["Operators.h", "core/operator_hook.h", "ops/OperatorCalls.h"])
    return out + "namespace tensorlib::_ops {\n\n" + "\n".join(map(definition, functions)) + "\n}  // namespace tensorlib::_ops\n"


def schemas_source(functions: list[NativeFunction]) -> str:
    rows = "".join(f"  define<_ops::{f.struct}>(dispatcher);\n" for f in functions)
    out = text.header("The schemas of all operators.", ["Operators.h", "dispatch/Boxing.h", "ops/Registration.h"])
    return out + f"""namespace tensorlib {{
namespace {{

template <typename Op>
void define(Dispatcher& dispatcher) {{
  dispatcher.registerDef(Op::schema_str, boxing::boxing_info<Op>());
}}

}}  // namespace

void registerSchemas(Dispatcher& dispatcher) {{
{rows}}}

}}  // namespace tensorlib
"""


def plain_function(function: NativeFunction) -> str:
    """Out arguments stand first, as PyTorch's plain functions have them."""
    s = function.schema
    outs = list(s.out_arguments)
    others = [a for a in s.arguments if a not in outs]
    name = s.base + ("_out" if outs else "")
    parameters = cpp.parameters([*outs], None) + (", " if outs and others else "") + cpp.parameters(others, None, defaults=True)
    return f"inline {cpp.return_type(s)} {name}({parameters}) {{ return _ops::{function.struct}::call({cpp.names(s.arguments)}); }}\n"


def functions_header(functions: list[NativeFunction]) -> str:
    out = text.header("Operators as plain functions.", ["Operators.h"], once=True)
    return out + "namespace tensorlib::at {\n\n" + "".join(map(plain_function, functions)) + "\n}  // namespace tensorlib::at\n"


def for_each_header(functions: list[NativeFunction]) -> str:
    calls = "".join(f"  visit(_ops::{f.struct}());\n" for f in functions)
    out = text.header("All operators as types, for what treats them alike.", ["Operators.h"], once=True)
    return out + f"""namespace tensorlib {{

/// Calls visit(_ops::X()) for every operator X.
template <typename Visit>
void for_each_operator(Visit&& visit) {{
{calls}}}

}}  // namespace tensorlib
"""


def files(_: list[NativeFunction]) -> list[str]:
    return ["RegisterSchema.cpp", *(f"Operators_{i}.cpp" for i in range(SHARDS))]


def generate(functions: list[NativeFunction], folder: Path) -> None:
    text.write(folder / "Operators.h", operators_header(functions))
    text.write(folder / "Functions.h", functions_header(functions))
    text.write(folder / "ForEachOperator.h", for_each_header(functions))
    text.write(folder / "RegisterSchema.cpp", schemas_source(functions))
    for i, shard in enumerate(text.shards(functions, SHARDS)):
        text.write(folder / f"Operators_{i}.cpp", operators_source(shard))
