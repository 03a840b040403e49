"""`callpath break kernel` in a PyTorch without symbols: from the dispatcher's entry to the loop that reads the operand's first element.

The entry is exported and tells the arguments. Where its condition holds, a hardware watchpoint waits for the first element to be read: whatever reads
it is the loop, named or not. When the call returns, the watchpoint is gone.
"""

from __future__ import annotations

import re

import gdb

from . import interpreter, modules, pyframes, torchops, torchtensor, words
from .assemble import Trigger
from .errors import READ_ERRORS
from .pyobjects import Memory

_LIBRARY = re.compile(r"libtorch(_cpu)?\.so")
_NAME = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)(?:\.(ndim|numel))?(?![\w(])")
_TYPES = {"float32": "float", "float64": "double", "complex64": "float", "complex128": "double"}
_BY_SIZE = {1: "char", 2: "short", 4: "int", 8: "long"}


class TorchKernel:
    """An operator's overloads in one library."""

    def __init__(self, name: str, condition: str, trigger: Trigger) -> None:
        self.name, self.condition, self.trigger = name, condition, trigger
        self.stops: list[EntryStop] = []
        self.waiting: dict[tuple[int, int, int], ReadStop] = {}
        self._said: set[str] = set()

    def look_in(self, path: str) -> None:
        """Raises gdb.GdbError where the condition names what no overload has."""
        operators = operators_of(path, self.name)
        check_condition(self.condition, operators)
        self.stops += [EntryStop(operator, self) for operator in operators]

    def say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            words.write(f"callpath: {text}\n", gdb.STDERR)

    def wait_for(self, operator: torchops.Operator, operand: torchops.Parameter, tensor: torchtensor.Tensor) -> bool:
        """Sets the watchpoint. True where the program must stop because none can be had."""
        thread = gdb.selected_thread().ptid
        self.stop_waiting(thread)
        try:
            self.waiting[thread] = ReadStop(operator, operand, tensor, self)
        except READ_ERRORS as error:
            words.write(f"callpath: the first element of {operand.name} cannot be watched ({error}): stopped at the dispatcher's entry of {operator.full} instead.\n")
            return True
        ReturnStop(gdb.selected_frame(), thread, self)
        return False

    def stop_waiting(self, thread: tuple[int, int, int]) -> None:
        old = self.waiting.pop(thread, None)
        if old is not None and old.is_valid():
            old.delete()

    def remove(self) -> None:
        for stop in (*self.stops, *self.waiting.values()):
            if stop.is_valid():
                stop.delete()


def is_torch(path: str) -> bool:
    return bool(_LIBRARY.match(path.rsplit("/", 1)[-1]))


def operators_of(path: str, name: str) -> list[torchops.Operator]:
    """Overloads with the places of their arguments. Empty where the file cannot be read or is another library."""
    try:
        operators = torchops.find(path, name)
    except (OSError, ValueError):
        return []
    for operator in operators:
        torchops.place(operator, demangled(operator.symbol))
    return operators


def demangled(symbol: str) -> str:
    return gdb.execute(f"demangle -l c++ -- {symbol}", to_string=True).strip()


def check_condition(condition: str, operators: list[torchops.Operator]) -> None:
    known = sorted({parameter.name for operator in operators for parameter in operator.parameters})
    for match in _NAME.finditer(condition) if operators else ():
        if all(_called(operator, match[1]) is None for operator in operators):
            raise gdb.GdbError(f"No overload of {operators[0].name} has an argument {match[1]}. Its arguments: {', '.join(known)}")


def _called(operator: torchops.Operator, name: str) -> torchops.Parameter | None:
    """The parameter of that name, or the only one that begins with it: `exp` is `exponent`."""
    begun = [parameter for parameter in operator.parameters if parameter.name.startswith(name)]
    exact = [parameter for parameter in begun if parameter.name == name]
    return exact[0] if exact else begun[0] if len(begun) == 1 else None


def by_hand(path: str, name: str, condition: str) -> list[str]:
    """The same in plain gdb, for the first overload that has what the condition asks for and an operand; for elements of float32."""
    for operator in operators_of(path, name):
        operand = next((p for p in operator.parameters if p.type == "Tensor" and p.register and p.name != "out"), None)
        asked = [_called(operator, match[1]) for match in _NAME.finditer(condition)]
        if operand is None or not all(p is not None and p.register for p in asked):
            continue
        layout = torchtensor.LAYOUTS[0]
        text = _NAME.sub(lambda match: _by_hand_value(_called(operator, match[1])), condition)
        return [
            "set breakpoint pending on",
            f"break {demangled(operator.symbol)}{' if ' + text if text else ''}",
            "run",
            f"set $impl = *(long *) ${operand.register}",
            f"set $first = *(long *)(*(long *)($impl + {layout.storage:#x}) + {layout.storage_data:#x}) + *(long *)($impl + {layout.offset:#x}) * sizeof(float)",
            "rwatch *(float *) $first",
            "continue",
            "backtrace 12",
        ]
    return []


def _by_hand_value(parameter: torchops.Parameter) -> str:
    """A Scalar says at +0 what it is, a double (0) or an integer (1), and has the number at +16."""
    register = f"${parameter.register}"
    if parameter.type == "Scalar":
        return f"(*(int *) {register} == 1 ? *(long *)({register} + 16) : *(double *)({register} + 16))"
    return f"{register}.v2_double[0]" if register.startswith("$xmm") else register


class EntryStop(gdb.Breakpoint):
    """at::_ops::OP::call, by its whole signature: by name alone the entries in the PLT would count too. Never a stop of its own, unless nothing can be watched."""

    def __init__(self, operator: torchops.Operator, kernel: TorchKernel) -> None:
        super().__init__(demangled(operator.symbol), internal=True)
        self.callpath_trigger = kernel.trigger
        self._operator, self._kernel, self._memory = operator, kernel, Memory()

    def stop(self) -> bool:
        try:
            return self._holds() and self._watch()
        except READ_ERRORS as error:
            self._kernel.say_once(f"a call of {self._operator.full} could not be read: {error}")
            return False

    def _holds(self) -> bool:
        if not self._kernel.condition:
            return True
        text = _NAME.sub(self._value, self._kernel.condition)
        return "?" not in text and bool(gdb.parse_and_eval(text))

    def _value(self, name: re.Match) -> str:
        """As text for gdb's evaluation; '?' for what this overload does not have or cannot tell."""
        parameter = _called(self._operator, name[1])
        value = None if parameter is None else self._read(parameter, name[2])
        return "?" if value is None else f"({value!r})"

    def _read(self, parameter: torchops.Parameter, of_tensor: str | None) -> float | int | None:
        address = argument(parameter)
        if address is None:
            return None
        if parameter.type == "Tensor":
            tensor = self._tensor(address)
            return None if tensor is None or of_tensor is None else len(tensor.sizes) if of_tensor == "ndim" else tensor.numel
        if parameter.type == "Scalar":
            return torchtensor.scalar(address, self._memory)
        if parameter.type in ("int", "SymInt", "ScalarType", "Layout"):
            return address - (1 << 64) if address >> 63 else address
        return address & 1 if parameter.type == "bool" else address if parameter.type == "float" else None

    def _tensor(self, address: int) -> torchtensor.Tensor | None:
        return torchtensor.read(self._memory.word(address), self._memory)

    def _watch(self) -> bool:
        operator, kernel = self._operator, self._kernel
        for parameter in operator.parameters:
            address = argument(parameter) if parameter.type == "Tensor" and parameter.name != "out" else None
            tensor = self._tensor(address) if address is not None else None
            if tensor is not None and tensor.data and tensor.numel:
                return kernel.wait_for(operator, parameter, tensor)
        kernel.say_once(f"{operator.full} was called, but none of its operands has an element in memory that can be read: no stop there.")
        return False


def argument(parameter: torchops.Parameter) -> float | int | None:
    """What the register holds in which the argument was passed, at the entry of the selected frame."""
    if not parameter.register:
        return None
    value = gdb.selected_frame().read_register(parameter.register)
    if parameter.register.startswith("xmm"):
        return float(value["v2_double"][0])
    return int(value) & (1 << 64) - 1


class ReadStop(gdb.Breakpoint):
    """The first read of the first element, by the thread that called the operator or by one that Python has never seen: a worker of the engine."""

    def __init__(self, operator: torchops.Operator, operand: torchops.Parameter, tensor: torchtensor.Tensor, kernel: TorchKernel) -> None:
        self._what = f"*({_c_type(tensor)} *) {tensor.data:#x}"
        super().__init__(self._what, gdb.BP_WATCHPOINT, gdb.WP_READ, internal=True)
        self.silent = True
        self.callpath_trigger = kernel.trigger
        self._operator, self._operand, self._tensor, self._kernel = operator, operand, tensor, kernel
        self._thread = gdb.selected_thread().ptid

    def stop(self) -> bool:
        thread = gdb.selected_thread().ptid
        if thread != self._thread and _python_knows(thread):
            return False
        self.enabled = False
        value = gdb.parse_and_eval(self._what)
        place = modules.Modules().place(int(gdb.parse_and_eval("$pc")))
        words.write(f"The kernel of {self._operator.full} reads the first element of {self._operand.name}: {self._what} = {value}, before {place}\n{self._operand.name}: {self._tensor.text()}\n")
        return True


def _c_type(tensor: torchtensor.Tensor) -> str:
    return _TYPES.get(tensor.dtype) or _BY_SIZE.get(tensor.itemsize, "char")


def _python_knows(thread: tuple[int, int, int]) -> bool:
    found = interpreter.find()
    if isinstance(found, interpreter.Absent):
        return True
    try:
        return pyframes.Reader(found).read(thread[1] or thread[2]).found
    except READ_ERRORS:
        return True


class ReturnStop(gdb.Breakpoint):
    """Where the call returns to: the element is not waited for any longer."""

    def __init__(self, entry: gdb.Frame, thread: tuple[int, int, int], kernel: TorchKernel) -> None:
        caller = entry.older()
        super().__init__(f"*{caller.pc():#x}", internal=True, temporary=True)
        self.thread = gdb.selected_thread().global_num
        self._stack = int(caller.read_register("rsp"))
        self._called_by, self._kernel = thread, kernel

    def stop(self) -> bool:
        if int(gdb.selected_frame().read_register("rsp")) < self._stack:
            return False  # a call of the same operator further in
        waiting = self._kernel.waiting.get(self._called_by)
        if waiting is not None and waiting.is_valid():
            waiting.enabled = False
        self.enabled = False
        return False
