# shellcheck shell=bash
# Sourced by setup.sh and doctor.sh: questions about cmake/packages.txt and this machine's packages. Needs $root.
# shellcheck disable=SC2154

# The release's name: "bookworm".
codename() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null; }

# packages_of LEVEL: names of the packages that this level adds on this release; an unknown release is taken for Debian 12.
packages_of() {
  local release
  release=$(codename)
  [ "$release" = trixie ] || release=bookworm
  awk -v level="$1" -v release="$release" '
    $1 ~ /^#/ || !NF { next }
    { split($1, word, "@") }
    word[1] == level && (word[2] == "" || word[2] == release) { print $2 }' "$root/cmake/packages.txt"
}

# wanted LEVEL: names of all packages that a level needs.
wanted() {
  { packages_of run; [ "$1" = run ] || packages_of "$1"; } | sort -u
}

# installed NAMES...: those of them that are.
installed() {
  command -v dpkg-query >/dev/null || return 0
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | awk '$2 == "installed" { print $1 }' | sort -u
}

missing_packages() {
  local names
  mapfile -t names < <(wanted "$1")
  comm -23 <(printf '%s\n' "${names[@]}") <(installed "${names[@]}")
}

# reasons NAMES...: a line each, with what it is for.
reasons() {
  local name
  for name in "$@"; do
    awk -v name="$name" '$1 !~ /^#/ && $2 == name { line = $3; for (i = 4; i <= NF; i++) line = line " " $i; printf "  %-20s %s\n", name, line; exit }' \
      "$root/cmake/packages.txt"
  done
}

# without_candidate NAMES...: those that the package lists of this machine do not offer.
without_candidate() {
  local name policy
  for name in "$@"; do
    # Not a pipe into grep -q: apt-cache would die of SIGPIPE, which pipefail takes for "no candidate".
    policy=$(LC_ALL=C apt-cache policy "$name" 2>/dev/null) || policy=
    grep -Eq '^  Candidate: [^(]' <<<"$policy" || printf '%s\n' "$name"
  done
}

install_command() { printf 'apt-get install --no-remove --no-install-recommends %s' "$*"; }

may_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Where this machine gets Debian's packages from: the repository that serves its own release. Nothing where there is no apt.
mirror() {
  command -v apt-get >/dev/null || return 0
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v release="$(codename)" '$2 == release && $3 == "main" && !found { found = $1 } END { print found }'
}
