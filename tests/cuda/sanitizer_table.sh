#!/usr/bin/env bash
# What the tools of compute-sanitizer say about each planted fault and its twin, launched bare on the case that negzero
# keeps for it: a line of Markdown each.
#
#   sanitizer_table.sh BARE_LAUNCH CORPUS_FOLDER
#
# Needs a GPU and compute-sanitizer in the path. A cell: "-" nothing reported, "N" errors reported, "hang" no end within
# the time limit, "died" another end.
set -uo pipefail
bare_launch=$1 corpus=$2
tools=(memcheck racecheck initcheck synccheck)
limit_s=20

# cell TOOL KERNEL CASE
cell() {
  local text rc errors
  text=$(timeout -k 2 $limit_s compute-sanitizer --tool "$1" "$bare_launch" "$2" "$3" 2>&1)
  rc=$?
  errors=$(sed -nE 's/.*(ERROR SUMMARY|RACECHECK SUMMARY): ([0-9]+) (errors?|hazards?).*/\2/p' <<<"$text" | tail -n 1)
  if [ $rc -ge 124 ]; then
    echo hang
  elif [ -z "$errors" ]; then
    echo "died ($rc)"
  elif [ "$errors" -eq 0 ]; then
    echo -
  else
    echo "$errors"
  fi
}

printf '| kernel | %s |\n' "$(printf '%s | ' "${tools[@]}" | sed 's/ | $//')"
printf '|---|%s\n' "$(printf -- '---|%.0s' "${tools[@]}")"
for file in "$corpus"/*.safetensors; do
  for kernel in $("$bare_launch" --expected "$file"); do
    line="| $kernel |"
    for tool in "${tools[@]}"; do line+=" $(cell "$tool" "$kernel" "$file") |"; done
    echo "$line"
  done
done
