"""The files mapped into the program: which holds an address, at which load bias, with what debug information."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import gdb

from . import elf


@dataclass
class Module:
    """One loaded file. `key` is how gdb names it; offsets are addresses as the file itself numbers them."""

    key: str
    path: str
    bias: int
    build_id: str
    debug: str
    debug_file: str
    advice: str

    def record(self) -> dict:
        name = self.path.rsplit("/", 1)[-1]
        return {"name": name, "path": self.path, "build_id": self.build_id, "debug": self.debug, "debug_file": self.debug_file, "advice": self.advice}


class Modules:
    """Modules in the order in which they were first asked for, which is their order in the record."""

    def __init__(self) -> None:
        self.listed: list[Module] = []
        self._index: dict[str, int] = {}
        self._found: dict[int, int | None] = {}
        self._texts = _shared_library_texts()
        self._objfiles = {o.filename: o for o in gdb.objfiles() if o.filename and o.owner is None}
        self._detached = {o.owner.filename: o.filename for o in gdb.objfiles() if o.owner is not None}
        self._main = gdb.current_progspace().filename
        self._main_range: list[tuple[int, int]] | None = None

    def find(self, address: int) -> int | None:
        """Index into `listed` of the module that holds the address, or None (generated code, unmapped)."""
        if address not in self._found:
            self._found[address] = self._find(address)
        return self._found[address]

    def _find(self, address: int) -> int | None:
        key = gdb.solib_name(address) or self._main_at(address) or self._vdso_at(address)
        if key is None:
            return None
        if key not in self._index:
            self._index[key] = len(self.listed)
            self.listed.append(self._describe(key))
        return self._index[key]

    def place(self, address: int) -> str:
        """The address as a place in its file: 'libm.so.6+0x1234'."""
        index = self.find(address)
        if index is None:
            return hex(address)
        return f"{self.listed[index].record()['name']}+{address - self.listed[index].bias:#x}"

    def _main_at(self, address: int) -> str | None:
        if not self._main:
            return None
        if self._main_range is None:
            file = elf.read(self._main)
            bias = _main_bias(file)
            self._main_range = [(bias + a, bias + a + size) for a, size in file.segments] if file else []
        return self._main if any(begin <= address < end for begin, end in self._main_range) else None

    def _vdso_at(self, address: int) -> str | None:
        objfile = gdb.current_progspace().objfile_for_address(address) if hasattr(gdb.Progspace, "objfile_for_address") else None
        name = objfile.filename if objfile else ""
        return "[vdso]" if name and "system-supplied DSO" in name else None

    def _describe(self, key: str) -> Module:
        if key == "[vdso]":
            return Module(key, key, 0, "", "dynamic", "", "")
        file = elf.read(key)
        bias = _main_bias(file) if key == self._main else self._library_bias(key, file)
        objfile = self._objfiles.get(key) or next((o for name, o in self._objfiles.items() if os.path.realpath(name) == os.path.realpath(key)), None)
        detached = self._detached.get(objfile.filename, "") if objfile else ""
        debug = _debug_level(file, detached)
        path = os.path.realpath(key) if os.path.exists(key) else key
        build_id = (objfile.build_id if objfile else None) or ""
        return Module(key, path, bias, build_id, debug, detached, advice_for(path, debug))

    def _library_bias(self, key: str, file: elf.Elf | None) -> int:
        text = self._texts.get(key)
        if text is None or file is None or ".text" not in file.sections:
            return 0
        return text - file.sections[".text"]


def is_python(path: str) -> bool:
    """Whether a file is an interpreter by its name. A virtual environment may hold a copy that is called plainly `python`."""
    return bool(re.match(r"(libpython3|python(3|$))", path.rsplit("/", 1)[-1]))


def advice_for(path: str, debug: str) -> str:
    """What to install or rebuild so that more is known about a file of this level; empty if nothing is missing."""
    name = path.rsplit("/", 1)[-1]
    if debug == "full":
        return ""
    python = re.match(r"(?:lib)?(python3\.\d+)", name)
    if python:
        return f"apt-get install {python.group(1)}-dbg"
    if re.match(r"(libc|libm|libpthread|libdl|ld-linux-x86-64)\.so", name) or name.startswith("ld-linux"):
        return "apt-get install libc6-dbg"
    return "rebuild with -g" if not path.startswith(("/usr/lib/", "/lib/")) else ""


def _debug_level(file: elf.Elf | None, detached: str) -> str:
    if detached or (file and (".debug_info" in file.sections or ".zdebug_info" in file.sections)):
        return "full"
    if file and ".symtab" in file.sections:
        return "symbols"
    return "dynamic" if file and ".dynsym" in file.sections else "none"


def _shared_library_texts() -> dict[str, int]:
    """Run-time address of .text for each library that the loader has mapped."""
    texts = {}
    for line in gdb.execute("info sharedlibrary", to_string=True).splitlines():
        match = re.match(r"(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+(?:Yes(?: \(\*\))?|No)\s+(.*)$", line)
        if match:
            texts[match.group(2)] = int(match.group(1), 16)
    return texts


def _main_bias(file: elf.Elf | None) -> int:
    """Where the program itself was put: AT_ENTRY against the entry point in the file (0 unless it is position-independent)."""
    if file is None:
        return 0
    try:
        auxv = gdb.execute("info auxv", to_string=True)
    except gdb.error:
        return 0
    match = re.search(r"^9\s+AT_ENTRY\s.*(0x[0-9a-f]+)\s*$", auxv, re.M)
    return int(match.group(1), 16) - file.entry if match else 0
