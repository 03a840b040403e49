"""`callpath break kernel`: stops in the lambda with which an operator's kernel works on elements, or, in a PyTorch without symbols, in the loop that
reads the operand's first element (torchkernel.py).

Compilers number lambdas as they please and libraries are loaded late, so both the functions that define a kernel's lambdas and the lambdas are looked up
in a library's symbol table when it is loaded. The condition is decided in the defining function, once a call; its lambdas are on only while it holds.
"""

from __future__ import annotations

import os
import re

import gdb

from . import elf, lambdas, torchkernel, words
from .assemble import Trigger

_DELETE = "-delete"
_active: list[Kernel] = []


class BreakKernel(gdb.Command):
    """Stop in the kernel of an operator, where it works on elements.

Usage: callpath break kernel OP [if COND]
       callpath break kernel -delete

OP is the operator's name, such as pow, or one overload: pow.Tensor_Scalar.

In tensorlib's teach build the stop is in the lambda that works on elements.
COND is decided in the function that defines the kernel's lambdas, in its own
arguments.

In PyTorch, stripped as it ships, COND is decided at the dispatcher's entry,
in the arguments of the operator's schema (the beginning of a name will do;
of tensors: self.ndim, self.numel). The stop is at the first read of the
first operand's first element, caught by a hardware watchpoint.

  -delete    Take these stops away: they are many, so gdb does not list them.
  -by-hand   Print the plain gdb commands that do the same: for PyTorch once
             its library is loaded; for other operators of tensorlib than
             pow, as far as the defining function.

Example: callpath break kernel pow if exp == 3"""

    usage = "callpath break kernel OP [if COND] [-by-hand]"

    def __init__(self) -> None:
        super().__init__("callpath break kernel", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        text = argument.strip()
        if text == _DELETE:
            while _active:
                _active.pop().remove()
            return
        match = re.fullmatch(r"([A-Za-z_]\w*(?:\.\w+)?)(?:\s+if\s+(.+))?", text.removesuffix(words.BY_HAND).strip())
        if not match:
            raise gdb.GdbError(f"Which operator? Usage: {self.usage}")
        kernel = Kernel(match[1], (match[2] or "").strip())
        if text.endswith(words.BY_HAND):
            words.show(kernel.by_hand())
            return
        _active.append(kernel)
        gdb.events.new_objfile.connect(kernel.loaded)
        try:
            kernel.look_in_loaded()
        except gdb.GdbError:
            _active.pop().remove()
            raise
        if not kernel.found:
            words.write(f"No library with a kernel of {match[1]} is loaded yet: it is looked for in each one that is.\n")

    def complete(self, text: str, word: str) -> object:
        return words.completed(text, (_DELETE,))


class Kernel:
    """An operator's kernel functions and their lambdas, in every library that has some."""

    def __init__(self, operator: str, condition: str) -> None:
        self.operator, self.condition = operator, condition
        self.lambdas: list[LambdaStop] = []
        self.trigger = Trigger("probe", f"kernel:{operator}", condition)
        self._pattern = rf"{re.escape(operator)}_(\w*_)?kernel"
        self._seen: set[str] = set()
        self._functions: list[KernelStop] = []
        self._torch = torchkernel.TorchKernel(operator, condition, self.trigger)

    @property
    def found(self) -> bool:
        return bool(self.lambdas or self._torch.stops)

    def look_in_loaded(self) -> None:
        for objfile in gdb.objfiles():
            self._look_in(objfile)

    def loaded(self, event: gdb.NewObjFileEvent) -> None:
        try:
            self._look_in(event.new_objfile)
        except gdb.GdbError as error:
            words.write(f"callpath break kernel {self.operator}: {error}\n", gdb.STDERR)

    def _look_in(self, objfile: gdb.Objfile) -> None:
        path = _absolute(objfile.filename or "")
        if objfile.owner is not None or path in self._seen or not os.path.isfile(path):
            return
        self._seen.add(path)
        if torchkernel.is_torch(path):
            self._torch.look_in(path)
            return
        file = elf.read(path)
        if file is None or ".symtab" not in file.sections:
            return
        found = lambdas.defined_in(self._pattern, path)
        if not found:
            if lambdas.functions_in(self.operator, path):
                words.write(f"{path} has kernels of {self.operator}, but their lambdas are inlined: no stop there. Build with the preset teach, which keeps them apart.\n")
            return
        for linkage in found:
            self.lambdas.append(LambdaStop(linkage, self))
        for function in sorted({lambdas.enclosing(linkage) or "" for linkage in found}):
            self._functions.append(KernelStop(function, self))

    def decide(self, holds: bool) -> None:
        for stop in self.lambdas:
            if stop.is_valid() and stop.enabled != holds:
                stop.enabled = holds

    def by_hand(self) -> list[str]:
        """The article's way: the defining function; for pow also the line of its lambda (`search` leaves the line's number in $_) and the lambda."""
        for path in [objfile.filename or "" for objfile in gdb.objfiles()]:
            plain = torchkernel.by_hand(path, self.operator, self.condition) if torchkernel.is_torch(path) else []
            if plain:
                return plain
        condition = f" if {self.condition}" if self.condition else ""
        if self.operator != "pow":
            return ["set breakpoint pending on", f"tbreak {self.operator}_kernel{condition}", "run", "info args", "list"]
        commands = ["set breakpoint pending on", f"tbreak pow_tensor_scalar_optimized_kernel{condition}", "run", "list"]
        return [*commands, r"search return base \* base \* base;", "set $line = $_", "tbreak $line", "continue", "info args"]

    def remove(self) -> None:
        gdb.events.new_objfile.disconnect(self.loaded)
        for stop in (*self.lambdas, *self._functions):
            if stop.is_valid():
                stop.delete()
        self._torch.remove()


def _absolute(path: str) -> str:
    """A library is named as the program named it, from where the program stood."""
    return path if path.startswith("/") else os.path.join(f"/proc/{gdb.selected_inferior().pid}/cwd", path)


class KernelStop(gdb.Breakpoint):
    """In a function that defines lambdas: no stop, but the place where the condition is decided."""

    def __init__(self, function: str, kernel: Kernel) -> None:
        super().__init__(function, internal=True)
        self._kernel = kernel

    def stop(self) -> bool:
        if not self._kernel.condition:
            self._kernel.decide(True)
            return False
        if gdb.selected_frame().function() is None:
            return False  # its PLT entry
        try:
            self._kernel.decide(bool(gdb.parse_and_eval(self._kernel.condition)))
        except gdb.error:
            self._kernel.decide(False)  # another overload's kernel, which has no such argument
        return False


class LambdaStop(gdb.Breakpoint):
    def __init__(self, linkage: str, kernel: Kernel) -> None:
        super().__init__(linkage, internal=True)
        self.enabled = False
        self.callpath_trigger = kernel.trigger
        self._kernel = kernel

    def stop(self) -> bool:
        words.write(f"The kernel of {self._kernel.operator} works on an element: {gdb.selected_frame().name()}\n")
        return True
