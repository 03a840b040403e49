"""Emits autograd/Functions.h and Functions_N.cpp: the node of each differentiable operator."""

from __future__ import annotations

import re

import text
from autograd_formulas import Node, result_names, tensor_kind


def _release(node: Node) -> str:
    lines = []
    for saved in node.saved:
        if saved.kind in ("list", "optional list"):
            lines.append(f"{saved.member}.clear();")
        elif saved.kind != "value":
            lines.append(f"{saved.member}.reset_data();")
    has_lists = any(s.kind in ("list", "optional list") for s in node.saved)
    if has_lists:
        lines.append("released_ = true;")
    if not lines:
        return ""
    body = "\n    ".join(["const std::lock_guard lock(mutex_);", *lines])
    return f"  void release_variables() override {{\n    {body}\n  }}\n"


def struct(node: Node) -> str:
    """The declaration of a node."""
    members = [f"  {saved.type} {saved.member}{{}};" if saved.kind == "value" else f"  {saved.type} {saved.member};" for saved in node.saved]
    members += [f"  std::size_t {d.arg.name}_size_ = 0;" for d in node.derivatives if "list" in (tensor_kind(d.arg.type) or "")]
    if any("list" in s.kind for s in node.saved):
        members.append("  bool released_ = false;")
    return (
        f"/// {node.function.name}\n"
        f"struct {node.name} final : TraceableFunction {{\n"
        f'  std::string name() const override {{ return "{node.name}"; }}\n'
        f"{_release(node)}\n" + "\n".join(members) + ("\n\n" if members else "") + " protected:\n"
        "  variable_list apply(variable_list&& grads) override;\n"
        "};\n"
    )


def _unpack(node: Node) -> list[str]:
    lines = []
    if any("list" in s.kind for s in node.saved):
        lines.append("if (released_) raise(ERR_BACKWARD_TWICE);")
    for saved in node.saved:
        if saved.kind == "tensor":
            lines.append(f"const Tensor {saved.name} = {saved.member}.unpack({'shared_from_this()' if saved.is_output else ''});")
        elif saved.kind == "optional":
            lines.append(f"const std::optional<Tensor> {saved.name} = unpack_opt({saved.member});")
        elif saved.kind == "list":
            lines.append(f"const std::vector<Tensor> {saved.name} = unpack_list({saved.member});")
        elif saved.kind == "optional list":
            lines.append(f"const std::vector<std::optional<Tensor>> {saved.name} = unpack_opt_list({saved.member});")
    return lines


def _grad_names(node: Node) -> list[str]:
    """Names for the incoming gradients that formulas use."""
    words = _words(" ".join(d.formula for d in node.derivatives))
    lines = []
    if "grad" in words:
        lines.append("const Tensor& grad = grads[0];")
    index = 0
    for name, differentiable in zip(result_names(node.function), node.differentiable_outputs):
        if f"grad_{name}" in words:
            lines.append(f"const Tensor& grad_{name} = grads[{index}];")
        index += differentiable
    return lines


def _words(formula: str) -> set[str]:
    return set(re.findall(r"\w+", formula))


def _outputs(node: Node) -> list[str]:
    lines, offset, variable = [], 0, ""
    for derivative in node.derivatives:
        at = f"{offset}{variable}"
        if "list" in (tensor_kind(derivative.arg.type) or ""):
            size = f"{derivative.arg.name}_size_"
            lines.append(f"if (task_should_compute_output({{{{{at}, {at} + {size}}}}})) copy_range(grad_inputs, {at}, {derivative.formula});")
            variable += f" + {size}"
        else:
            lines.append(f"if (task_should_compute_output({at})) grad_inputs[{at}] = {derivative.formula};")
            offset += 1
    return lines


def apply(node: Node) -> str:
    """The definition of a node's apply."""
    lines = ["const std::lock_guard lock(mutex_);"] if any(s.kind != "value" for s in node.saved) else []
    lines += _unpack(node)
    lines += ["variable_list grad_inputs(num_outputs());", "if (!any_variable_defined(grads)) return grad_inputs;"]
    lines += [*_grad_names(node), *_outputs(node), "return grad_inputs;"]
    return f"variable_list {node.name}::apply(variable_list&& grads) {{\n  " + "\n  ".join(lines) + "\n}\n"


_BEGIN = "namespace tensorlib::autograd {\n\ninline namespace generated {\n\n"
_END = "\n}  // namespace generated\n\n}  // namespace tensorlib::autograd\n"


def functions_header(nodes: list[Node]) -> str:
    """autograd/Functions.h."""
    includes = ["<mutex>", "<optional>", "<string>", "<vector>", "autograd/functions/copy_slices.h", "autograd/saved_variable.h", "core/Scalar.h"]
    out = text.header("The nodes of the graph of gradients, one for each operator that has derivatives.", includes, once=True)
    return out + _BEGIN + "\n".join(struct(node) for node in nodes) + _END


def functions_source(nodes: list[Node]) -> str:
    """One of autograd/Functions_N.cpp."""
    includes = ["<numbers>", "autograd/Functions.h", "autograd/FunctionsManual.h", "autograd/VariableTypeUtils.h", "autograd/operators.h", "core/Exception.h"]
    out = text.header("What backward computes at each node.", includes)
    return out + _BEGIN + "using namespace details;\nusing namespace at;\n\n" + "\n".join(apply(node) for node in nodes) + _END
