#!/usr/bin/env bash
# The CMake project that a document shows is one: it generates, with this source as negzero, and has the target it names.
#     configures_test.sh DOCUMENT SOURCE
#     configures_test.sh --self-test DOCUMENT SOURCE
set -eu

configure() { # document source
  local work
  work=$(mktemp -d)
  mkdir -p "$work/path/to"
  ln -s "$2" "$work/path/to/negzero"
  awk -v list="$work/CMakeLists.txt" '/^```cmake$/ && !done { inside = 1; next } /^```/ && inside { exit } inside { print > list }' "$1"
  awk -v file="$work/row_max_strided.cu" '/^```cuda$/ { inside = 1; next } /^```/ { inside = 0 } inside { print > file }' "$1"
  if cmake -G Ninja -S "$work" -B "$work/build" >"$work/log" 2>&1 && ninja -C "$work/build" -t query my_worker >>"$work/log" 2>&1; then
    rm -rf "$work"
    echo "the project of $1 generates"
    return 0
  fi
  grep -m 5 -A 3 "Error\|error:" "$work/log" || tail -n 5 "$work/log"
  rm -rf "$work"
  return 1
}

if [ "$1" = --self-test ]; then
  folder=$(mktemp -d)
  sed 's/^negzero_worker(my_worker /negzero_worker(another_one /' "$2" >"$folder/document.md"
  ! cmp -s "$2" "$folder/document.md" || { echo "FAILED: nothing to change"; exit 1; }
  if configure "$folder/document.md" "$3" >/dev/null; then
    echo "FAILED: a project without its target passes"
    exit 1
  fi
  rm -rf "$folder"
else
  configure "$1" "$2"
fi
