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

# A tree whose build is done: there, the script of the project starts the program at once.
make_tree() { # folder program source
  rm -rf "$1"
  mkdir -p "$1"
  ln -s "$3/corpus" "$1/corpus"
  printf '#!/bin/sh\nNEGZERO_COMMAND=./negzero.sh exec "%s" "$@"\n' "$2" >"$1/negzero.sh"
  chmod +x "$1/negzero.sh"
}

# Runs the commands of each block in a tree of its own, up to the first that fails, and says what is wrong.
run_blocks() { # document program source work
  local extracted blocks block command name commands=0 code
  extracted=$(extract "$1")
  blocks=$(cut -f1 <<<"$extracted" | uniq)
  for block in $blocks; do
    make_tree "$4/tree" "$2" "$3"
    while IFS= read -r command; do
      commands=$((commands + 1))
      # What takes a night is tried for a moment.
      (cd "$4/tree" && CUDA_VISIBLE_DEVICES='' GITHUB_STEP_SUMMARY="$4/summary" \
        bash -e -o pipefail -c "${command//--time 6h/--time 3s}") >"$4/out" 2>"$4/err" </dev/null
      code=$?
      [ $code -eq 0 ] || {
        echo "FAILED with $code: $command"
        tail -n 5 "$4/out" "$4/err"
        return 1
      }
    done < <(awk -F'\t' -v block="$block" '$1 == block && $2 == "c" { print $3 }' <<<"$extracted")
    while IFS= read -r name; do
      [ -s "$4/tree/$name" ] || {
        echo "FAILED: block $block names $name, and no command writes it"
        return 1
      }
    done < <(awk -F'\t' -v block="$block" '$1 == block && $2 == "f" { print $3 }' <<<"$extracted")
  done
  [ "$commands" -ge 5 ] || {
    echo "FAILED: $commands commands in $1"
    return 1
  }
  echo "$commands commands of $1 ran"
}

run_document() { # document negzero source
  local work code
  work=$(mktemp -d)
  run_blocks "$1" "$(readlink -f "$2")" "$(readlink -f "$3")" "$work"
  code=$?
  rm -rf "$work"
  return $code
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
