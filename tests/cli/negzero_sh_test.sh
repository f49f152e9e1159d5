#!/usr/bin/env bash
# negzero.sh on machines made of stubs: what it installs, what it says where it may not, what reaches standard output.
set -uo pipefail
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

expect() { # what, wanted, got
  [ "$2" = "$3" ] && return
  echo "FAIL $what: $1: wanted '$2', got '$3'"
  failures=$((failures + 1))
}
contains() { # what, part, text
  case "$3" in *"$2"*) return ;; esac
  echo "FAIL $what: $1: '$2' is not in '$3'"
  failures=$((failures + 1))
}
stub() { # name, body
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A machine: a copy of the script in its own folder, and a path of nothing but stubs and the basics.
machine() { # what, user id, missing packages
  what=$1
  rm -rf "$work"/*
  mkdir -p "$work/bin" "$work/tree" "$work/elsewhere"
  cp "$script" "$work/tree/negzero.sh"
  echo "${3:-}" >"$work/missing"
  for tool in bash dirname grep cat mkdir mktemp rm env nproc touch chmod cp flock readlink stat find; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
  done
  stub id "echo $2"
  stub dpkg-query "for p in \"\${@:3}\"; do grep -qw -- \"\$p\" $work/missing && status=1 || echo \"\$p installed\"; done
exit \${status:-0}"
  stub apt-get "echo \"apt-get \$*\" >>$work/log; echo noise of apt; [ ! -e $work/apt_fails ] || exit 100
case \"\$1\" in install) : >$work/missing ;; esac"
  stub cmake "echo \"cmake \$*\" >>$work/log; echo noise of cmake; [ ! -e $work/build_fails ] || exit 1
preset=\$(ls -d build/*/ 2>/dev/null | head -1)
case \"\$1\" in --preset) mkdir -p build/\$2/src/negzero/cli; touch build/\$2/build.ninja
echo \"CMAKE_HOME_DIRECTORY:INTERNAL=\$PWD\" >build/\$2/CMakeCache.txt
printf '#!/bin/bash\necho \"program \$PWD \$NEGZERO_COMMAND \$*\"; exit 7\n' >build/\$2/src/negzero/cli/negzero
chmod +x build/\$2/src/negzero/cli/negzero ;;
--build) case \"\$*\" in *negzero-worker*) cp build/*/src/negzero/cli/negzero \"\${preset}src/negzero/cli/negzero-worker\" ;; esac ;; esac"
  stub ctest "echo \"ctest \$PWD \$*\""
  for tool in ls head; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
}
run() {
  (cd "$work/elsewhere" && PATH="$work/bin" CUDA_HOME="${cuda_home:-$work/none}" ${as_other:-} "$work/bin/bash" "${called:-$work/tree/negzero.sh}" "$@" \
    >"$work/out" 2>"$work/err" </dev/null)
  code=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
  log=$(cat "$work/log" 2>/dev/null)
}

machine "nothing missing" 1000
run list --json
expect "exit code of the program" 7 "$code"
expect "standard output" "program $work/elsewhere $work/tree/negzero.sh list --json" "$out"
contains "configured once" "cmake --preset" "$log"
: >"$work/log"
run check
expect "a second run only builds" "cmake --build" "${log:0:13}"
contains "kernels too" "--target negzero negzero-worker" "$log"
case "$log" in *"cmake --preset"*) expect "no second configuring" no yes ;; esac
: >"$work/log"
for words in "list kernels" "show x" doctor --help "check --help"; do run $words; done
expect "words that run no kernel build nothing" "" "$log"
expect "and say nothing" "" "$err"

machine "a file of somebody's own" 1000
run check mine.cu
case "$log" in *negzero-worker*) expect "no kernels of the tree" no yes ;; esac
run list kernels
contains "a list has kernels to be built" "negzero-worker" "$log"

machine "root, packages missing" 0 "libgtest-dev ninja-build"
run check
expect "exit code" 7 "$code"
contains "update" "apt-get update" "$log"
contains "install" "apt-get install -y --no-install-recommends ninja-build libgtest-dev" "$log"
contains "says what" "installing ninja-build libgtest-dev" "$err"
expect "standard output" "program $work/elsewhere $work/tree/negzero.sh check" "$out"

machine "no root, no sudo" 1000 "libfmt-dev g++"
run check
expect "exit code" 3 "$code"
expect "standard output" "" "$out"
contains "the one line" "sudo apt-get update && sudo apt-get install -y g++ libfmt-dev" "$err"
expect "nothing was tried" "" "$log"

machine "no root, sudo without a password" 1000 "libfmt-dev"
stub sudo 'if [ "$1" = -n ]; then exit 0; fi; echo "sudo $1" >>'"$work/log"'; exec "$@"'
run check
expect "exit code" 7 "$code"
contains "through sudo" "sudo apt-get" "$log"

machine "no root, sudo with a password, nobody to type it" 1000 "libfmt-dev"
stub sudo 'if [ "$1" = -n ]; then exit 1; fi; echo "sudo $1" >>'"$work/log"'; exit 1'
run check
expect "exit code" 3 "$code"
contains "the one line" "sudo apt-get update && sudo apt-get install -y libfmt-dev" "$err"
expect "nothing was tried" "" "$log"

machine "installing fails" 0 "libfmt-dev"
touch "$work/apt_fails"
run check
expect "exit code" 3 "$code"
expect "standard output" "" "$out"
contains "the log" "noise of apt" "$err"
contains "a way out" "universe" "$err"
contains "the one line" "apt-get install -y libfmt-dev" "$err"

machine "building fails" 0
touch "$work/build_fails"
run check
expect "exit code" 3 "$code"
expect "standard output" "" "$out"
contains "the log" "noise of cmake" "$err"

machine "a kernel that does not compile" 1000
run check
cat >"$work/errors" <<END
[1/4] Building CXX object src/other.cpp.o
[2/4] Building CXX object kernels/mine.cu.cpp.o
FAILED: kernels/mine.cu.cpp.o
/usr/bin/ccache g++ -long -command kernels/mine.cu.cpp
$work/tree/kernels/reduce/mine.cu:14:9: error: 'bset' was not declared in this scope
   14 |   bset = 0;
ninja: build stopped: subcommand failed.
END
stub cmake "cat $work/errors; exit 1"
for words in "show x" "list kernels" doctor --help --version "check --help"; do
  run $words
  expect "exit code of $words" 7 "$code"
  expect "standard output of $words" "program $work/elsewhere $work/tree/negzero.sh $words" "$out"
  expect "no line for $words" "" "$err"
done
for words in check "replay x" "shrink x" "compare a b" "test --help"; do
  run $words
  expect "exit code of $words" 3 "$code"
  expect "standard output of $words" "" "$out"
  expect "the compiler's lines first for $words" "$(sed -n 5,6p "$work/errors")" "${err%%$'\n'negzero.sh*}"
  contains "the cure for $words" "building failed: mend what the lines above name" "$err"
done
mkdir -p "$work/tree/kernels/reduce"
echo 'row_max<<<1, 64>>>(x);' >"$work/tree/kernels/reduce/mine.cu"
run check
contains "the spelling of a launch" "write launch(stream, kernel, grid, block, bytes, args...)" "$err"
contains "where it is" "kernels/reduce/mine.cu:1:row_max<<<1, 64>>>(x);" "$err"
rm "$work"/tree/build/*/src/negzero/cli/negzero
run list
expect "exit code where nothing was built before" 3 "$code"

machine "a kernel with warnings" 1000
cat >"$work/warnings" <<END
[1/4] Building CXX object kernels/mine.cu.cpp.o
In file included from build/mine.cu.cpp:2:
$work/tree/kernels/reduce/mine.cu:14:9: warning: unused variable 'best' [-Wunused-variable]
   14 |   float best = 0;
[2/4] Building CXX object kernels/mine.cu.watched.cpp.o
$work/tree/kernels/reduce/mine.cu:14:9: warning: unused variable 'best' [-Wunused-variable]
   14 |   float best = 0;
[3/4] Building CXX object src/other.cpp.o
$work/tree/src/other.cpp:1:1: warning: not the author's
    1 | int other;
[4/4] Building CUDA object kernels/mine.cu.o
$work/tree/kernels/reduce/mine.cu(15): warning #177-D: variable "row" was declared but never referenced
END
stub cmake "$(tail -n +2 "$work/bin/cmake")
case \"\$1\" in --build) cat $work/warnings ;; esac"
run list
expect "exit code" 7 "$code"
expect "standard output" "program $work/elsewhere $work/tree/negzero.sh list" "$out"
contains "a warning with its line" "mine.cu:14:9: warning: unused variable 'best' [-Wunused-variable]
   14 |   float best = 0;" "$err"
contains "nvcc's" "mine.cu(15): warning #177-D" "$err"
expect "once" 1 "$(grep -c "unused variable" <<<"$err")"
expect "nothing of other files" 0 "$(grep -c "other" <<<"$err")"

machine "a folder with spaces, through a link" 1000
mkdir "$work/my tree"
mv "$work/tree/negzero.sh" "$work/my tree/negzero.sh"
ln -s "$work/my tree/negzero.sh" "$work/elsewhere/nz link"
called="nz link" run list
expect "exit code" 7 "$code"
expect "standard output" "program $work/elsewhere ./nz link list" "$out"
[ -d "$work/my tree/build" ]
expect "built in the tree" 0 $?
CDPATH="$work" called="../my tree/negzero.sh" run list
expect "from another folder" "program $work/elsewhere ../my tree/negzero.sh list" "$out"

machine "a tree that was moved with its build folder" 1000
run list
mv "$work/tree" "$work/moved"
: >"$work/log"
called="$work/moved/negzero.sh" run check
contains "configured afresh" " --fresh" "$log"
expect "exit code" 7 "$code"

machine "a tree that cannot be written" 1000
touch "$work/tree/build"
run list
expect "exit code" 3 "$code"
contains "says so" "copy the tree to where you may write" "$err"

# Root may write everywhere, so there the other user is nobody.
as_nobody=""
[ "$(id -u)" -ne 0 ] || as_nobody="$(command -v setpriv) --reuid=65534 --regid=65534 --clear-groups"
chmod 755 "$work"
for part in build build/.lock "build/*"; do
  machine "a tree whose $part is somebody else's" 1000
  run list
  if [ "$part" = build ]; then
    chmod -R a-w "$work/tree/build"
  else
    chmod -R a+w "$work/tree/build"
    chmod -R a-w "$work"/tree/$part
  fi
  : >"$work/log"
  chmod a+w "$work/log"
  for words in check list; do
    as_other=$as_nobody run $words
    expect "exit code of $words" 7 "$code"
    expect "standard output of $words" "program $work/elsewhere $work/tree/negzero.sh $words" "$out"
    [ $words = list ] || contains "says whose it is" "is not yours to write (it belongs to $(id -un)), so this is the program as it was" "$err"
  done
  expect "nothing was built" "" "$log"
  as_other=$as_nobody run test
  expect "exit code of test" 3 "$code"
  contains "what to do for test" "copy the tree to where you may write" "$err"
  mkdir "$work/tree/kernels"
  touch -d "1 minute" "$work/tree/kernels/mine.cu"
  as_other=$as_nobody run check
  expect "exit code of a program that is too old" 3 "$code"
  contains "what is newer" "kernels/mine.cu is newer than the program there" "$err"
  as_other=$as_nobody run list
  expect "exit code of a word that runs no kernel" 7 "$code"
  chmod -R u+w "$work/tree/build"
  rm "$work"/tree/build/*/src/negzero/cli/negzero
  chmod -R a-w "$work/tree/build"
  as_other=$as_nobody run list
  expect "exit code where no program is" 3 "$code"
  contains "what is missing" "no program is built there" "$err"
  chmod -R u+w "$work/tree/build"
done

machine "nvcc and no GPU" 0
stub nvcc ''
for words in check "replay x" list doctor; do
  : >"$work/log"
  rm -rf "$work/tree/build"
  run $words
  expect "exit code of $words" 7 "$code"
  contains "no CUDA objects for $words" "cmake --preset default --fresh" "$log"
  contains "none built for $words" "cmake --build --preset default --target negzero" "$log"
done
: >"$work/log"
run test
contains "kernels through nvcc for test, for one architecture" \
  "cmake --preset cuda --fresh -DNEGZERO_CUDA_ARCHITECTURES=75-virtual -DNEGZERO_CUDA_EXCEPT=/(kernels/faulty|tests/(campaign|configuration|engine|watch|cuda_host))/ -DNEGZERO_CUDA_JOINED=16" "$log"
contains "and its tests" "ctest $work/tree --preset cuda" "$out"

machine "nvcc where the CUDA packages put it" 0
stub nvcc ''
mkdir "$work/cuda"
mv "$work/bin/nvcc" "$work/cuda/nvcc"
ln -s . "$work/cuda/bin"
cuda_home="$work/cuda" run test
contains "it is found" "cmake --preset cuda --fresh" "$log"

machine "nvcc and a GPU" 0
stub nvcc ''
stub nvidia-smi 'echo "GPU 0"'
for words in check list test; do
  : >"$work/log"
  rm -rf "$work/tree/build"
  run $words
  contains "the cuda preset for $words" "cmake --preset cuda --fresh" "$log"
  case "$log" in *ARCHITECTURES*) expect "no architecture named for $words" no yes ;; esac
done

machine "not Debian" 1000
rm "$work/bin/dpkg-query"
run list
expect "exit code" 7 "$code"
contains "says so" "this is not Debian" "$err"

machine "test" 0
run test -R kernels
contains "all targets" "cmake --build --preset" "$log"
contains "in the tree" "ctest $work/tree --preset" "$out"
contains "flags pass" "-R kernels" "$out"

[ "$failures" -eq 0 ] && echo "all as wanted"
exit $((failures > 0))
