#!/usr/bin/env bash
# run.sh ROOT PACKAGE.deb WHEEL.whl [cpus]: three strangers meet negzero, each in an empty system of its own, and the time
# from the first command to a shrunk counterexample is printed. ROOT is the folder of an empty Debian or Ubuntu:
#   debootstrap --variant=minbase bookworm ROOT
# It is copied for each stranger and not changed. Needs root, a network, and CPUs 0 and 1, or those named.
# The last word of each line is ok where the counterexample was seen; the exit code is 0 where it was by all three.
set -uo pipefail
root=$(readlink -f "$1") deb=$(readlink -f "$2") wheel=$(readlink -f "$3") cpus=${4:-0,1}
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'umount "$folder"/*/proc "$folder"/*/dev 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT

# A folder beside this file holds what a stranger has and types: commands.sh and files. All have the CUDA file of the tutorial.
meet() { # name, what has to be printed
  local system="$folder/$1" begin seconds seen=no
  cp -a "$root" "$system"
  cp /etc/resolv.conf "$system/etc/resolv.conf"
  # Some networks have certificates of their own.
  cp /etc/ssl/certs/ca-certificates.crt "$system/certificates"
  mkdir -p "$system/work" && cp "$here/$1"/* "$here"/../../docs/tutorial/row_max.* "$deb" "$wheel" "$system/work/"
  mount -t proc proc "$system/proc"
  mount --bind /dev "$system/dev"
  begin=$(date +%s)
  timeout 900 taskset -c "$cpus" chroot "$system" env -i PIP_CERT=/certificates PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive WHEEL="./$(basename "$wheel")" PACKAGE="./$(basename "$deb")" \
    bash -c 'cd /work && . ./commands.sh' >"$folder/$1.log" 2>&1
  seconds=$(($(date +%s) - begin))
  umount "$system/proc" "$system/dev"
  if grep -qF -- "$2" "$folder/$1.log"; then seen=ok; else tail -n 40 "$folder/$1.log" >&2; fi
  echo "$1: $seconds s to a counterexample: $seen"
  [ $seen = ok ]
}

code=0
meet python 'permitted  1 (0x3f800000)' || code=1
meet cuda_file 'permitted  -1 (0xbf800000)' || code=1
meet cmake 'permitted  -1 (0xbf800000)' || code=1
exit $code
