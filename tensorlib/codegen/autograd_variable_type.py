"""Emits VariableType_N.cpp (what runs at the key AutogradCPU) and ADInplaceOrViewType.cpp (what runs at the key ADInplaceOrView)."""

from __future__ import annotations

import cpp
import text
from autograd_formulas import Node, Saved, tensor_kind
from model import NativeFunction

# Operators whose results, floating-point though they may be, have nothing to do with the values of their arguments.
NOT_DIFFERENTIABLE = {
    "empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like", "new_empty", "new_empty_strided", "new_zeros",
    "new_ones", "new_full", "_fused_adam_", "_fused_adamw_", "_fused_sgd_", "set_", "resize_", "detach", "detach_", "bernoulli",
}  # fmt: skip


def gives_many(function: NativeFunction) -> bool:
    """Whether it returns a list of tensors."""
    return any(r.type.is_list for r in function.schema.returns)


def written(function: NativeFunction) -> list[str]:
    """The arguments that it writes to."""
    return [a.name for a in function.schema.arguments if a.type.is_written]


def changes(function: NativeFunction) -> bool:
    """Whether it writes to an argument or returns a view of one."""
    return bool(written(function)) or function.schema.is_view


def _redispatch(function: NativeFunction, keys: str) -> str:
    return f"_ops::{function.struct}::redispatch({cpp.names(function.schema.arguments, f'ks & {keys}')})"


def _returns_written(function: NativeFunction) -> bool:
    return all(r.type.is_written for r in function.schema.returns)


def _run(function: NativeFunction, guard: str, keys: str) -> list[str]:
    """The call of the next kernel, in a scope with its guard."""
    call = _redispatch(function, keys)
    return ["{", f"  const {guard} guard;", f"  {call};" if _returns_written(function) else f"  result = {call};", "}"]


def _returned(function: NativeFunction) -> str:
    returns = function.schema.returns
    if not _returns_written(function):
        return "return result;"
    by_alias = {a.type.alias: a.name for a in function.schema.arguments if a.type.is_written}
    names = [by_alias[r.type.alias] for r in returns]
    return "" if not names else f"return {names[0]};" if len(names) == 1 else f"return {{{', '.join(names)}}};"


def _function(function: NativeFunction, lines: list[str]) -> str:
    schema = function.schema
    head = f"TENSORLIB_NOINLINE {cpp.return_type(schema)} {function.struct}({cpp.parameters(schema.arguments, 'DispatchKeySet ks')}) {{"
    return head + "\n  " + "\n  ".join(line for line in lines if line) + "\n}\n"


def _declare_result(function: NativeFunction) -> str:
    return "" if _returns_written(function) else f"{cpp.return_type(function.schema)} result;"


class VariableType:
    """The kernel of one operator at AutogradCPU."""

    def __init__(self, function: NativeFunction, node: Node | None) -> None:
        self.function, self.node = function, node

    def emit(self) -> str:
        """Its text."""
        if self.function.schema.is_out:
            return self._out()
        if self.node is not None:
            return self._differentiable(self.node.name, [d.arg.name for d in self.node.derivatives])
        if self._could_be_differentiable():
            return self._differentiable("NotImplemented", cpp_names(self.function))
        return self._passing_on()

    def _could_be_differentiable(self) -> bool:
        function = self.function
        if function.schema.base in NOT_DIFFERENTIABLE or not any(tensor_kind(r.type) for r in function.schema.returns):
            return False
        return function.output_differentiability is None or any(function.output_differentiability)

    def _run(self) -> list[str]:
        below = "AutoDispatchBelowAutograd" if changes(self.function) else "AutoDispatchBelowADInplaceOrView"
        return _run(self.function, below, "after_autograd_keyset")

    def _passing_on(self) -> str:
        check = [f"check_inplace({n}, compute_requires_grad({n}));" for n in written(self.function)[:1]]
        return _function(self.function, [*check, _declare_result(self.function), *self._run(), _returned(self.function)])

    def _out(self) -> str:
        wants = f"compute_requires_grad({', '.join(cpp_names(self.function))})"
        check = f'if ({wants}) throw_error_out_requires_grad("{self.function.schema.base}");'
        return _function(self.function, [check, *self._run(), _returned(self.function)])

    def _differentiable(self, name: str, inputs: list[str]) -> str:
        function = self.function
        wants = f"const bool any_requires_grad = compute_requires_grad({', '.join(inputs)});"
        check = [f"check_inplace({n}, any_requires_grad);" for n in written(function)]
        make = f'std::make_shared<NotImplemented>("{function.schema.base}")' if name == "NotImplemented" else f"std::make_shared<{name}>()"
        before = [f"grad_fn = {make};", f"grad_fn->set_next_edges(collect_next_edges({', '.join(inputs)}));", *self._save(is_output=False)]
        after = [*self._record(), *self._save(is_output=True)]
        lines = [wants, *check, f"std::shared_ptr<{name}> grad_fn;", "if (any_requires_grad) {"]
        lines += [f"  {line}" for line in before] + ["}", _declare_result(function), *self._run()]
        lines += ["if (any_requires_grad) {", *(f"  {line}" for line in after), "}", _returned(function)]
        return _function(function, lines)

    def _record(self) -> list[str]:
        if written(self.function):
            return [f"rebase_history({name}, grad_fn);" for name in written(self.function)]
        count = len(self.function.schema.returns)
        if count == 1:
            return ["set_history(result, grad_fn);"]
        marks = self.node.differentiable_outputs if self.node else [True] * count
        return [f"set_history(std::get<{i}>(result), grad_fn);" for i, differentiable in enumerate(marks) if differentiable]

    def _save(self, is_output: bool) -> list[str]:
        if self.node is None:
            return []
        lines = [self._save_one(saved) for saved in self.node.saved_of(is_output)]
        if not is_output:
            for derivative in self.node.derivatives:
                if "list" in (tensor_kind(derivative.arg.type) or ""):
                    lines.append(f"grad_fn->{derivative.arg.name}_size_ = {derivative.arg.name}.size();")
        return lines

    def _save_one(self, saved: Saved) -> str:
        store = saved.store
        if saved.is_output:
            value = self._result(saved.name)
            store = store.replace(saved.name, value) if saved.kind == "value" else value
            if saved.kind == "tensor":
                store = f"SavedVariable({value}, true, impl::is_view({value}))" if written(self.function) else f"SavedVariable({value}, true)"
        elif saved.kind == "tensor" and saved.name in written(self.function):
            # The operator is about to overwrite it.
            store = f"SavedVariable(at::clone({saved.name}), false)"
        line = f"grad_fn->{saved.member} = {store};"
        wanted = [i for i, d in enumerate(self.node.derivatives) if d.arg.name in saved.used_by] if self.node else []
        single = all("list" not in (tensor_kind(d.arg.type) or "") for d in self.node.derivatives) if self.node else False
        if saved.kind in ("tensor", "optional") and single and len(wanted) == 1 and len(self.node.derivatives) > 1:
            return f"if (grad_fn->should_compute_output({wanted[0]})) {line}"
        return line

    def _result(self, name: str) -> str:
        if written(self.function):
            return written(self.function)[0]
        returns = self.function.schema.returns
        if len(returns) == 1:
            return "result"
        names = [r.name or f"result{i}" for i, r in enumerate(returns)]
        return f"std::get<{names.index(name)}>(result)"


def cpp_names(function: NativeFunction) -> list[str]:
    """The names of its tensors."""
    return [a.name for a in cpp.tensor_arguments(function.schema)]


def inplace_or_view(function: NativeFunction) -> str:
    """The kernel at ADInplaceOrView of an operator that writes to an argument or returns a view."""
    lines = [_declare_result(function), *_run(function, "AutoDispatchBelowADInplaceOrView", "after_ADInplaceOrView_keyset")]
    if written(function):
        return _function(function, [*lines, *(f"increment_version({name});" for name in written(function)), _returned(function)])
    base = next(a.name for a in function.schema.arguments if a.type.alias)
    marks = function.output_differentiability
    differentiable = "false" if function.schema.base == "detach" or (marks is not None and not any(marks)) else "true"
    if gives_many(function):
        mode = "creation_meta_of_mode(CreationMeta::MULTI_OUTPUT_NODE)"
        return _function(function, [*lines, f"for (Tensor& view : result) view = as_view({base}, view, {differentiable}, {mode});", "return result;"])
    return _function(function, [*lines, f"return as_view({base}, std::move(result), {differentiable}, creation_meta_of_mode());"])


_INCLUDES = ["autograd/Functions.h", "autograd/VariableTypeUtils.h", "core/Export.h", "ops/Functions.h", "ops/KernelWrappers.h", "ops/Registration.h"]


def source(about: str, namespace: str, registration: str, key: str, functions: list[NativeFunction], kernels: list[str]) -> str:
    """A source with kernels and the table that registers them."""
    rows = "".join(f"      row<_ops::{f.struct}, &autograd::{namespace}::{f.struct}>(),\n" for f in functions)
    table = f"  const Registration table[] = {{\n{rows}  }};\n  dispatcher.registerImpls(DispatchKey::{key}, table);\n" if functions else ""
    return text.header(about, _INCLUDES) + (
        f"namespace tensorlib::autograd::{namespace} {{\nnamespace {{\n\n" + "\n".join(kernels) + f"\n}}  // namespace\n"
        f"}}  // namespace tensorlib::autograd::{namespace}\n\nnamespace tensorlib {{\n\n"
        f"void {registration}(Dispatcher&{' dispatcher' if functions else ''}) {{\n{table}}}\n\n}}  // namespace tensorlib\n"
    )
