#!/usr/bin/env bash
# headers.sh SOURCE PROGRAM FOLDER: PROGRAM, an installed negzero, has every header of SOURCE that kernels may include, and
# compiles a file that includes one of each folder of CUDA's and PyTorch's names. Works in FOLDER.
set -euo pipefail
source=$1 program=$(readlink -f "$2") folder=$3
installed=$(dirname "$program")/kit/include/negzero

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# The headers below FOLDER, of the modules that are installed.
headers() { # folder
  (cd "$1" && find $modules -type f ! -name '*.cpp' ! -name '*.cu' ! -name CMakeLists.txt | sort)
}

[ -d "$installed" ] || fail "no headers in $installed"
modules=$(cd "$installed" && find . -mindepth 1 -maxdepth 1 -type d | sort)
differ=$(diff <(headers "$source/src/negzero") <(headers "$installed")) ||
  fail "headers of the source (<) and of the installed negzero (>) differ:"$'\n'"$differ"

rm -rf "$folder"
mkdir -p "$folder"
export NEGZERO_CACHE="${NEGZERO_CACHE:-$folder/cache}"
for names in toolkit libraries; do
  (cd "$source/src/negzero/cuda/$names" && find . -mindepth 2 -type f -printf '%h %P\n' | sort)
done | awk '$1 != last { print "#include <" $2 ">"; last = $1 }' >"$folder/sums.cu"
[ "$(wc -l <"$folder/sums.cu")" -ge 10 ] || fail "few folders of headers: $(cat "$folder/sums.cu")"
cat >>"$folder/sums.cu" <<'CU'
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sums(const float* x, float* y) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float sum = cg::reduce(tile, x[blockIdx.x * 32 + threadIdx.x], cg::plus<float>());
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
CU
cat >"$folder/sums.nz" <<'NZ'
kernel    sums
operation reduce.sum
limits    columns = 32, rows >= 1
launch    sums<<<rows, 32>>>(x, y);
NZ
printed=$("$program" check "$folder/sums.cu" --cases 50 --executor host --save "$folder/found" 2>&1) || fail "sums.cu: $printed"
! grep 'taken as empty' <<<"$printed" || fail "headers are missing"
