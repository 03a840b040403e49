#!/bin/bash
# test.sh [--long] [FILTER...]: sets up, runs the C++ and the Python tests, and ends with the line "N passed, N failed, N skipped".
# A FILTER is a path or node of pytest (tests/python/...), or a word that names of C++ tests and Python tests must contain.
set -uo pipefail
export LC_ALL=C.UTF-8
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
results=$root/build/setup/results
export CALLPATH_BUILD=$root/build/teach

long=no words=() nodes=()
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    tests/* | */tests/python/*) nodes+=("$argument") ;;
    -*) echo "callpath test: there is no option '$argument'. Usage: ./callpath test [--long] [FILTER...]" >&2; exit 2 ;;
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
/usr/bin/python3 "$root/cmake/tally.py" "$broken" "$results"
