#!/usr/bin/env bash
# commands_test.sh DOCUMENT NEGZERO SOURCE: runs every command of the YAML blocks of a document, those behind `run:` and
# the items of `script:`, as a checkout whose build is done would. Fails where one fails, where a file that a block
# names as a result is not there afterwards, and where there is no command. `--self-test DOCUMENT ...` does the same
# with a document that is wrong in several ways, each of which must be noticed.
set -uo pipefail

# Prints "BLOCK<tab>c<tab>COMMAND" and "BLOCK<tab>f<tab>FILE" for each YAML block, in their order.
extract() {
  awk '
    function strip(text) { sub(/^[ \t]+/, "", text); sub(/[ \t]+$/, "", text); return text }
    /^```yaml *$/ { block++; inside = 1; script = -1; next }
    /^```/ { inside = 0; next }
    !inside { next }
    {
      match($0, /^ */); indent = RLENGTH
      line = $0
      while (match(line, /[A-Za-z_]+\.(xml|sarif|html|md)/)) {
        word = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        print block "\tf\t" word
      }
    }
    script >= 0 && indent > script && /^ *- / { text = $0; sub(/^ *- /, "", text); print block "\tc\t" strip(text); next }
    { script = -1 }
    /^ *(before_)?script: *$/ { script = indent; next }
    /^ *(- )?run:/ { text = $0; sub(/^ *(- )?run:/, "", text); print block "\tc\t" strip(text) }
  ' "$1"
}

# Runs them all in a tree of their own; prints what went wrong.
run_document() { # document negzero source
  local work commands=0 wrong=0 block kind text name last=""
  work=$(mktemp -d)
  local extracted
  extracted=$(extract "$1")
  while IFS=$'\t' read -r block kind text; do
    if [ "$block" != "$last" ]; then
      # A tree whose build is done: the script of the project installs, builds and then starts the program.
      rm -rf "$work/tree"
      mkdir -p "$work/tree"
      ln -s "$3/corpus" "$work/tree/corpus"
      printf '#!/bin/sh\nNEGZERO_COMMAND=./negzero.sh exec "%s" "$@"\n' "$2" >"$work/tree/negzero.sh"
      chmod +x "$work/tree/negzero.sh"
      # What only a night has room for is tried for a moment.
      last=$block
      while IFS= read -r text_of_block; do
        commands=$((commands + 1))
        (cd "$work/tree" && CUDA_VISIBLE_DEVICES='' GITHUB_STEP_SUMMARY="$work/summary" \
          bash -e -o pipefail -c "${text_of_block//--time 6h/--time 3s}") >"$work/out" 2>"$work/err" </dev/null
        local code=$?
        if [ $code -ne 0 ]; then
          echo "FAILED with $code: $text_of_block"
          tail -n 5 "$work/out" "$work/err"
          wrong=1
        fi
      done < <(awk -F'\t' -v block="$block" '$1 == block && $2 == "c" { print $3 }' <<<"$extracted")
    fi
    [ "$kind" = f ] || continue
    [ -s "$work/tree/$text" ] || {
      echo "FAILED: block $block names $text, and no command writes it"
      wrong=1
    }
  done <<<"$extracted"
  rm -rf "$work"
  [ "$commands" -ge 5 ] || {
    echo "FAILED: $commands commands in $1"
    wrong=1
  }
  [ "$wrong" -ne 0 ] || echo "$commands commands of $1 ran"
  return "$wrong"
}

if [ "$1" != --self-test ]; then
  run_document "$@"
  exit
fi
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
# A word that is no command, a folder that is not there, a glob without a kernel, a file that nothing writes, no block.
for edit in 's/negzero.sh replay/negzero.sh reply/' 's/corpus\/seeds/corpus\/sids/' "s/'gemm.\*'/'gem.*'/;s/'scatter.\*'//" \
  's/--sarif replay.sarif/--sarif other.sarif/' 's/```yaml/```text/'; do
  sed "$edit" "$1" >"$folder/document.md"
  cmp -s "$1" "$folder/document.md" && {
    echo "FAILED: nothing to change by $edit"
    failed=1
  }
  if run_document "$folder/document.md" "$2" "$3" >"$folder/out"; then
    echo "FAILED: not noticed: $edit"
    failed=1
  else
    echo "noticed: $edit: $(head -n 1 "$folder/out")"
  fi
done
exit "$failed"
