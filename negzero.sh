#!/usr/bin/env bash
# Installs what is missing, builds, and runs negzero.
#
#   ./negzero.sh check     check the shipped kernels        ./negzero.sh test      run all tests
#   ./negzero.sh WORD ...  any other command of the program, e.g. ./negzero.sh replay corpus/regressions --json
#
# Installing and building speak on standard error only: standard output is the program's own. Paths on the command line
# mean what they mean where it was typed. Words that run no kernel build nothing where there is a program. Kernels of this
# tree are built for the words that run them, and not for a file of yours.
set -euo pipefail
# Through links, so that one in ~/bin works; absolute, so that CDPATH has no say.
root="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

packages=(g++ cmake ninja-build ccache git ca-certificates
  librapidcheck-dev libgtest-dev libgmock-dev libboost-dev libboost-context-dev libmpfr-dev libgmp-dev
  nlohmann-json3-dev rapidjson-dev libcli11-dev libfmt-dev libbenchmark-dev
  libseccomp-dev)
# The tests of the Python package run in environments of their own.
if [ "${1:-}" = test ]; then packages+=(python3 python3-venv); fi

say() { echo "negzero.sh: $*" >&2; }
# What fails here is no finding (1) and no wrong flag (2).
fail() {
  say "$*"
  exit 3
}

install_missing() {
  command -v dpkg-query >/dev/null || {
    say "this is not Debian or Ubuntu; install the equivalents of: ${packages[*]}"
    return 0
  }
  local installed missing=() package
  # One call for all: it fails where one is unknown, and still lists the others.
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    # A password can be asked for only where somebody sits.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ]; }; }; then
      as_root=(sudo)
    else
      say "packages are missing; have this line run by someone who may, then start this script again:"
      echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
      exit 3
    fi
  fi
  say "installing ${missing[*]}${as_root[*]:+ (sudo may ask for your password)}"
  local log
  log=$(mktemp) || fail "no temporary file can be made; TMPDIR names a folder for them"
  if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    say "installing packages failed (see above). Where a package is not found, its section of the archive is missing"
    say "(Ubuntu: sudo add-apt-repository universe). Where sudo is not for you, have this line run by someone else:"
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 3
  fi
  rm -f "$log"
}

# Kernels are compiled for the GPU where there is one to run them, and by `test` wherever nvcc is, as only nvcc says that a
# file is CUDA. The CUDA packages do not put it into the path.
preset=default
cuda="${CUDA_HOME:-/usr/local/cuda}/bin"
command -v nvcc >/dev/null || { [ -x "$cuda/nvcc" ] && PATH="$PATH:$cuda"; } || true
options=()
if command -v nvcc >/dev/null; then
  if nvidia-smi -L >/dev/null 2>&1; then
    preset=cuda
  elif [ "${1:-}" = test ]; then
    preset=cuda
    # One architecture is enough: its PTX runs on every later one. So are the kernels that are right: the catalogue of faults
    # and the kernels of the runtime's tests are written in the same way. nvcc spends nearly all its time on headers, so it
    # reads many kernels at once.
    options=(-DNEGZERO_CUDA_ARCHITECTURES=75-virtual "-DNEGZERO_CUDA_EXCEPT=/(kernels/faulty|tests/(campaign|configuration|engine|watch|cuda_host))/"
      -DNEGZERO_CUDA_JOINED=16)
  fi
fi

# Warnings about files in kernels/, for their author to see although the build went well. A file is compiled for several
# executors, and says the same each time.
kernel_warnings() { # log
  local line showing="" seen=$'\n'
  while IFS= read -r line; do
    if [[ "$line" == "$root"/kernels/*": warning"* ]]; then
      showing=yes
      case "$seen" in *$'\n'"$line"$'\n'*) showing="" ;; esac
      seen+="$line"$'\n'
    elif [[ "$line" == "["* || "$line" == "In file "* || "$line" == *": warning"* || "$line" == *": In "* ]]; then
      showing=""
    fi
    [ -z "$showing" ] || printf '%s\n' "$line" >&2
  done <"$1"
}

# What compilers say in the log of a build that failed, without the lines of the build program around it.
failing_lines() { # log
  local line skip=""
  while IFS= read -r line; do
    if [ -n "$skip" ]; then
      skip="" # The command, long and of no use to who wrote the file.
    elif [[ "$line" == "FAILED: "* ]]; then
      skip=yes
    elif [[ ! "$line" =~ ^\[[0-9]+/[0-9]+\]\ && "$line" != "ninja: build stopped"* ]]; then
      printf '%s\n' "$line" >&2
    fi
  done <"$1"
}

# The one spelling of CUDA that every kernel has and the host compiler cannot read.
launches() {
  local lines
  lines=$(grep -rnF '<<<' "$root/kernels" 2>/dev/null | head -3) || true
  [ -n "$lines" ] || return 0
  say "write launch(stream, kernel, grid, block, bytes, args...) where CUDA has kernel<<<grid, block>>>(args...):"
  echo "$lines" >&2
}

# Whether the words run no kernel, so that a kernel that does not compile is nothing to them.
runs_no_kernel() {
  local word
  case "${1:-}" in show | list | doctor | judge | new | init | man | completion) return 0 ;; esac
  for word in "$@"; do
    case "$word" in -h | --help | --version) return 0 ;; esac
  done
  return 1
}

# Whether the words name where the kernels are, so that those of this tree are not run.
brings_kernels() {
  local word
  case "${1:-}" in check | fuzz | compile | export) ;; *) return 1 ;; esac
  for word in "$@"; do
    case "$word" in *.cu | *.cuh | *.nz | --kernels | --kernels=*) return 0 ;; --) break ;; esac
  done
  return 1
}

# The first of what a build writes that is there and may not be written; nothing where the build folder is ours.
not_ours() {
  local path
  for path in build build/.lock "build/$preset.log" "build/$preset" "build/$preset/build.ninja"; do
    [ ! -e "$root/$path" ] || [ -w "$root/$path" ] || { echo "$path"; return; }
  done
}

# A source that is newer than what was built last, if there is one. A kernel makes another worker, and no other program.
newer_source() { # program
  local built="$1"
  [ ! "$1-worker" -nt "$1" ] || built="$1-worker"
  (cd "$root" && find CMakeLists.txt cmake kernels src -type f -newer "$built" -print -quit 2>/dev/null) || true
}

# Somebody else has built here. Their program will do where it is of these sources: an older one would check old kernels.
use_as_built() { # what cannot be written
  local program="build/$preset/src/negzero/cli/negzero" newer=""
  local why="$1 is not yours to write (it belongs to $(stat -c %U "$root/$1"))"
  [ -n "$needs_no_build" ] || fail "$why; copy the tree to where you may write"
  [ -x "$root/$program" ] || fail "$why, and no program is built there; copy the tree to where you may write"
  [ -n "$any_build_will_do" ] ||
    newer=$(newer_source "$root/$program")
  [ -z "$newer" ] || fail "$why, and $newer is newer than the program there; copy the tree to where you may write"
  say "$why, so this is the program as it was last built there"
}

build() {
  local foreign
  foreign=$(not_ours)
  if [ -n "$foreign" ]; then
    use_as_built "$foreign"
    return
  fi
  install_missing
  mkdir -p "$root/build" || fail "$root/build cannot be made; copy the tree to where you may write"
  (
    cd "$root"
    log="build/$preset.log"
    # Two of these at once must not build in one folder.
    { : >>"$log"; } 2>/dev/null || fail "$root/build cannot be written; copy the tree to where you may write"
    if command -v flock >/dev/null; then exec 9>build/.lock; flock 9; fi
    # A tree that was moved or copied with its build folder is configured afresh, as its paths are of the old place.
    if [ ! -f "build/$preset/build.ninja" ] ||
      ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "build/$preset/CMakeCache.txt"; then
      say "configuring build/$preset"
      cmake --preset "$preset" --fresh "${options[@]}" >"$log" 2>&1 || { cat "$log" >&2; fail "configuring failed (see above)"; }
    fi
    program="build/$preset/src/negzero/cli/negzero"
    [ -x "$program" ] || say "building; the first time this takes some minutes"
    if [ -t 2 ]; then
      cmake --build --preset "$preset" "$@" >&2 && return
    elif LC_ALL=C cmake --build --preset "$preset" "$@" >"$log" 2>&1; then
      kernel_warnings "$log"
      return
    fi
    [ -t 2 ] || failing_lines "$log"
    launches
    say "building failed: mend what the lines above name and start this again; until then, a kernel of yours that"
    fail "does not compile may wait outside $root/kernels"
  )
}

any_build_will_do="" needs_no_build=yes
if runs_no_kernel "$@"; then any_build_will_do=yes; fi
case "${1:-}" in
  test)
    shift
    any_build_will_do="" needs_no_build=""
    build
    cd "$root"
    # One more than there are cores: many tests wait for a time limit or for a download.
    exec ctest --preset "$preset" -j"$(($(nproc) + 1))" "$@"
    ;;
  *)
    program="$root/build/$preset/src/negzero/cli/negzero"
    targets=(negzero negzero-worker)
    if brings_kernels "$@"; then
      targets=(negzero_whole)
    elif [ -n "$any_build_will_do" ] && [ "${1:-}" != list ]; then
      targets=(negzero)
    fi
    case " $* " in *" --in-process "*) targets+=(negzero-in-process) ;; esac
    if [ -n "$any_build_will_do" ] && [ -x "$program" ] && { [ "${targets[*]}" = negzero ] || [ -x "$program-worker" ]; }; then
      newer=$(newer_source "$program")
      [ -z "$newer" ] || say "$newer is newer than what is built (\`$0 check\` builds it)"
    else
      build --target "${targets[@]}"
    fi
    # What the program calls itself in lines to paste; `bash negzero.sh` leaves out the folder that a line needs.
    case "$0" in
      */*) export NEGZERO_COMMAND="$0" ;;
      *) if [ -f "./$0" ]; then export NEGZERO_COMMAND="./$0"; else export NEGZERO_COMMAND="$0"; fi ;;
    esac
    exec "$program" "$@"
    ;;
esac
