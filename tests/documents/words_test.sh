#!/usr/bin/env bash
# Contract words of docs/explanation/numerics.md are words that contracts have, and the table of section 1 has every field.
#
#   words_test.sh DOCUMENT NEGZERO   Of section 1's table, the first column: its code is fields, and each field is in one
#       row. The other columns: their code is fields, or values of the row's fields. Elsewhere: what stands as code and
#       is one word is a field, a value, a preset, another name that `negzero list` has, or one of `others`; what is
#       `field = value` or `field: value` is a field and one of its values.
#   words_test.sh --self-test DOCUMENT NEGZERO   changes the document in several ways, each of which must be noticed.
set -uo pipefail
script=$(readlink -f "${BASH_SOURCE[0]}")

# Words of other things: extents, JSON of a report, classes of failures, instructions, options of PyTorch.
others="capacity blind vacuous data_race cvt wgmma allow_tf32 allow_bf16_reduced_precision_reduction"

# "field NAME", "value FIELD WORD" and "name WORD", a line each.
words_of() { # negzero
  "$1" list fields | awk '
    /^[a-z]/ { field = $1; print "field", field; next }
    sub(/^ *takes: /, "") { n = split($0, words, /, /); for (i = 1; i <= n; i++) print "value", field, words[i] }'
  for what in contracts rules strategies properties operations; do
    "$1" list "$what" | awk '/^[^ ]/ { print "name", $1 }'
  done
  for word in $others; do echo "name $word"; done
}

check() { # document negzero
  words_of "$2" | awk -v document="$1" '
    function wrong(what) { print "FAILED: " document ":" FNR ": " what; failed = 1 }
    # The code of a text, in the global `code`; returns how much of it there is.
    function code_in(text,    parts, n, i) {
      n = split(text, parts, "`")
      for (i = 2; i <= n; i += 2) code[i / 2] = parts[i]
      return int(n / 2)
    }
    function is_value_of_row(word,    f) {
      for (f in row) if ((f, word) in value) return 1
      return 0
    }
    function check_row(    cells, n, count, c, i) {
      n = split($0, cells, / *\| */)
      delete row
      count = code_in(cells[2])
      for (i = 1; i <= count; i++) {
        if (!(code[i] in field)) wrong("`" code[i] "` is no field of a contract")
        if (code[i] in seen) wrong("the field `" code[i] "` has two rows")
        row[code[i]] = seen[code[i]] = 1
      }
      for (c = 3; c <= n; c++) {
        count = code_in(cells[c])
        for (i = 1; i <= count; i++) {
          # A field that is named there brings its values: unless `zero_sign` is `ieee`.
          if (code[i] in field) { row[code[i]] = 1; continue }
          if (is_value_of_row(code[i])) continue
          wrong("`" code[i] "` is neither a field nor a value of a field of its row")
        }
      }
    }
    function check_text(    count, i, pair) {
      count = code_in($0)
      for (i = 1; i <= count; i++) {
        if (code[i] ~ /^[a-z][a-z0-9_]*$/) {
          if (!(code[i] in known)) wrong("`" code[i] "` is no word of a contract, nor another one that is known here")
        } else if (code[i] ~ /^[a-z][a-z0-9_]* ?[=:] ?[A-Za-z0-9_]+$/) {
          split(code[i], pair, / ?[=:] ?/)
          if (!((pair[1], pair[2]) in value)) wrong("`" code[i] "`: no field has that value")
        }
      }
    }
    NR == FNR && $1 == "field" { field[$2] = known[$2] = 1; next }
    NR == FNR && $1 == "value" { value[$2, $3] = known[$3] = 1; next }
    NR == FNR { known[$2] = 1; next }
    /^```/ { inside = !inside; next }
    inside { next }
    /^## / { section = $2 }
    section == "1." && /^\| `/ { rows++; check_row(); next }
    { check_text() }
    END {
      if (rows == 0) { print "FAILED: " document ": section 1 has no table of fields"; failed = 1 }
      for (f in field) if (!(f in seen)) { print "FAILED: " document ": no row has the field `" f "`"; failed = 1 }
      if (!failed) print rows " rows have every field of a contract, and no word that none has"
      exit failed
    }' - "$1"
}

self_test() { # document negzero
  local folder failed=0 edit out
  folder=$(mktemp -d)
  for edit in 's/^| `determinism`/| `repeatability`/' 's/`run_to_run`/`run_twice_alike`/' 's/^\(| `ties`\), `empty`/\1/' \
    's/zero_sign = any/zero_sign = some/' 's/tensor_core: may/tensor_core: might/' 's/not with `compensated`/not with `compensation`/' \
    '/^| `/d'; do
    sed "$edit" "$1" >"$folder/document.md"
    if cmp -s "$1" "$folder/document.md"; then
      echo "FAILED: nothing to change by $edit"
      failed=1
    elif out=$(bash "$script" "$folder/document.md" "$2"); then
      echo "FAILED: not noticed: $edit"
      failed=1
    else
      echo "noticed: $edit: $(head -n 1 <<<"$out")"
    fi
  done
  rm -rf "$folder"
  return "$failed"
}

case ${1:-} in
  --self-test) self_test "$2" "$3" ;;
  *) check "$1" "$2" ;;
esac
