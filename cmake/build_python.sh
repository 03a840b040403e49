#!/bin/bash
# build_python.sh [VERSION]: a CPython from Debian's source package at -O0 -g3, in build/pythons/VERSION, whose stacks hold every function by its own name.
# Without VERSION: that of /usr/bin/python3. Each step is skipped when its result is there, and an interrupted step goes on where it stopped.
# The last line on standard output is the interpreter's path.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=cmake/talk.sh
. "$root/cmake/talk.sh"
# shellcheck source=cmake/packages.sh
. "$root/cmake/packages.sh"
speaker=build-python

# The Debian that has a version's source package.
suite_of() {
  case $1 in
    3.11) echo bookworm ;;
    3.13) echo trixie ;;
    *) return 1 ;;
  esac
}

need_tools() {
  local missing
  mapfile -t missing < <(comm -23 <(packages_of build-python | sort -u) <(mapfile -t all < <(packages_of build-python) && installed "${all[@]}"))
  ((${#missing[@]})) || return 0
  say "these Debian packages are needed to build CPython and are installed with apt-get. Nothing is removed."
  reasons "${missing[@]}" >&2
  may_be_root || fail "this needs root, and sudo does not work without a password here. Run this, then the same command again:" "sudo $(install_command "${missing[@]}")"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends "${missing[@]}" >&2 ||
    { as_root apt-get update >&2 && as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends "${missing[@]}" >&2; } ||
    fail "apt-get did not install them; its own words are above." "Once that is mended, run the same command again."
}

# apt with lists and settings of its own in build/pythons: the machine's stay as they are.
private_apt() {
  apt-get -o Dir::Etc::SourceList="$place/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$place/apt/lists" \
    -o Dir::Cache="$place/apt/cache" -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# The signed list of sources, then the .dsc and the archives it names, each checked by apt against the signature.
fetch() {
  [ ! -f "$place/fetched" ] || return 0
  local from
  from=$(mirror)
  [ -n "$from" ] || fail "apt has no repository of Debian $(codename) here to ask for the source of Python $version." "apt-get indextargets shows what it has."
  say "fetching the source of Python $version from Debian $suite (some 25 MB)."
  mkdir -p -- "$place/apt/lists/partial" "$place/apt/cache/archives/partial" "$place/archives"
  printf 'deb-src %s %s main\n' "$from" "$suite" >"$place/apt/sources.list"
  private_apt update >&2 || fail "the list of Debian's sources could not be fetched; apt's own words are above." "Check the network (or proxy), then run the same command again."
  (cd -- "$place/archives" && private_apt source --download-only "python$version" >&2) ||
    fail "the source of Python $version could not be fetched; apt's own words are above." "Run the same command again: what has arrived is kept."
  touch -- "$place/fetched"
}

unpack() {
  [ ! -d "$place/source" ] || return 0
  local description
  description=$(find "$place/archives" -name "python${version}_*.dsc" | sort -V | tail -n 1)
  say "unpacking ${description##*/} with Debian's changes."
  rm -rf -- "$place/source.new"
  dpkg-source --no-check -x "$description" "$place/source.new" >"$place/unpack.log" 2>&1 || {
    tail -n 5 -- "$place/unpack.log" >&2
    fail "the source could not be unpacked; all of dpkg-source's words: ${place#"$root/"}/unpack.log"
  }
  mv -- "$place/source.new" "$place/source"
}

# In a folder inside the source, as Debian and most people do it: debug information then says ../Python/ceval.c.
configure() {
  [ ! -f "$place/configured" ] || return 0
  say "configuring at -O0 -g3 (about half a minute)."
  rm -rf -- "$place/source/build"
  mkdir -- "$place/source/build"
  (cd -- "$place/source/build" && ../configure --without-ensurepip OPT='-DNDEBUG -O0 -g3 -fwrapv -Wall') >"$place/configure.log" 2>&1 || {
    tail -n 10 -- "$place/configure.log" >&2
    fail "CPython could not be configured; all of configure's words: ${place#"$root/"}/configure.log"
  }
  touch -- "$place/configured"
}

# A line for each file that is compiled, with how many are left of those that were missing.
make_it() {
  [ ! -f "$place/ready" ] || return 0
  local files
  cd -- "$place/source/build"
  files=$(make -n 2>/dev/null | grep -c -- ' -c ' || true)
  say "compiling $files files (one or two minutes on two processors)."
  make -j"$(nproc)" 2>"$place/make.err" | tee -- "$place/make.log" | awk -v files="$files" '
    / -c / { printf "[%d/%d] %s\n", ++done, files, $NF; fflush() }' >&2 || {
    grep -E 'error|Error' -- "$place/make.err" | head -n 5 >&2
    fail "CPython could not be compiled; all of the compiler's words: ${place#"$root/"}/make.err" "Once that is mended, run the same command again: it compiles only what is left."
  }
  ./python -c 'import math, struct, select, ctypes, zlib' >/dev/null 2>"$place/check.err" ||
    fail "the interpreter was built, but lacks what programs need: $(tail -n 1 -- "$place/check.err")" "All of make's words: ${place#"$root/"}/make.log"
  touch -- "$place/ready"
}

main() {
  trap 'echo >&2; say "interrupted. The same command goes on from here."; exit 130' INT TERM
  version=${1:-$(/usr/bin/python3 -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')}
  suite=$(suite_of "$version") || fail "Debian's source of Python $version is not known here" "Known: 3.11 and 3.13."
  command -v apt-get >/dev/null || fail "this needs Debian's apt-get, which is not here."
  place=$root/build/pythons/$version
  mkdir -p -- "$place"
  exec 9>"$place/lock"
  flock -n 9 || { say "another build of Python $version is at work in this folder; waiting for it." && flock 9; }
  need_tools
  fetch
  unpack
  configure
  make_it
  say "ready: $("$place/source/build/python" -V), every function at -O0."
  printf '%s\n' "$place/source/build/python"
}

main "$@"
