#!/bin/bash
# room.sh NAME [--remove | COMMAND...]: a folder that holds another Debian, with this clone in it at its own path and a build of its own.
#   room.sh debian13                    makes it (once), says what is in it
#   room.sh debian13 ./callpath walk 01 runs a command in it, in this folder
#   room.sh debian13 --remove           removes it
# The clone is the same files inside and outside; only build/ differs: inside it is the room's. What the network brought is kept in build/rooms/cache
# for the next time.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

# shellcheck source=cmake/talk.sh
. "$root/cmake/talk.sh"
# shellcheck source=cmake/packages.sh
. "$root/cmake/packages.sh"
speaker=room

suite_of() {
  case $1 in
    debian12) echo bookworm ;;
    debian13) echo trixie ;;
    *) return 1 ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif sudo -n true 2>/dev/null; then sudo -n "$@"; else
    fail "a room needs root (debootstrap, chroot), and sudo does not work without a password here." "Run the same command as root."
  fi
}

need_debootstrap() {
  command -v debootstrap >/dev/null || PATH=$PATH:/usr/sbin command -v debootstrap >/dev/null && return 0
  say "installing debootstrap with apt-get, which makes the room. Nothing is removed."
  as_root apt-get install --yes --no-remove --no-install-recommends debootstrap >&2 ||
    fail "debootstrap could not be installed." "To try by hand: apt-get install debootstrap"
}

# One at a time makes or removes a room.
take_turn() {
  mkdir -p -- "$cache"
  exec 8>"$cache/$name.lock"
  flock -n 8 || { say "another command makes or removes $name; waiting for it."; flock 8; }
}

# Made beside its place and renamed: a room is whole or not there.
make_room() {
  [ ! -d "$room/root" ] || return 0
  take_turn
  [ ! -d "$room/root" ] || { exec 8>&-; return 0; }
  need_debootstrap
  say "making $name in build/rooms/$name (Debian $suite, some 200 MB; one or two minutes)."
  as_root rm -rf -- "$room.new"
  mkdir -p -- "$room.new/build" "$cache/debs/partial"
  local from
  from=$(mirror)
  as_root env PATH="$PATH:/usr/sbin" debootstrap --variant=minbase --cache-dir="$cache/debs" "$suite" "$room.new/root" ${from:+"$from"} \
    >"$room.new/debootstrap.log" 2>&1 || {
    tail -n 5 -- "$room.new/debootstrap.log" >&2
    grep -Eq "Failed getting release|unable to (connect|resolve)|Couldn't download" "$room.new/debootstrap.log" &&
      fail "the package server cannot be reached." "Check the network (or proxy), then run the same command again."
    fail "the room could not be made; all of debootstrap's words: build/rooms/$name.new/debootstrap.log"
  }
  settle "$room.new/root"
  as_root rm -rf -- "$room"  # What an interrupted --remove left.
  mv -- "$room.new" "$room"
  exec 8>&-
}

# A room can be made again: nothing waits for the disk, and nothing is unpacked that only a reader wants.
settle() {
  as_root tee "$1/etc/dpkg/dpkg.cfg.d/room" >/dev/null <<'SETTINGS'
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/man/*
SETTINGS
  as_root tee "$1/etc/apt/apt.conf.d/90room" >/dev/null <<'SETTINGS'
APT::Install-Recommends "false";
Acquire::Languages "none";
APT::Keep-Downloaded-Packages "true";
SETTINGS
}

# enter COMMAND...: in the room, in the folder where the caller stands. Mounts are private to the command: they end with it.
enter() {
  as_root unshare --mount --propagation private bash -c '
    set -e
    room=$1 root=$2 here=$3 cache=$4
    shift 4
    mount -t proc proc "$room/root/proc"
    mount --rbind /dev "$room/root/dev"
    mkdir -p -- "$room/root$root" "$room/root$here"
    case $here/ in "$root"/*) ;; *) mount --bind -- "$here" "$room/root$here" ;; esac
    mount --bind -- "$root" "$room/root$root"
    mkdir -p -- "$cache/debs/partial"
    mount --bind -- "$cache/debs" "$room/root/var/cache/apt/archives"
    mount --bind -- "$room/build" "$room/root$root/build"
    exec chroot "$room/root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM="${TERM-dumb}" \
      CALLPATH_ROOM=1 ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${COLUMNS:+COLUMNS="$COLUMNS"} ${NO_COLOR:+NO_COLOR="$NO_COLOR"} ${COLORTERM:+COLORTERM="$COLORTERM"} \
      /bin/sh -c "cd -- \"\$0\" && exec \"\$@\"" "$here" "$@"
  ' room "$room" "$root" "$PWD" "$cache" "$@"
}

name=${1-}
if [ -z "$name" ]; then
  echo "Usage: ./callpath room NAME [--remove | COMMAND...]   NAME: debian12, debian13" >&2
  exit 2
fi
suite=$(suite_of "$name") || fail "there is no room called '$name'" "The rooms are debian12 and debian13."
room=$root/build/rooms/$name
cache=$root/build/rooms/cache/$suite
shift
if [ "${1-}" = --remove ]; then
  take_turn
  as_root rm -rf -- "$room" "$room.new"
  say "$name is removed."
  exit 0
fi
if [ "${1-}" = -- ]; then shift; fi
make_room
if (($#)); then enter "$@"; else enter "$root/callpath" doctor; fi
