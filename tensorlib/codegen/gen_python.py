"""The operators as Python sees them: methods of TensorBase (python_variable_methods_N.cpp) and static methods of _VariableFunctions, which the
module has as functions (python_torch_functions_N.cpp). What is written by hand is in pyshim/tensorlib/csrc.
"""

from __future__ import annotations

from pathlib import Path

import python_docs
import text
from cpp import return_type
from model import NativeFunction
from python_signature import Signature, grouped, is_factory
from schema import Type

SHARDS = 4
INCLUDES = [
    "Exceptions.h", "DType.h", "gil.h", "not_implemented.h", "operator_note.h", "ops/Operators.h", "python_arg_parser.h", "python_operators.h",
    "python_torch_function.h", "python_torch_functions.h", "python_variable.h",
]

# Methods that pyshim/tensorlib/csrc/python_variable_methods.cpp has: they ask about the tensor, or talk to Python.
BY_HAND = {"item", "to", "size", "stride", "numel", "dim", "is_contiguous", "requires_grad_", "numpy", "tolist", "detach_"}

# Python's operators. Those that the class Tensor has as Python functions (`**`, and the reflected ones but for `+` and `*`) are not here.
OPERATORS = {
    "add": ("__add__", "__radd__"), "add_": ("__iadd__",), "mul": ("__mul__", "__rmul__"), "mul_": ("__imul__",), "sub": ("__sub__",),
    "sub_": ("__isub__",), "div": ("__truediv__", "__div__"), "div_": ("__itruediv__", "__idiv__"), "remainder": ("__mod__",),
    "remainder_": ("__imod__",), "floor_divide_": ("__ifloordiv__",), "eq": ("__eq__",), "ne": ("__ne__",), "lt": ("__lt__",),
    "le": ("__le__",), "gt": ("__gt__",), "ge": ("__ge__",), "bitwise_and": ("__and__", "__rand__"), "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"), "bitwise_and_": ("__iand__",), "bitwise_or_": ("__ior__",), "bitwise_xor_": ("__ixor__",),
    "bitwise_not": ("__invert__",), "bitwise_left_shift": ("__lshift__",), "bitwise_right_shift": ("__rshift__",), "matmul": ("__matmul__",),
    "neg": ("__neg__",), "abs": ("__abs__",), "positive": ("__pos__",),
}


def accessor(t: Type, i: int, default: str | None) -> tuple[str, str]:
    """The C++ type of the local that holds an argument, and how it comes from place i of the parsed call."""
    if t.is_list:
        if t.base == "Tensor":
            return ("std::vector<std::optional<Tensor>>", f"r.list_of_optional_tensors({i})") if t.optional_elements else (
                "std::vector<Tensor>", f"r.tensorlist({i})")
        if t.optional:
            return "std::optional<DimVector>", f"r.intlistOptional({i})"
        return "DimVector", f"r.intlist({i})"
    if t.base == "Generator":
        return "Generator", f"r.generator({i})"
    if t.base == "ScalarType":
        if t.optional and default not in (None, "None"):
            return "std::optional<ScalarType>", f"r.scalartypeOptional({i}).value_or(ScalarType::{default})"
        return ("std::optional<ScalarType>", f"r.scalartypeOptional({i})") if t.optional else ("ScalarType", f"r.scalartype({i})")
    value, name = {
        "Tensor": ("Tensor", "tensor"), "Scalar": ("Scalar", "scalar"), "int": ("std::int64_t", "toInt64"), "bool": ("bool", "toBool"),
        "float": ("double", "toDouble"), "str": ("std::string_view", "string"),
    }[t.base]
    if not t.optional:
        return value, f"r.{name}({i})"
    optional = "optionalTensor" if t.base == "Tensor" else name + "Optional"
    return f"std::optional<{value}>", f"r.{optional}({i})"


def passed(t: Type, name: str) -> str:
    """A local as the operator takes it."""
    if t.base == "Generator" and t.optional:
        return name
    if t.base == "int" and t.is_list and t.optional:
        return f"{name} ? OptionalIntArrayRef(*{name}) : std::nullopt"
    return name


def locals_of(signature: Signature, function: NativeFunction) -> tuple[list[str], list[str]]:
    """Declarations of a call's arguments, and the arguments themselves in the operator's order."""
    parameters = signature.parameters()
    place = {p.argument.name: i for i, p in enumerate(parameters) if p.argument is not None}
    outs = function.schema.out_arguments
    lines, arguments = [], []
    for a in function.schema.arguments:
        if a.name == "self" and signature.method:
            arguments.append("self")
            continue
        if a in outs and len(outs) > 1:
            arguments.append(f"outs[{outs.index(a)}]")
            continue
        i = next(k for k, p in enumerate(parameters) if p.name == "out") if a in outs else place[a.name]
        cpp_type, value = accessor(a.type, i, a.default)
        written = a.type.is_written and a.type.base == "Tensor" and not a.type.is_list
        name = a.name if a not in outs else "out"
        lines.append(f"{'' if written else 'const '}{cpp_type} {name} = {value};")
        arguments.append(passed(a.type, name))
    if len(outs) > 1:
        i = next(k for k, p in enumerate(parameters) if p.name == "out")
        lines.append(f"std::vector<Tensor> outs = r.tensorlist_n({i}, {len(outs)});")
    return lines, arguments


def result_names(function: NativeFunction) -> list[str]:
    returns = function.schema.returns
    if len(returns) < 2 or function.schema.is_inplace:
        return []
    outs = function.schema.out_arguments
    names = [r.name or (outs[i].name if i < len(outs) else "") for i, r in enumerate(returns)]
    return names if all(names) else []


def call_lines(signature: Signature, function: NativeFunction) -> list[str]:
    """One overload: its arguments, the call without the GIL, its result for Python."""
    s = function.schema
    lines, arguments = locals_of(signature, function)
    parameters = signature.parameters()
    factory = is_factory(signature.base)
    if factory:
        device = next(i for i, p in enumerate(parameters) if p.name == "device")
        lines.append(f"if (!r.isNone({device})) check_device(r.args[{device}]);")
        if s.is_out:
            dtype = next(i for i, p in enumerate(parameters) if p.name == "dtype")
            lines.append(f"check_out_type_matches(out, r.scalartypeOptional({dtype}));")
    call = f"_ops::{function.struct}::call({', '.join(arguments)})"
    if s.is_out or s.is_inplace:
        body, result = f"{call};", "self" if s.is_inplace else "out"
        if len(s.out_arguments) > 1:
            result = ""
    else:
        lines.append(f"{return_type(s)} result;" if s.returns and return_type(s) != "void" else "")
        body, result = f"result = {call};", "result"
    lines = [f"// {s.text}", *[line for line in lines if line], "{", "  const gil_scoped_release no_gil;", f"  {body}", "}"]
    names = result_names(function)
    if names:
        values = [f"outs[{i}]" for i in range(len(names))] if s.is_out else [f"std::get<{i}>(result)" for i in range(len(names))]
        fields = ", ".join(f'"{n}"' for n in (result_names(signature.base) or names))
        lines.insert(1, f'static PyTypeObject* const named = new_result_type("{s.base}", {{{fields}}});')
        lines.append(f"return wrap_named(named, {{{', '.join(values)}}});")
    elif len(s.out_arguments) > 1:
        lines.append("return wrap(outs);")
    elif factory and not s.is_out:
        requires_grad = next(i for i, p in enumerate(parameters) if p.name == "requires_grad")
        lines.append(f"return wrap_new(result, r.toBool({requires_grad}));")
    else:
        is_tensor = result == "result" and return_type(s) == "Tensor"
        lines.append("return wrap(std::move(result));" if is_tensor else f"return wrap({result});")
    return lines


def signature_lines(signature: Signature) -> list[str]:
    if signature.out is None:
        return call_lines(signature, signature.base)
    out = next(i for i, p in enumerate(signature.parameters()) if p.name == "out")
    lines = [f"if (r.isNone({out})) {{", *("  " + line for line in call_lines(signature, signature.base)), "}"]
    return lines + call_lines(signature, signature.out)


def takes_no_arguments(signatures: list[Signature]) -> bool:
    return len(signatures) == 1 and not signatures[0].parameters() and signatures[0].method


def function_source(name: str, signatures: list[Signature]) -> str:
    method = signatures[0].method
    if takes_no_arguments(signatures):
        head = [f'if (check_has_torch_function(self_)) return handle_torch_function_method(self_, "{name}");']
        parameters = "PyObject* self_, PyObject*"
    else:
        texts = ",\n    ".join(f'"{s}"' for s in signatures)
        most = max(len(s.parameters()) for s in signatures)
        api, module = ("THPVariableClass", "tensorlib.Tensor") if method else ("THPVariableFunctionsModule", "tensorlib")
        self_ = "self_" if method else "nullptr"
        head = [
            "static const PythonArgParser parser({\n    " + texts + "});",
            f"ParsedArgs<{most}> parsed_args;",
            f"const PythonArgs r = parser.parse({self_}, args, kwargs, parsed_args);",
            f'if (r.has_torch_function()) return handle_torch_function(r, {self_}, args, kwargs, {api}, "{module}");',
        ]
        parameters = f"PyObject* {'self_' if method else ''}, PyObject* args, PyObject* kwargs"
    if method:
        written = any(a.name == "self" and a.type.is_written for s in signatures for a in s.base.schema.arguments)
        head.append("Tensor self = THPVariable_Unpack(self_);" if written else "const BorrowedTensor self(THPVariable_Unpack(self_));")
    body: list[str] = []
    for i, signature in enumerate(signatures):
        lines = signature_lines(signature)
        if i + 1 < len(signatures):
            body += [f"if (r.idx == {i}) {{", *("  " + line for line in lines), "}"]
        else:
            body += lines
    indented = "\n".join("  " + line for line in [*head, *body])
    given = "self_, nullptr, nullptr" if takes_no_arguments(signatures) else f"{'self_' if method else 'nullptr'}, args, kwargs"
    end = f'END_HANDLE_TH_ERRORS_OF("{name}", {given})'
    return f"static PyObject* THPVariable_{name}({parameters}) {{\n  HANDLE_TH_ERRORS\n{indented}\n  {end}\n}}\n"


def documentation(name: str, signatures: list[Signature]) -> str:
    about = python_docs.ABOUT.get(name) or python_docs.ABOUT.get(name.rstrip("_"))
    lines = [s.documentation() for s in signatures]
    if about:
        about += " In place." if name.endswith("_") and name not in python_docs.ABOUT else ""
        lines += ["", about]
    return "\\n".join(lines).replace('"', '\\"')


def table_rows(name: str, signatures: list[Signature]) -> list[str]:
    flags = "with_keywords" if signatures[0].method else "with_keywords | METH_STATIC"
    doc = documentation(name, signatures)
    if takes_no_arguments(signatures):
        rows = [f'{{"{name}", THPVariable_{name}, METH_NOARGS, "{doc}"}},']
        return rows + [f'{{"{operator}", THPVariable_{name}, METH_NOARGS, nullptr}},' for operator in OPERATORS.get(name, ())]
    rows = [f'{{"{name}", castPyCFunctionWithKeywords<THPVariable_{name}>(), {flags}, "{doc}"}},']
    if signatures[0].method:
        wrapped = f"castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_{name}>>()"
        rows += [f'{{"{operator}", {wrapped}, with_keywords, nullptr}},' for operator in OPERATORS.get(name, ())]
    return rows


Group = tuple[str, list[Signature]]


def groups(functions: list[NativeFunction], method: bool) -> list[Group]:
    """Operators by name, in the order of names."""
    overloads: dict[str, list[NativeFunction]] = {}
    for function in functions:
        wanted = "method" in function.variants if method else "function" in function.variants or function.schema.is_out
        if wanted and not function.no_binding and not (method and (function.schema.is_out or function.schema.base in BY_HAND)):
            overloads.setdefault(function.schema.base, []).append(function)
    return [(name, grouped(overloads[name], method)) for name in sorted(overloads)]


def source(shard: list[Group], table: str, about: str) -> str:
    out = text.header(about, INCLUDES)
    out += "namespace tensorlib::autograd {\n\n"
    out += "\n".join(function_source(name, signatures) for name, signatures in shard)
    out += "\n}  // namespace tensorlib::autograd\n\nnamespace tensorlib {\n\nusing namespace autograd;\n\n"
    rows = "".join(f"    {row}\n" for name, signatures in shard for row in table_rows(name, signatures))
    return out + f"PyMethodDef {table}[] = {{\n{rows}    {{}},\n}};\n\n}}  // namespace tensorlib\n"


def tables_source() -> str:
    def array(name: str, table: str) -> str:
        shards = ", ".join(f"{table}_{i}" for i in range(SHARDS))
        declared = "\n".join(f"extern PyMethodDef {table}_{i}[];" for i in range(SHARDS))
        return f"{declared}\nstd::vector<PyMethodDef> {name}() {{ return joined({{{shards}}}); }}\n"

    out = text.header("The operators' tables, joined.", ["python_operators.h"])
    return out + f"""namespace tensorlib {{

{array("variable_operators", "variable_methods")}
{array("torch_operators", "torch_functions")}
}}  // namespace tensorlib
"""


def files(_: list[NativeFunction]) -> list[str]:
    shards = range(SHARDS)
    names = [f"python_variable_methods_{i}.cpp" for i in shards] + [f"python_torch_functions_{i}.cpp" for i in shards]
    return [*names, "python_operators.cpp"]


def generate(functions: list[NativeFunction], folder: Path) -> None:
    for method, name, table in ((True, "python_variable_methods", "variable_methods"), (False, "python_torch_functions", "torch_functions")):
        about = "Operators as methods of tensors." if method else "Operators as functions of the module."
        for i, shard in enumerate(text.shards(groups(functions, method), SHARDS)):
            text.write(folder / f"{name}_{i}.cpp", source(shard, f"{table}_{i}", about))
    text.write(folder / "python_operators.cpp", tables_source())
