"""NativeFunctions.h (what the kernels must be), and the files that put kernels into the dispatcher: RegisterCPU.cpp, RegisterComposite*.cpp,
RegisterBackendSelect.cpp."""

from __future__ import annotations

from pathlib import Path

import cpp
import text
from model import NativeFunction
from schema import Argument


def inputs(function: NativeFunction) -> list[Argument]:
    """Arguments without those that are outputs."""
    return [a for a in function.schema.arguments if a not in function.schema.out_arguments]


# ---- NativeFunctions.h


def structured_declaration(function: NativeFunction) -> str:
    given = inputs(function)
    outs = ", ".join(f"const Tensor& {a.name}" for a in function.schema.out_arguments)
    implementation = ", ".join(filter(None, [cpp.parameters(given), outs]))
    return f"""struct {function.structured_meta} : {function.structured_inherits} {{
  void meta({cpp.parameters(given)});
}};
struct {function.structured_kernel} : {function.structured_meta} {{
  void impl({implementation});
}};
"""


def kernel_declarations(function: NativeFunction) -> list[str]:
    s = function.schema
    return [f"{cpp.return_type(s)} {kernel}({cpp.parameters(s.arguments)});\n" for kernel in function.dispatch.values()]


def native_functions_header(functions: list[NativeFunction]) -> str:
    about = "Every kernel that an operator's row names: written by hand in tensorlib/native and tensorlib/autograd."
    out = text.header(about, ["core/ArgumentTypes.h", "native/TensorIterator.h"], once=True)
    declarations: dict[str, None] = {}
    for function in functions:
        if function.structured:
            declarations[structured_declaration(function)] = None
        else:
            declarations.update(dict.fromkeys(kernel_declarations(function)))
    return out + "namespace tensorlib::native {\n\n" + "".join(declarations) + "\n}  // namespace tensorlib::native\n"


# ---- RegisterCPU.cpp, RegisterComposite*.cpp


def row(function: NativeFunction, kernel: str) -> str:
    return f"      row<_ops::{function.struct}, &{kernel}>(),\n"


def wrapper_head(function: NativeFunction, key: str) -> str:
    s = function.schema
    return f"TENSORLIB_NOINLINE {cpp.return_type(s)} wrapper_{key}_{function.struct}({cpp.parameters(s.arguments)}) {{\n"


def functional_result(count: int) -> str:
    if count == 1:
        return "std::move(op.outputs_[0])"
    return "{" + ", ".join(f"std::move(op.outputs_[{i}])" for i in range(count)) + "}"


def structured_wrapper(function: NativeFunction) -> str:
    """meta() makes or checks the outputs, impl() computes."""
    out_overload = function if function.structured else function.delegate
    assert out_overload is not None
    kind, count = function.schema.kind, len(out_overload.schema.out_arguments)
    given = [a.name for a in inputs(function)]
    structured = f"native::{function.structured_kernel}"
    outputs = [f"op.outputs_[{i}]" for i in range(count)]
    if kind == "functional":
        first = f"  structured_functional<{structured}, {count}> op;\n"
        result = functional_result(count)
    else:
        written = ["self"] if kind == "inplace" else [a.name for a in function.schema.out_arguments]
        first = f"  structured_given<{structured}, {count}> op({', '.join(written)});\n"
        result = written[0] if count == 1 else "{" + ", ".join(written) + "}"
    calls = f"  op.meta({', '.join(given)});\n  op.impl({', '.join(given + outputs)});\n"
    return wrapper_head(function, "CPU") + first + calls + f"  return {result};\n}}\n"


def plain_wrapper(function: NativeFunction, key: str) -> str:
    kernel = function.dispatch[key]
    return wrapper_head(function, key) + f"  return native::{kernel}({cpp.names(function.schema.arguments)});\n}}\n"


def has_kernel(function: NativeFunction, key: str) -> bool:
    return key in function.dispatch or (key == "CPU" and function.structured_delegate is not None)


def registration_source(functions: list[NativeFunction], key: str, dispatch_key: str) -> str:
    chosen = [f for f in functions if has_kernel(f, key)]
    wrappers = [structured_wrapper(f) if key == "CPU" and f.is_structured else plain_wrapper(f, key) for f in chosen]
    includes = ["Operators.h", "NativeFunctions.h", "core/Export.h", "ops/KernelWrappers.h", "ops/Registration.h"]
    rows = "".join(row(f, f"wrapper_{key}_{f.struct}") for f in chosen)
    table = f"  const Registration table[] = {{\n{rows}  }};\n  dispatcher.registerImpls({dispatch_key}, table);\n" if chosen else ""
    parameter = "dispatcher" if chosen else ""
    return text.header(f"The kernels of {key}.", includes) + f"""namespace tensorlib {{
namespace {{

{chr(10).join(wrappers)}
}}  // namespace

void register{key}(Dispatcher& {parameter}) {{
{table}}}

}}  // namespace tensorlib
"""


# ---- RegisterBackendSelect.cpp


def backend_select_source(functions: list[NativeFunction]) -> str:
    chosen = [f for f in functions if not f.has_tensors and not f.is_composite_implicit]
    kernels = []
    for f in chosen:
        s = f.schema
        kernels.append(
            f"TENSORLIB_NOINLINE {cpp.return_type(s)} {f.struct}({cpp.parameters(s.arguments)}) {{\n"
            f"  return _ops::{f.struct}::redispatch({cpp.names(s.arguments, 'DispatchKeySet(DispatchKey::CPU)')});\n}}\n"
        )
    rows = "".join(row(f, f"backend_select::{f.struct}") for f in chosen)
    about = "Operators without a tensor argument have no keys to go by: BackendSelect gives them the backend's. There is one; a device argument would\n// choose here."
    return text.header(about, ["Operators.h", "core/Export.h", "ops/KernelWrappers.h", "ops/Registration.h"]) + f"""namespace tensorlib {{
namespace {{
namespace backend_select {{

{chr(10).join(kernels)}
}}  // namespace backend_select
}}  // namespace

void registerBackendSelect(Dispatcher& dispatcher) {{
  const Registration table[] = {{
{rows}  }};
  dispatcher.registerImpls(DispatchKey::BackendSelect, table);
}}

}}  // namespace tensorlib
"""


FILES = {
    "CPU": "DispatchKey::CPU",
    "CompositeImplicitAutograd": "DispatchKey::CompositeImplicitAutograd",
    "CompositeExplicitAutograd": "DispatchKey::CompositeExplicitAutograd",
}


def files(_: list[NativeFunction]) -> list[str]:
    return [*(f"Register{key}.cpp" for key in FILES), "RegisterBackendSelect.cpp"]


def generate(functions: list[NativeFunction], folder: Path) -> None:
    text.write(folder / "NativeFunctions.h", native_functions_header(functions))
    for key, dispatch_key in FILES.items():
        text.write(folder / f"Register{key}.cpp", registration_source(functions, key, dispatch_key))
    text.write(folder / "RegisterBackendSelect.cpp", backend_select_source(functions))
