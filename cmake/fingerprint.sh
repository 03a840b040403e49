# shellcheck shell=sh
# Sourced by the launcher and by set-up. fingerprint ROOT: a line that changes when a file that is built or installed from changes, appears or
# goes (names, times and sizes; not contents, to stay within a few milliseconds), or when the folder has moved.
fingerprint() {
  printf '%s ' "$1"
  (cd "$1" && find CMakeLists.txt CMakePresets.json cmake tensorlib tracer pyshim gdb walkthroughs \
    -name __pycache__ -prune -o -type f -printf '%p %T@ %s\n' 2>/dev/null | LC_ALL=C sort | cksum)
}
