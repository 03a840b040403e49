# shellcheck shell=bash
# Sourced by scripts that speak to the user, on standard error: standard output belongs to what they were asked for. Needs $speaker, the command's name.
# shellcheck disable=SC2154

say() { printf 'callpath %s: %s\n' "$speaker" "$*" >&2; }

# fail SENTENCE [LINE...]: what is wrong, then how to mend it, a line each.
fail() {
  say "$1"
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}
