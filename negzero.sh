#!/usr/bin/env bash
# Installs what is missing, builds, and runs negzero.
#
#   ./negzero.sh check     check the shipped kernels        ./negzero.sh test      run all tests
#   ./negzero.sh WORD ...  any other command of the program, e.g. ./negzero.sh replay corpus/regressions --json
#
# Installing and building speak on standard error only: standard output is the program's own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(g++ cmake ninja-build ccache git ca-certificates
  librapidcheck-dev libgtest-dev libgmock-dev libboost-dev libboost-context-dev libmpfr-dev libgmp-dev
  nlohmann-json3-dev libcli11-dev libfmt-dev libbenchmark-dev)

install_missing() {
  command -v dpkg-query >/dev/null || {
    echo "negzero.sh: this is not Debian or Ubuntu; install the equivalents of: ${packages[*]}" >&2
    return 0
  }
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo)
    else
      echo "negzero.sh: packages are missing; run this line, then this script again:" >&2
      echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
      exit 3
    fi
  fi
  echo "negzero.sh: installing ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    echo "negzero.sh: installing packages failed (see above)" >&2
    exit 3
  fi
  rm -f "$log"
}

# With nvcc every kernel is compiled for the GPU too.
preset=default
command -v nvcc >/dev/null && preset=cuda

build() {
  install_missing
  local log="build/$preset.log"
  mkdir -p build
  if [ ! -f "build/$preset/build.ninja" ]; then
    echo "negzero.sh: configuring build/$preset" >&2
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 3; }
  fi
  if [ -t 2 ]; then
    cmake --build --preset "$preset" "$@" >&2 || exit 3
  else
    cmake --build --preset "$preset" "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 3; }
  fi
}

case "${1:-}" in
  test)
    shift
    build
    exec ctest --preset "$preset" -j"$(nproc)" "$@"
    ;;
  *)
    build --target negzero
    exec "build/$preset/src/negzero/cli/negzero" "$@"
    ;;
esac
