#!/bin/bash
# setup.sh LEVEL: brings what LEVEL (run, test or bench) needs and is missing: Debian packages, LLVM's libunwind, a configured and built tree.
# Every step is skipped when its result is there and is recorded only when it succeeded, so an interrupted set-up goes on where it stopped.
# Speaks on standard error: standard output belongs to the command that comes afterwards.
set -euo pipefail
export LC_ALL=C.UTF-8

level=${1:-run}
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
state=$root/build/setup
# shellcheck source=cmake/fingerprint.sh
. "$root/cmake/fingerprint.sh"
# shellcheck source=cmake/talk.sh
. "$root/cmake/talk.sh"
# shellcheck source=cmake/packages.sh
. "$root/cmake/packages.sh"
speaker=set-up

# Writes standard input to a file in one step: the file is whole or not there.
write_whole() { cat >"$1.new" && mv -f -- "$1.new" "$1"; }

take_lock() {
  mkdir -p -- "$state" || fail "cannot write $state." "Make the folder writable, or clone callpath to one that is."
  exec 9>"$state/lock"
  if ! flock -n 9; then
    say "another set-up is at work in this folder; waiting for it."
    flock 9
  fi
}

install_packages() {
  local missing updated=no
  mapfile -t missing < <(missing_packages "$level")
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null ||
    fail "these are needed and not installed, and there is no apt-get here to bring them:" "$(reasons "${missing[@]}")" "Debian 12 is what this version is made for."
  say "installing ${#missing[@]} Debian packages with apt-get. Nothing is removed. What each is for:"
  reasons "${missing[@]}" >&2
  if ! may_be_root; then
    fail "this needs root, and sudo does not work without a password here. Run this, then the same command again:" "sudo $(install_command "${missing[@]}")"
  fi
  if [ -n "$(without_candidate "${missing[@]}")" ]; then
    as_root apt-get update >&2 || true
    updated=yes
  fi
  try_install "${missing[@]}" || mend_and_retry "$updated" "${missing[@]}"
  mapfile -t missing < <(missing_packages "$level")
  ((${#missing[@]} == 0)) || fail "apt-get ended well, but these are still not installed: ${missing[*]}"
}

try_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" 9>&- 2>&1 |
    tee -- "$state/apt.log" >&2
}

# What goes wrong most: package lists older than the server, or an installation that was cut off.
mend_and_retry() {
  local updated=$1
  shift
  if grep -q 'dpkg --configure -a' "$state/apt.log"; then
    say "an earlier installation on this machine was cut off; finishing it with dpkg --configure -a."
    as_root dpkg --configure -a >&2 || true
    try_install "$@" && return 0
  elif [ "$updated" = no ] && grep -Eq '404|Failed to fetch|Unable to locate|no installation candidate' "$state/apt.log"; then
    say "the package lists are out of date; renewing them."
    as_root apt-get update >&2 || true
    try_install "$@" && return 0
  fi
  if grep -Eq 'Temporary failure|Could not (resolve|connect)|Failed to fetch|Network is unreachable' "$state/apt.log"; then
    fail "the package server cannot be reached." "Check the network (or proxy), then run the same command again: it goes on from here."
  fi
  fail "apt-get did not install the packages; its own words are above." "Once that is mended, run the same command again. To try by hand: sudo $(install_command "$@")"
}

# LLVM's libunwind conflicts with the nongnu libunwind-dev that a user may have, so it is unpacked here and not installed.
unwind_prefix() {
  local version
  for version in 19 14; do
    local prefix
    for prefix in "$root/build/deps/llvm-libunwind/usr/lib/llvm-$version" "/usr/lib/llvm-$version"; do
      if [ -f "$prefix/lib/libunwind.a" ]; then
        printf '%s\n' "$prefix"
        return 0
      fi
    done
    if fetch_unwind "$version"; then
      printf '%s\n' "$root/build/deps/llvm-libunwind/usr/lib/llvm-$version"
      return 0
    fi
  done
  return 1
}

# Downloads and unpacks one version; 1 if this Debian has no such package.
fetch_unwind() {
  local package=libunwind-$1-dev deps=$root/build/deps
  command -v apt-get >/dev/null || return 1
  if [ -n "$(without_candidate "$package")" ] && may_be_root; then as_root apt-get update >&2 9>&- || true; fi
  [ -z "$(without_candidate "$package")" ] || return 1
  say "fetching $package (LLVM's unwinder) into build/deps, without installing it."
  rm -rf -- "$deps/new"
  mkdir -p -- "$deps/new"
  # APT's download user may not enter a folder of root's: then root downloads, which the option says in words apt does not warn about.
  (cd -- "$deps/new" && apt-get download -o APT::Sandbox::User="$(id -un)" "$package" >&2) ||
    fail "$package could not be downloaded." "Check the network (or proxy), then run the same command again: it goes on from here."
  dpkg -x "$deps"/new/"$package"_*.deb "$deps/new/tree"
  rm -rf -- "$deps/llvm-libunwind"
  mv -- "$deps/new/tree" "$deps/llvm-libunwind"
  rm -rf -- "$deps/new"
}

# configure PRESET [tests|bench]: only if this tree was never configured, was made for another place, or lacks those parts. Parts that it has stay.
configure() {
  local preset=$1 tree=$root/build/$1 record=$state/configured-$1 tests=OFF bench=OFF
  if [ -f "$tree/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt"; then
    say "build/$preset was made in another folder; building it anew."
    rm -rf -- "$tree" "$record"
  fi
  if [ "${2-}" = tests ] || grep -qs 'CALLPATH_TESTS=ON' "$record"; then tests=ON; fi
  if [ "${2-}" = bench ] || grep -qs 'CALLPATH_BENCH=ON' "$record"; then bench=ON; fi
  local options=("-DCALLPATH_TESTS=$tests" "-DCALLPATH_BENCH=$bench" "-DCALLPATH_PYTHON=${CALLPATH_PYTHON:-/usr/bin/python3}" "-DCALLPATH_LIBUNWIND_PREFIX=$unwind" "-DCALLPATH_QUICK_BUILD=${CALLPATH_ROOM:+ON}")
  if [ -f "$tree/build.ninja" ] && [ "$(cat -- "$record" 2>/dev/null)" = "${options[*]}" ]; then return 0; fi
  say "configuring build/$preset."
  if ! (cd -- "$root" && cmake --preset "$preset" "${options[@]}") >"$state/configure-$preset.log" 2>&1 9>&-; then
    tail -n 30 -- "$state/configure-$preset.log" >&2
    fail "build/$preset could not be configured. All of CMake's words: build/setup/configure-$preset.log"
  fi
  printf '%s\n' "${options[*]}" | write_whole "$record"
}

# build PRESET TARGETS...
build() {
  local preset=$1
  shift
  say "building build/$preset (one line a step; a first build takes minutes, later ones only what changed)."
  NINJA_STATUS='[%f/%t] ' cmake --build "$root/build/$preset" --target "$@" >&2 9>&- ||
    fail "the build of build/$preset failed; the first error is above." "Once that is mended, run the same command again: it builds only what is left."
}

main() {
  trap 'echo >&2; say "interrupted. The same command goes on from here."; exit 130' INT TERM
  take_lock
  local now
  now=$(fingerprint "$root")
  install_packages
  unwind=$(unwind_prefix) || fail "LLVM's libunwind is not there, and no package libunwind-19-dev or libunwind-14-dev can be fetched."
  case $level in
    run)
      configure teach
      build teach "${product[@]}"
      ;;
    test)
      configure teach tests
      build teach all
      # In a room the engine at -O2 would tell nothing that it does not tell outside.
      if [ -z "${CALLPATH_ROOM-}" ]; then
        configure release tests
        build release tensorlib/all pyshim/tensorlib/all tests/cpp/engine/all
      fi
      ;;
    bench)
      configure teach
      build teach "${product[@]}"
      configure release bench
      build release tensorlib/all pyshim/tensorlib/all tests/bench/all
      ;;
  esac
  printf '%s\n' "$now" | write_whole "$state/ready-$level"
  if [ "$level" != run ]; then printf '%s\n' "$now" | write_whole "$state/ready-run"; fi
}

product=(tensorlib/all tracer/all pyshim/all gdb/all walkthroughs/all)
main
