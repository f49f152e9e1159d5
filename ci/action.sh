#!/usr/bin/env bash
# The steps of the GitHub Action in action.yml, which run without GitHub too. Inputs are environment variables.
#
#   action.sh install   makes `negzero` a command. INPUT_INSTALL: empty or "source" builds this repository, else the path of
#                       a wheel or of a .deb, or "none" where negzero is a command already. NEGZERO_ACTION_HOME is
#                       where the environment and the wheels go that are worth keeping.
#   action.sh run       replays INPUT_CORPUS, checks INPUT_FILES, searches for INPUT_TIME in INPUT_CAMPAIGN, writes reports
#                       into INPUT_FOLDER, and ends with the exit code that counts. GITHUB_OUTPUT and
#                       GITHUB_STEP_SUMMARY are files to append to; they may be unset.
set -uo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
home=${NEGZERO_ACTION_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/negzero-action}
packages=(g++ cmake ninja-build python3-venv libboost-dev libboost-context-dev nlohmann-json3-dev rapidjson-dev
  libcli11-dev libfmt-dev libseccomp-dev)

say() { echo "negzero action: $*" >&2; }
fail() { # exit code, message
  say "$2"
  exit "$1"
}

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

install_packages() {
  command -v apt-get >/dev/null || { say "no apt-get here; the build needs the equivalents of: $*" && return 0; }
  as_root apt-get update -q >&2 && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2
}

# A wheel goes into an environment of its own: the system's Python may forbid packages of others.
install_wheel() { # wheel
  python3 -m venv "$home/environment" && "$home/environment/bin/pip" install -q --force-reinstall "$1" >&2 || return 1
  mkdir -p "$home/bin" && ln -sf "$home/environment/bin/negzero" "$home/bin/negzero"
  [ -z "${GITHUB_PATH:-}" ] || echo "$home/bin" >>"$GITHUB_PATH"
}

# Built once for each text of the sources and each image of the machine.
build_wheel() { # prints the path
  local identity folder
  identity=$( (cd "$root" && find CMakeLists.txt cmake kernels pyproject.toml python src -type f -print0 | sort -z | xargs -0 sha256sum
    uname -m; cat /etc/os-release; echo "${ImageVersion:-}") | sha256sum | cut -c1-16)
  folder=$home/wheels/$identity
  if ! ls "$folder"/*.whl >/dev/null 2>&1; then
    install_packages "${packages[@]}" || return 1
    rm -rf "$home/wheels"
    python3 -m venv "$home/builder" && "$home/builder/bin/pip" wheel -q --no-deps -w "$folder" "$root" >&2 || return 1
  fi
  ls "$folder"/*.whl
}

install() {
  local wheel
  case "${INPUT_INSTALL:-source}" in
    none) command -v negzero >/dev/null || fail 3 "install: none, and negzero is no command here" ;;
    *.deb) install_packages "$(readlink -f "$INPUT_INSTALL")" || fail 3 "$INPUT_INSTALL is not installed (see above)" ;;
    *.whl) install_packages g++ python3-venv && install_wheel "$INPUT_INSTALL" || fail 3 "$INPUT_INSTALL is not installed (see above)" ;;
    source) wheel=$(build_wheel) && install_wheel "$wheel" || fail 3 "negzero is not built (see above)" ;;
    *) fail 2 "install: '$INPUT_INSTALL' is neither source, none, the path of a .whl nor that of a .deb" ;;
  esac
}

# Runs one command of negzero and notes its exit code. GitHub obeys lines of a log that look like commands; what a kernel
# prints must not be any.
codes=()
step() { # name words...
  local name=$1 token code
  shift
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  [ -z "${GITHUB_ACTIONS:-}" ] || echo "::stop-commands::$token"
  negzero "$@"
  code=$?
  [ -z "${GITHUB_ACTIONS:-}" ] || printf '\n::%s::\n' "$token"
  codes+=("$code")
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || {
    if [ -s "$folder/$name.md" ]; then cat "$folder/$name.md"; else echo "negzero $name wrote no summary; the log says why"; fi
    echo "negzero $name: exit code $code"
    echo
  } >>"$GITHUB_STEP_SUMMARY"
}

# The code that counts of several, as of negzero itself: the first of 2, 130, 1, 3, 77, 4. A code that is none of them,
# as of a program that was killed, is worse than all.
worst() { # codes...
  local code known
  for code in "$@"; do case $code in 0 | 1 | 2 | 3 | 4 | 77 | 130) ;; *) echo "$code" && return ;; esac; done
  for known in 2 130 1 3 77 4; do
    for code in "$@"; do [ "$code" -ne "$known" ] || { echo "$known" && return; }; done
  done
  echo 0
}

run() {
  local files=() extra=() line code findings
  folder=${INPUT_FOLDER:-negzero-report}
  while IFS= read -r line; do
    line=$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' <<<"$line")
    case "$line" in '' | '#'*) ;; *) files+=("$line") ;; esac
  done <<<"${INPUT_FILES:-}"
  [ ${#files[@]} -gt 0 ] || fail 2 "files: names nothing to check; give CUDA files with a declaration (\`negzero new FILE.cu\` writes one), a line each"
  read -r -d '' -a extra <<<"${INPUT_ARGS:-}" # Lines too: YAML has them where the text is long.
  mkdir -p "$folder" || fail 3 "$folder cannot be made"
  # What another run has left here says nothing of this one.
  rm -f "$folder"/{replay,check,fuzz}.{xml,md,sarif,html} || fail 3 "$folder cannot be written"
  if [ -n "${INPUT_CORPUS:-}" ]; then
    local kernels=()
    for line in "${files[@]}"; do case "$line" in *.cu | *.py | *.nz) kernels+=(--kernels "$line") ;; esac; done
    step replay replay "$INPUT_CORPUS" "${kernels[@]}" --junit "$folder/replay.xml" --markdown "$folder/replay.md"
  fi
  step check check "${files[@]}" --cases "${INPUT_CASES:-1000}" --save "$folder/findings" --junit "$folder/check.xml" \
    --sarif "$folder/check.sarif" --markdown "$folder/check.md" --report "$folder/check.html" "${extra[@]}"
  if [ -n "${INPUT_TIME:-}" ]; then
    step fuzz fuzz "${files[@]}" --folder "${INPUT_CAMPAIGN:-negzero-campaign}" --time "$INPUT_TIME" \
      --junit "$folder/fuzz.xml" --markdown "$folder/fuzz.md" "${extra[@]}"
  fi
  code=$(worst "${codes[@]}")
  # Text of strangers is escaped in these files, so that only a failure begins like one.
  findings=$(cat "$folder"/*.xml 2>/dev/null | grep -o '<failure' | wc -l)
  [ -z "${GITHUB_OUTPUT:-}" ] || {
    echo "exit-code=$code"
    echo "findings=$findings"
    echo "folder=$folder"
    echo "junit=$folder/*.xml"
    [ ! -s "$folder/check.sarif" ] || echo "sarif=$folder/check.sarif"
  } >>"$GITHUB_OUTPUT"
  exit "$code"
}

case "${1:-}" in
  install) install ;;
  run) run ;;
  *) fail 2 "action.sh: want install or run" ;;
esac
