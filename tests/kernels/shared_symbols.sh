#!/bin/sh
# Fails when host objects and nvcc objects of kernel files define a symbol of one name that may mean two things.
#
# usage: shared_symbols.sh HOST_OBJECT... -- NVCC_OBJECT...
#
# The linker keeps one of two definitions silently, so a function that both compilers emitted from different text would
# run on the wrong executor's behalf. Harmless and allowed: the standard library, and what both compile from the same
# lines of the same header without asking which compiler it is (type information, members of kernel, contract, operation).
# Not allowed even there: a constructor of Kernel, whose default executor differs.
set -eu

symbols() {
  for object in "$@"; do
    case "$object" in *.gch | *.pch) continue ;; esac # CMake counts a precompiled header among objects.
    nm --defined-only --demangle "$object"
  done |
    sed -nE 's/^[0-9a-f]+ [A-Zuvw] //p' | LC_ALL=C sort -u
}

host=""
while [ "$1" != "--" ]; do
  host="$host $1"
  shift
done
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # Object files have no spaces in their names; the list is split on purpose.
symbols $host > "$work/host"
symbols "$@" > "$work/nvcc"
test -s "$work/host" && test -s "$work/nvcc" || { echo "no symbols found"; exit 1; }

LC_ALL=C comm -12 "$work/host" "$work/nvcc" |
  grep -vE '^(DW\.ref\.|(typeinfo|vtable|guard variable|VTT)( name)? for |std::|__gnu_cxx::|(void|bool|int|auto) std::)' |
  grep -vE '^(.* )?negzero::(base|contract|kernel|number|operation|tensor)::' > "$work/shared" || true
LC_ALL=C comm -12 "$work/host" "$work/nvcc" | grep -E '^negzero::kernel::Kernel::Kernel\(' >> "$work/shared" || true
if [ -s "$work/shared" ]; then
  echo "shared by host and nvcc objects (put it into an anonymous namespace):"
  cat "$work/shared"
  exit 1
fi
echo "$(wc -l < "$work/host") host symbols, $(wc -l < "$work/nvcc") of nvcc, none shared that may differ"
