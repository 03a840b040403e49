"""A stand-in for a Debian machine: a copy of the toolkit's set-up in a folder of its own, and package tools that only take notes.

The tools on PATH are exactly those listed here, so that a test also shows what set-up relies on.
"""

import os
import shutil
import subprocess
from pathlib import Path

REAL_TOOLS = (
    "sh bash cat sed awk sort comm find cksum flock mkdir mv rm tee grep egrep tail head dirname readlink nproc env tr sleep touch cut ls uname readelf chmod true"
)

FAKE_TOOL = r"""#!/bin/bash
# Takes a note of how it was called, then does the little that set-up needs of it.
name=${0##*/}
home=%HOME%
echo "$name $*" >>"$home/log"
behaviour() { [ -e "$home/$1" ]; }
installed() { grep -qxF "$1" "$home/installed"; }
case $name in
  id) case $1 in -u) cat "$home/uid" ;; *) echo tester ;; esac ;;
  sudo)
    behaviour sudo-works || exit 1
    shift
    exec "$@" ;;
  dpkg-query) for word; do if installed "$word"; then echo "$word installed"; fi; done ;;
  apt-cache)
    if behaviour no-candidates || grep -qsxF "$2" "$home/unknown"; then echo "$2:"; echo "  Candidate: (none)"; else echo "$2:"; echo "  Candidate: 1.0"; fi
    printf '%0200000d\n' 0 ;; # More than a pipe holds: who stops reading early ends apt-cache by a signal.
  apt-get)
    case " $* " in
      *" indextargets "*) for release in bookworm trixie; do echo "http://mirror.invalid/debian/ $release main"; done ;;
      *" source "*)
        if behaviour offline; then echo "E: Failed to fetch: Temporary failure resolving the name of the mirror" >&2; exit 100; fi
        for word; do :; done
        echo dsc >"${word}_1.0-1.dsc" ;;
      *" update "*) rm -f "$home/no-candidates" "$home/stale" ;;
      *" download "*)
        if behaviour offline; then echo "E: Failed to fetch: Temporary failure resolving the name of the mirror" >&2; exit 100; fi
        for word; do :; done
        echo deb >"${word}_1.0_amd64.deb" ;;
      *" install "*)
        if behaviour offline; then echo "E: Failed to fetch http://deb/x  Temporary failure resolving the name of the mirror" >&2; exit 100; fi
        if behaviour stale; then echo "E: Failed to fetch http://deb/x  404  Not Found" >&2; exit 100; fi
        if behaviour cut-off; then echo "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem." >&2; exit 100; fi
        for word; do case $word in -* | install | DPkg*) ;; *) echo "$word" >>"$home/installed" ;; esac; done ;;
    esac ;;
  dpkg)
    case $1 in
      -x) mkdir -p "$3/usr/lib/llvm-19/lib" && touch "$3/usr/lib/llvm-19/lib/libunwind.a" ;;
      --configure) rm -f "$home/cut-off" ;;
    esac ;;
  cmake)
    case $1 in
      --preset)
        if behaviour configure-fails; then echo "CMake Error: something" >&2; exit 1; fi
        mkdir -p "build/$2"
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"
        touch "build/$2/build.ninja" ;;
      --build)
        if behaviour build-hangs; then touch "$home/building"; sleep 60; fi
        if behaviour build-fails; then echo "error: no" >&2; exit 1; fi
        mkdir -p "$2/bin" "$2/lib"
        touch "$2/lib/libtensorlib.so"
        printf '#!/bin/sh\necho "built callpath: $*"\n' >"$2/bin/callpath"
        chmod +x "$2/bin/callpath" ;;
    esac ;;
  dpkg-source)
    for target; do :; done
    if behaviour unpacking-fails; then mkdir -p "$target"; echo "dpkg-source: error: no" >&2; exit 1; fi
    mkdir -p "$target"
    printf '#!/bin/sh\necho "configure $*" >>"%s/log"\n' "$home" >"$target/configure"
    chmod +x "$target/configure" ;;
  make)
    case $1 in -n) echo "gcc -c Python/ceval.c"; exit 0 ;; esac
    echo "gcc -c Python/ceval.c"
    if behaviour compiling-fails; then echo "ceval.c:1: error: no" >&2; exit 2; fi
    printf '#!/bin/sh\necho Python 3.99\n' >python
    chmod +x python ;;
  debootstrap)
    root=
    for word; do case $word in */root) root=$word ;; esac; done
    mkdir -p "$root"
    if behaviour offline; then echo "E: Failed getting release signature file http://x/InRelease.gpg"; exit 1; fi
    mkdir -p "$root/etc/dpkg/dpkg.cfg.d" "$root/etc/apt/apt.conf.d" ;;
  unshare) while [ "$1" != room ]; do shift; done; shift 5; echo "in the room: $*" ;;
esac
"""

FAKES = "id sudo dpkg-query apt-cache apt-get dpkg cmake dpkg-source make debootstrap unshare"


class FakeDebian:
    """A machine with nothing of what callpath needs. Files in `home` switch behaviours on (see FAKE_TOOL)."""

    def __init__(self, source: Path, folder: Path, without: tuple[str, ...] = ()) -> None:
        self.root = folder / "a b" / "dïr" / "callpath"
        self.home = folder / "machine"
        self.tools = self.home / "bin"
        self.tools.mkdir(parents=True)
        self._copy(source)
        for tool in REAL_TOOLS.split():
            found = shutil.which(tool, path="/usr/bin:/bin")
            if found:
                (self.tools / tool).symlink_to(found)
        for tool in FAKES.split():
            if tool not in without:
                script = self.tools / tool
                script.write_text(FAKE_TOOL.replace("%HOME%", str(self.home)))
                script.chmod(0o755)
        (self.home / "uid").write_text("0\n")
        (self.home / "installed").write_text("")
        (self.home / "log").write_text("")

    def _copy(self, source: Path) -> None:
        """What the launcher and set-up are, and one file of what is built."""
        self.root.mkdir(parents=True)
        for name in ("callpath", "CMakeLists.txt", "CMakePresets.json"):
            shutil.copy2(source / name, self.root / name)
        shutil.copytree(source / "cmake", self.root / "cmake")
        shutil.copytree(source / "docs", self.root / "docs")
        for folder in ("tensorlib", "tracer", "pyshim", "gdb", "walkthroughs"):
            (self.root / folder).mkdir()
        (self.root / "tracer" / "some.cpp").write_text("int x;\n")

    def set(self, *behaviours: str) -> None:
        for behaviour in behaviours:
            (self.home / behaviour).touch()

    def clear(self, behaviour: str) -> None:
        (self.home / behaviour).unlink()

    def environment(self) -> dict[str, str]:
        return {"PATH": str(self.tools), "HOME": str(self.home), "LANG": "C.UTF-8"}

    def command(self, *arguments: str) -> list[str]:
        return [str(self.root / "callpath"), *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*arguments), env=self.environment(), capture_output=True, text=True, timeout=60, cwd=self.home)

    def log(self, tool: str = "") -> list[str]:
        """How the tools were called so far, in order."""
        return [line for line in (self.home / "log").read_text().splitlines() if line.startswith(tool)]

    def forget(self) -> None:
        os.truncate(self.home / "log", 0)
