#!/bin/bash -eu
# Written by `negzero init`: a libFuzzer target for each CUDA file, and in $OUT/negzero what the targets run.
# Needs OUT, CXX, CXXFLAGS and LIB_FUZZING_ENGINE, as ClusterFuzzLite sets them, and starts in the root of the project.
files=(
  @FILES@
)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=$OUT/negzero
rm -rf "$tools"
mkdir -p "$tools/lib"
program=$(negzero --version --json | sed -n 's/^  "program": "\(.*\)",$/\1/p')
cp -L "$program" "$tools/"

for file in "${files[@]}"; do
  name=$(printf '%s' "${file%.*}" | tr -c 'A-Za-z0-9_' _)
  [ ! -e "$tools/$name.worker" ] || { echo "build.sh: another file is called $name too; rename $file" >&2; exit 2; }
  # One case compiles the kernels. A finding (1) and a case that decides nothing (4) are for the target to see.
  code=0
  env -u CXXFLAGS NEGZERO_CACHE="$work/$name" negzero check "$file" --cases 1 --executor host --shrink-time 0s \
    --save "$work/found" >&2 || code=$?
  case $code in 0 | 1 | 4) ;; *) exit $code ;; esac
  worker=$(find "$work/$name" -type f -name 'worker.*' -perm -u+x -print -quit)
  [ -n "$worker" ] || { echo "build.sh: negzero has compiled no program of $file" >&2; exit 3; }
  cp "$worker" "$tools/$name.worker"
  $CXX ${CXXFLAGS:-} -DNEGZERO_KERNELS="\"$name.worker\"" .clusterfuzzlite/negzero_target.cc \
    -o "$OUT/negzero_$name" $LIB_FUZZING_ENGINE
done

# The image that runs the targets has libraries of the system alone. libseccomp is loaded where it is there.
{
  ldd "$tools"/negzero "$tools"/*.worker | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
  /sbin/ldconfig -p | awk '/libseccomp\.so\.2 / { print $NF; exit }'
} | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' | xargs -r cp -L -t "$tools/lib"
