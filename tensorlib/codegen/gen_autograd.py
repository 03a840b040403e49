"""Autograd's sources, from the operators' rows: nodes, the kernels of VariableType and those of ADInplaceOrView. See autograd_formulas.py for
what a formula is."""

from __future__ import annotations

from pathlib import Path

import autograd_nodes
import autograd_variable_type as kernels
import text
from autograd_formulas import node_of, nodes
from model import NativeFunction

VARIABLE_TYPE_SHARDS = 5
FUNCTIONS_SHARDS = 3
FOLDER = "../autograd"


def files(_: list[NativeFunction]) -> list[str]:
    return [
        *(f"{FOLDER}/Functions_{i}.cpp" for i in range(FUNCTIONS_SHARDS)),
        *(f"{FOLDER}/VariableType_{i}.cpp" for i in range(VARIABLE_TYPE_SHARDS)),
        f"{FOLDER}/RegisterVariableType.cpp",
        f"{FOLDER}/ADInplaceOrViewType.cpp",
    ]


def register_variable_type() -> str:
    names = [f"registerVariableType_{i}" for i in range(VARIABLE_TYPE_SHARDS)]
    declarations = "".join(f"void {name}(Dispatcher&);\n" for name in names)
    calls = "".join(f"  {name}(dispatcher);\n" for name in names)
    out = text.header("Puts the kernels of VariableType_N.cpp into the dispatcher.", ["ops/Registration.h"])
    return out + f"namespace tensorlib {{\n\n{declarations}\nvoid registerVariableType(Dispatcher& dispatcher) {{\n{calls}}}\n\n}}  // namespace tensorlib\n"


def generate(functions: list[NativeFunction], folder: Path) -> None:
    folder = folder.parent / "autograd"
    known = nodes(functions)
    text.write(folder / "Functions.h", autograd_nodes.functions_header(list(known.values())))
    for i, shard in enumerate(text.shards(list(known.values()), FUNCTIONS_SHARDS)):
        text.write(folder / f"Functions_{i}.cpp", autograd_nodes.functions_source(shard))

    seen = [f for f in functions if f.has_tensors and not f.is_composite_implicit]
    about = "What autograd does around each operator: look whether gradients are wanted, then go on below autograd."
    for i, shard in enumerate(text.shards(seen, VARIABLE_TYPE_SHARDS)):
        bodies = [kernels.VariableType(f, node_of(f, known)).emit() for f in shard]
        source = kernels.source(about, "VariableType", f"registerVariableType_{i}", "Autograd", shard, bodies)
        text.write(folder / f"VariableType_{i}.cpp", source)
    text.write(folder / "RegisterVariableType.cpp", register_variable_type())

    changing = [f for f in seen if kernels.changes(f)]
    about = "Around each operator that writes to an argument or returns a view: versions and views."
    bodies = [kernels.inplace_or_view(f) for f in changing]
    source = kernels.source(about, "ADInplaceOrView", "registerADInplaceOrView", "ADInplaceOrView", changing, bodies)
    text.write(folder / "ADInplaceOrViewType.cpp", source)
