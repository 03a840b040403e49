#!/bin/bash
# What callpath needs, what of it is here, what is missing and the command that brings it. Works before anything is built and changes nothing.
# Exit status: 0 everything that building and walking needs is here; 1 something needed is missing.
set -uo pipefail
export LC_ALL=C.UTF-8
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=cmake/packages.sh
. "$root/cmake/packages.sh"
python=${CALLPATH_PYTHON:-/usr/bin/python3}
needed_missing=0

ok() { printf '  %-9s %-20s %s\n' ok "$1" "$2"; }
missing() {
  printf '  %-9s %-20s %s\n' MISSING "$1" "$2"
  needed_missing=1
}
optional() { printf '  %-9s %-20s %s\n' "not here" "$1" "$2"; }

# reason_of LEVEL NAME
reason_of() { sed -n "s/^$1\(@[a-z]*\)\{0,1\} $2 //p" "$root/cmake/packages.txt"; }

# packages LEVEL TITLE: a line a package; `missing` counts for the level run only.
packages() {
  local names here name absent=()
  mapfile -t names < <(packages_of "$1")
  here=" $(installed "${names[@]}" | tr '\n' ' ')"
  echo "$2"
  for name in "${names[@]}"; do
    if [[ $here == *" $name "* ]]; then
      ok "$name" "$(reason_of "$1" "$name")"
    else
      absent+=("$name")
      if [ "$1" = run ]; then missing "$name" "$(reason_of "$1" "$name")"; else optional "$name" "$(reason_of "$1" "$name")"; fi
    fi
  done
  if ((${#absent[@]})); then
    echo "  To bring them:  sudo $(install_command "${absent[@]}")"
  fi
  echo
}

unwinder() {
  local file
  for file in "$root"/build/deps/llvm-libunwind/usr/lib/llvm-{19,14}/lib/libunwind.a /usr/lib/llvm-{19,14}/lib/libunwind.a; do
    if [ -f "$file" ]; then ok "LLVM libunwind" "${file#"$root/"}"; return; fi
  done
  missing "LLVM libunwind" "walks stacks; ./callpath walk 01 fetches it into build/deps without installing it"
}

# The file in which gdb and we look for an interpreter's detached symbols, by its build-id.
symbols_of() {
  local id
  id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1)
  [ -n "$id" ] && echo "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

interpreter() {
  local real version symbols
  if ! version=$("$python" -I -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null); then
    missing "$python" "does not run; choose another: CALLPATH_PYTHON=/path/to/python3.11"
    return
  fi
  real=$("$python" -I -c 'import os, sys; print(os.path.realpath(sys.executable))')
  case $version in
    3.11.* | 3.12.* | 3.13.*) ok "Python $version" "$real" ;;
    *) missing "Python $version" "$real: this version knows CPython 3.11 to 3.13; choose one: CALLPATH_PYTHON=/path/to/python3.11" ;;
  esac
  symbols=$(symbols_of "$real")
  if [ -n "$symbols" ] && [ -f "$symbols" ]; then
    ok "its symbols" "$symbols"
  elif readelf -S "$real" 2>/dev/null | grep -q '\.debug_info'; then
    ok "its symbols" "in the file itself"
  else
    missing "its symbols" "for /usr/bin/python3: sudo $(install_command "$(packages_of run | grep '^python3.*-dbg$')")"
  fi
}

processor() {
  local flags best=DEFAULT
  flags=" $(sed -n 's/^flags.*: //p' /proc/cpuinfo 2>/dev/null | head -n 1) "
  [[ $flags == *" avx2 "* && $flags == *" fma "* ]] && best=AVX2
  [[ $best == AVX2 && $flags == *" avx512f "* && $flags == *" avx512dq "* && $flags == *" avx512bw "* && $flags == *" avx512vl "* ]] && best=AVX512
  case $(uname -m) in
    x86_64) ok processor "x86-64, kernels for $best run here" ;;
    *) missing processor "$(uname -m): this version is for x86-64" ;;
  esac
}

built() {
  local tree
  for tree in teach release; do
    if [ -f "$root/build/$tree/lib/libtensorlib.so" ] && { [ $tree = release ] || [ -x "$root/build/$tree/bin/callpath" ]; }; then
      ok "build/$tree" built
    else
      case $tree in
        teach) missing "build/teach" "not built yet; ./callpath walk 01 builds it" ;;
        *) optional "build/release" "not built yet; ./callpath bench or ./callpath test builds it" ;;
      esac
    fi
  done
}

# What may stand beside: another Debian, a CPython that hides no function.
beside() {
  local room=$root/build/rooms/debian13 python
  if [ -n "${CALLPATH_ROOM-}" ]; then return; fi
  if [ -x "$room/build/teach/bin/callpath" ]; then
    ok "room debian13" "built; walk, run, test and doctor take --room debian13"
  elif [ -d "$room/root" ]; then
    optional "room debian13" "made, nothing built in it yet; ./callpath walk --room debian13 01 does"
  else
    optional "room debian13" "Debian 13 in a folder; ./callpath room debian13 makes it"
  fi
  for python in "$root"/build/pythons/*/ready; do
    [ ! -f "$python" ] || ok "Python at -O0" "${python%/ready}/source/build/python"
  done
}

echo "callpath in $root"
echo
echo "This machine"
processor
interpreter
echo
packages run "To build callpath and walk"
packages test "To run its tests (./callpath test)"
packages bench "To measure it (./callpath bench)"
echo "Set-up"
unwinder
built
beside
echo
if ((needed_missing)); then
  echo "Something needed is missing. ./callpath walk 01 brings it, or run the commands above."
  exit 1
fi
echo "Everything needed is here."
