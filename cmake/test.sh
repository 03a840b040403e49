#!/bin/bash
# test.sh [--long] [--rooms] [FILTER...]: sets up, runs the C++ and the Python tests, and ends with the line "N passed, N failed, N skipped".
# --rooms: here, then in the room debian13; the closing line counts both.
# A FILTER is a path or node of pytest (tests/python/...), or a word that names of C++ tests and Python tests must contain.
set -uo pipefail
export LC_ALL=C.UTF-8
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
results=$root/build/setup/results
export CALLPATH_BUILD=$root/build/teach

long=no rooms=no words=() nodes=()
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    --rooms) rooms=yes ;;
    tests/* | */tests/python/*) nodes+=("$argument") ;;
    -*) echo "callpath test: there is no option '$argument'. Usage: ./callpath test [--long] [--rooms] [FILTER...]" >&2; exit 2 ;;
    *) words+=("$argument") ;;
  esac
done

bash "$root/cmake/setup.sh" test || exit 1
rm -rf -- "$results"
mkdir -p -- "$results"
broken=0

# run_ctest NAME FOLDER
run_ctest() {
  [ -f "$2/CTestTestfile.cmake" ] || return 0
  local options=(--test-dir "$2" --output-on-failure --parallel "$(nproc)" --output-junit "$results/ctest-$1.xml" --no-tests=ignore)
  [ "$long" = yes ] || options+=(-LE '^long$')
  local IFS='|'
  ((${#words[@]} == 0)) || options+=(-R "${words[*]}")
  echo "== C++ tests, $1 build"
  ctest "${options[@]}" || [ -s "$results/ctest-$1.xml" ] || broken=1
}

run_pytest() {
  local options=(-p no:cacheprovider -q -ra --junitxml="$results/pytest.xml") expression=
  [ "$long" = yes ] || options+=(-m 'not long')
  if ((${#words[@]})); then
    expression=$(printf ' or %s' "${words[@]}")
    options+=(-k "${expression# or }")
  fi
  ((${#nodes[@]})) || nodes=(tests/python)
  echo "== Python tests"
  (cd -- "$root" && /usr/bin/python3 -m pytest "${options[@]}" "${nodes[@]}")
  case $? in 0 | 1 | 5) ;; *) broken=1 ;; esac
}

if ((${#nodes[@]} == 0)); then
  run_ctest teach "$root/build/teach"
  run_ctest release "$root/build/release/tests/cpp/engine"
fi
run_pytest

# The same in the room, which leaves its results in its own build folder. What kept it from running counts as a failure: nobody may take it for a pass.
run_in_room() {
  local there=$root/build/rooms/$1/build/setup/results arguments=()
  [ "$long" = no ] || arguments+=(--long)
  echo "== The same in the room $1"
  rm -rf -- "$there" || { broken=1; return; }  # Another run's results would be counted as this one's.
  bash "$root/cmake/room.sh" "$1" "$root/callpath" test ${arguments[@]+"${arguments[@]}"} ${words[@]+"${words[@]}"} ${nodes[@]+"${nodes[@]}"} || broken=1
  if [ -s "$there/pytest.xml" ]; then folders+=("$there"); else broken=1; fi
}

folders=("$results")
[ "$rooms" = no ] || run_in_room debian13
/usr/bin/python3 "$root/cmake/tally.py" "$broken" "${folders[@]}"
