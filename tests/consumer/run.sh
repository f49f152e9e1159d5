#!/usr/bin/env bash
# run.sh CMAKE BUILD PROJECT FOLDER: installs BUILD below FOLDER, moves it, looks at its headers, and builds and tests PROJECT
# with it: the tests of its right kernel pass, and those of the same source with a fault fail, each with a counterexample.
set -euo pipefail
cmake=$1 build=$2 project=$3 folder=$4
unset NEGZERO_PROGRAM NEGZERO_COMMAND NEGZERO_LIBRARY
export NEGZERO_CACHE="$folder/cache"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Tests whose names match fail or pass as told; prints what they printed.
tests() { # pattern, how many pass, how many there are
  local printed failed=", $(($3 - $2)) tests failed"
  # CTest leaves that out from 4 on where none did.
  [ "$2" -lt "$3" ] || failed="($failed)?"
  printed=$(ctest --test-dir "$folder/built" -R "$1" --output-on-failure 2>&1) || true
  grep -qE "tests passed$failed out of $3\$" <<<"$printed" || fail "of '$1' $2 of $3 should pass: $printed"
  echo "$printed"
}

rm -rf "$folder"/{first,"a prefix",built,cache,copy}
"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/a prefix"
program="$folder/a prefix/bin/negzero"
cp -r "$project" "$folder/copy"
tests=$(dirname "$project")
bash "$tests/headers.sh" "$tests/../.." "$program" "$folder/headers"

"$cmake" -S "$folder/copy" -B "$folder/built" -G Ninja "-DCMAKE_PREFIX_PATH=$folder/a prefix" >/dev/null
"$cmake" --build "$folder/built"
tests '^right' 2 2
printed=$(tests '^faulty' 0 2)
[ "$(grep -c '^  permitted ' <<<"$printed")" -ge 2 ] || fail "no counterexample of each: $printed"
grep -q 'RowMax.IsTheLargestElementOfEachRow' <<<"$printed" || fail "no test of GoogleTest: $printed"

# What a declaration says is looked at again.
sed -i 's/reduce.max/reduce.min/' "$folder/copy/row_max.nz"
"$cmake" --build "$folder/built"
tests '^right' 0 2 >/dev/null

# So are the kernels that there are: one that comes to a file is a test, and one that is renamed is no test any more.
cp "$project"/row_max.nz "$folder/copy"
sed 's/row_max/row_min/g; s/reduce.max/reduce.min/' "$project/row_max.nz" >>"$folder/copy/row_max.nz"
grep -v '^#\|^constexpr' "$project/row_max.cu" | sed 's/row_max/row_min/; s/kStart/0.0f/' >>"$folder/copy/row_max.cu"
"$cmake" --build "$folder/built"
tests '^right' 2 3 >/dev/null
sed -i 's/row_min/row_least/g' "$folder/copy/row_max.nz" "$folder/copy/row_max.cu"
"$cmake" --build "$folder/built"
tests '^right[.]row_least' 0 1 >/dev/null
tests '^right' 2 3 >/dev/null

# A program of tests knows the text of its kernels.
mkdir -p "$folder/copy/own"
printed=$(cd "$folder/copy/own" && "$folder/built/faulty_test") && fail "the faulty kernel passes"
grep -q 'row_max<<<' <<<"$printed" || fail "no code below a finding of GoogleTest: $printed"
case=$(find "$folder/copy/own/findings" -name '*row_max*.case.safetensors' | head -n 1)
"$program" export "$case" --kernels "$folder/built/faulty_test" -o "$folder/built/shown.cu"
grep -q 'int main()' "$folder/built/shown.cu" || fail "no program in CUDA of a case of GoogleTest"

# Without kernels and without a compiler there are clear words.
printed=$(cd "$folder" && "$program" check 2>&1) && fail "a check of nothing passes"
grep -q 'brings no kernels of its own' <<<"$printed" || fail "check without a kernel: $printed"
"$program" list strategies >/dev/null || fail "list needs no kernel"
printed=$(PATH="$folder" "$program" doctor) && fail "doctor is content without kernels and without g++: $printed"
grep -A1 '^no   CUDA files' <<<"$printed" | grep -q 'apt install g++' || fail "doctor without g++: $printed"
