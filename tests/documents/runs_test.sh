#!/usr/bin/env bash
# What documents show is what the program does.
#
#   runs_test.sh --kernels FOLDER DOCUMENT...   writes the kernel files of the documents into the folder: each block that
#       begins with ```cuda and whose first line is `// PATH.cu ...`. Blocks with the same path are parts of one file.
#   runs_test.sh --run DOCUMENT NEGZERO WORKER SOURCE   runs every command of the ```console blocks (the lines behind `$ `)
#       in a tree whose build is done and where the ```c++ and ```nz blocks are files by the names in their first lines, and compares its standard output with the lines that follow. There, `...` stands
#       for any text within a line, and alone on a line for any lines. WORKER holds the kernels of the documents.
#   runs_test.sh --text NEGZERO SOURCE   checks links, anchors, flags, commands, and the length of the README.
#   runs_test.sh --self-test DOCUMENT NEGZERO WORKER SOURCE   changes a document in several ways, each of which must be noticed.
set -uo pipefail
script=$(readlink -f "${BASH_SOURCE[0]}")

# A file that did not change keeps its time, so that nothing is compiled again.
write_kernels() { # folder documents...
  local folder=$1 new path
  shift
  new=$(mktemp -d)
  awk -v folder="$new" '
    /^```cuda *$/ { first = 1; path = ""; next }
    /^```/ { first = 0; path = ""; next }
    first { first = 0; if (match($0, /^\/\/ [A-Za-z0-9_\/]+\.cuh?/)) path = substr($0, 4, RLENGTH - 3) }
    path != "" {
      file = folder "/" path
      if (!(file in made)) { parent = file; sub(/\/[^\/]*$/, "", parent); system("mkdir -p " parent); made[file] = 1 }
      print > file
    }
  ' "$@"
  (cd "$new" && find . -type f -printf '%P\n') | sort | while IFS= read -r path; do
    mkdir -p "$(dirname "$folder/$path")"
    cmp -s "$new/$path" "$folder/$path" || cp "$new/$path" "$folder/$path"
    echo "$path"
  done
  rm -rf "$new"
}

# Prints the first line of EXPECTED that ACTUAL does not have in its place; fails where there is one.
compare() { # expected actual
  awk '
    function fits(pattern, line,    pieces, n, i, at) {
      n = split(pattern, pieces, /\.\.\./)
      if (n == 1) return pattern == line
      if (substr(line, 1, length(pieces[1])) != pieces[1]) return 0
      line = substr(line, length(pieces[1]) + 1)
      for (i = 2; i < n; i++) {
        at = index(line, pieces[i])
        if (at == 0) return 0
        line = substr(line, at + length(pieces[i]))
      }
      return length(line) >= length(pieces[n]) && substr(line, length(line) - length(pieces[n]) + 1) == pieces[n]
    }
    function is_gap(line) { return line ~ /^ *\.\.\.$/ }
    FILENAME == ARGV[1] { expected[++n] = $0; next }
    { actual[++m] = $0 }
    END {
      i = 1; j = 1; furthest = 1
      while (j <= m) {
        if (i <= n && is_gap(expected[i])) { gap = i++; from = j }
        else if (i <= n && fits(expected[i], actual[j])) { i++; j++ }
        else if (gap) { i = gap + 1; j = ++from }
        else break
        if (i > furthest) furthest = i
      }
      while (i <= n && is_gap(expected[i])) i++
      if (i > n && j > m) exit 0
      print (furthest > n ? "the output goes on" : "not printed: " expected[furthest])
      exit 1
    }
  ' "$1" "$2"
}

# A tree whose build is done: its script starts the program at once, beside the worker with the kernels of the documents.
make_tree() { # folder negzero worker source
  mkdir -p "$1/bin"
  cp "$2" "$1/bin/negzero"
  cp "$3" "$1/bin/negzero-worker"
  ln -s "$(dirname "$2")/kit" "$1/bin/kit"
  ln -s "$4/corpus" "$4/kernels" "$4/docs" "$1"
  printf '#!/bin/sh\nNEGZERO_COMMAND=./negzero.sh exec "%s" "$@"\n' "$1/bin/negzero" >"$1/negzero.sh"
  chmod +x "$1/negzero.sh"
}

# The files of a document that are no kernels of this tree: a CUDA file as it is, and its declaration.
write_files() { # folder document
  awk -v folder="$1" '
    /^```(c\+\+|nz) *$/ { first = 1; path = ""; next }
    /^```/ { first = 0; path = ""; next }
    first { first = 0; if (match($0, /[A-Za-z0-9_]+\.(cu|nz)/)) path = substr($0, RSTART, RLENGTH) }
    path != "" { print > (folder "/" path) }
  ' "$2"
}

run_document() { # document negzero worker source
  local work command count=0 number=0 wrong why
  work=$(mktemp -d)
  make_tree "$work/tree" "$(readlink -f "$2")" "$(readlink -f "$3")" "$(readlink -f "$4")"
  write_files "$work/tree" "$1"
  # One folder a command: the command, and what it should print.
  awk -v work="$work" '
    /^```console *$/ { inside = 1; n = 0; next }
    /^```/ { inside = 0; next }
    !inside { next }
    /^\$ / { n++; total++; print substr($0, 3) > (work "/" total ".command"); printf "" > (work "/" total ".expected"); next }
    n > 0 { print > (work "/" total ".expected") }
    END { print total + 0 > (work "/total") }
  ' "$1"
  count=$(cat "$work/total")
  wrong=0
  while [ "$number" -lt "$count" ]; do
    number=$((number + 1))
    command=$(cat "$work/$number.command")
    # Lines to paste say ./negzero.sh, and a GPU would do another search than the one shown.
    (cd "$work/tree" && PATH="$work/tree/bin:$PATH" NEGZERO_CACHE="$work/cache" CUDA_VISIBLE_DEVICES='' bash -c "$command") \
      >"$work/out" 2>"$work/err" </dev/null
    why=$(compare "$work/$number.expected" "$work/out") && continue
    echo "FAILED: \$ $command"
    echo "$why"
    echo "--- what it printed:"
    cat "$work/out"
    [ -s "$work/out" ] || tail -n 5 "$work/err"
    wrong=1
    break
  done
  rm -rf "$work"
  [ "$wrong" -eq 0 ] || return 1
  [ "$count" -gt 0 ] || {
    echo "FAILED: no command in $1"
    return 1
  }
  echo "$count commands of $1 print what it says"
}

# "LINE:TEXT" of everything between backquotes and in blocks of code.
code_of() { # document
  awk '
    /^```/ { inside = !inside; next }
    inside { print FNR ":" $0; next }
    { n = split($0, parts, "`"); for (i = 2; i <= n; i += 2) print FNR ":" parts[i] }
  ' "$1"
}

# The anchors of headings, as GitHub makes them.
anchors_of() { # document
  awk '/^```/ { inside = !inside } !inside && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# A page of docs: where it is now, or one that the index links to and that is short unless it is a reference.
check_page() { # source page
  local moved
  moved=$(sed -n '1s|^This page is now \[docs/[^]]*\](\([^)]*\))\. This address goes with version 0\.2\.$|\1|p' "$1/docs/$2")
  if [ -n "$moved" ]; then
    [ "$(wc -l <"$1/docs/$2")" -eq 1 ] && [ -e "$(dirname "$1/docs/$2")/$moved" ] && return 0
    echo "FAILED: docs/$2 says that it is now $moved, which is not so"
  elif ! grep -qF "]($2)" "$1/docs/index.md"; then
    echo "FAILED: docs/index.md does not link to $2"
  elif [[ "$2" != reference/* ]] && [ "$(wc -l <"$1/docs/$2")" -gt 250 ]; then
    echo "FAILED: docs/$2 has more than 250 lines"
  else
    return 0
  fi
  return 1
}

check_text() { # negzero source
  local negzero=$1 source=$2 document link target anchor flag word wrong=0 known commands lines
  # Flags of other programs that documents show.
  local others=" --install --prefix --preset --build --target --test-dir --job-name --array --cpus-per-task --requeue --output --open-mode
    --retries --joblog --results --sshloginfile --workdir --env --gtest_filter --use_fast_math --negzero-examiner --negzero-worker --mutator --sources --write "
  commands=$("$negzero" --help | sed -n '/^Subcommands:/,/^$/p' | grep -oE '^  [a-z]+' | tr -d ' ')
  [ -n "$commands" ] || echo "FAILED: $negzero names no commands"
  # Those of the program, those of the pytest plugin, and those of `python -m negzero assertions`.
  known=" $({ for word in "" $commands; do "$negzero" $word --help; done; cat "$source"/python/negzero_pytest/*.py "$source/python/negzero/_assertions/_script.py"; } |
    grep -oE -- '--[a-z][a-z-]+' | sort -u | tr '\n' ' ')"
  while IFS= read -r document; do
    while IFS= read -r link; do
      target=${link%%#*} anchor=""
      case "$link" in *#*) anchor=${link#*#} ;; esac
      target=$([ -n "$target" ] && echo "$(dirname "$document")/$target" || echo "$document")
      if [ ! -e "$target" ]; then
        echo "FAILED: $document links to $link, which is not there"
        wrong=1
      elif [ -n "$anchor" ] && ! anchors_of "$target" | grep -qxF -- "$anchor"; then
        echo "FAILED: $document links to $link, which has no such heading"
        wrong=1
      fi
    done < <(awk '/^```/ { inside = !inside; next } !inside' "$document" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:')
    while IFS= read -r flag; do
      case "$known$others" in *[[:space:]]"$flag"[[:space:]]*) continue ;; esac
      echo "FAILED: $document names $flag, which no command has"
      wrong=1
    done < <(code_of "$document" | grep -oE -- '(^|[^A-Za-z0-9-])--[a-z][a-z_-]+' | grep -oE -- '--.*' | sort -u)
    while IFS= read -r word; do
      grep -qxF -- "$word" <<<"$commands"$'\ntest' && continue
      echo "FAILED: $document types ./negzero.sh $word, which is no command"
      wrong=1
    done < <(code_of "$document" | grep -oE '\./negzero\.sh [a-z]+' | cut -d' ' -f2 | sort -u)
  done < <(find "$source/README.md" "$source/CONTRIBUTING.md" "$source/docs" -name '*.md')
  lines=$(wc -l <"$source/README.md")
  [ "$lines" -le 110 ] && [ "$(wc -w <"$source/README.md")" -le 800 ] && ! grep -qE '^.{121}' "$source/README.md" || {
    echo "FAILED: README.md has $lines lines; 110 of 120 characters and 800 words are enough, and docs has room"
    wrong=1
  }
  while IFS= read -r document; do
    check_page "$source" "$document" || wrong=1
  done < <(cd "$source/docs" && find . -name '*.md' ! -name index.md -printf '%P\n' | sort)
  [ "$wrong" -eq 0 ] && echo "links, flags and commands of the documents are there"
  return "$wrong"
}

# A change to a document that must be noticed, and what notices it.
must_fail() { # what command...
  local what=$1 out
  shift
  if out=$(bash "$script" "$@" 2>&1); then
    echo "FAILED: not noticed: $what"
    return 1
  fi
  echo "noticed: $what: $(head -n 2 <<<"$out" | tr '\n' ' ')"
}

# A tree whose documents may be changed.
copy_source() { # source folder
  rm -rf "$2"
  mkdir "$2"
  find "$1" -mindepth 1 -maxdepth 1 ! -name docs ! -name README.md -exec ln -s -t "$2" {} +
  cp -r "$1/docs" "$1/README.md" "$2"
}

self_test() { # document negzero worker source
  local folder failed=0 edit
  folder=$(mktemp -d)
  # One character of what is printed; a line too few and one too many; a command that does something else; no block.
  for edit in '/^  claim/s/Observed 0/Observed 1/' '/^  claim/d' '/^  claim/s/^/  overlooked\n/' 's/^\$ .*row_max.cu$/& --cases 1/' \
    's/^```console/```text/'; do
    sed "$edit" "$1" >"$folder/document.md"
    if cmp -s "$1" "$folder/document.md"; then
      echo "FAILED: nothing to change by $edit"
      failed=1
    else
      must_fail "$edit" --run "$folder/document.md" "$2" "$3" "$4" || failed=1
    fi
  done
  # A link, an anchor, a flag and a command that are not there, and a README that grows.
  for edit in 's/docs\/explanation\/numerics\.md/docs\/numbers.md/' 's/how-to\/install\.md/how-to\/install.md#nowhere/' \
    's/negzero.sh check --help/negzero.sh check --halp/' 's/negzero\.sh doctor/negzero.sh doktor/' '$r '"$1"; do
    copy_source "$4" "$folder/source"
    sed "$edit" "$4/README.md" >"$folder/source/README.md"
    if cmp -s "$4/README.md" "$folder/source/README.md"; then
      echo "FAILED: nothing to change by $edit"
      failed=1
    else
      must_fail "$edit" --text "$2" "$folder/source" || failed=1
    fi
  done
  # A page without a link, a page that is long, and an old address that leads nowhere.
  for edit in 'docs/index.md s/(how-to\/ci\.md)/(how-to\/install.md)/' "docs/how-to/ci.md \$r $4/docs/reference/python.md" \
    'docs/ci.md s/how-to\/ci\.md/how-to\/cy.md/g'; do
    copy_source "$4" "$folder/source"
    sed -i "${edit#* }" "$folder/source/${edit%% *}"
    must_fail "$edit" --text "$2" "$folder/source" || failed=1
  done
  rm -rf "$folder"
  return "$failed"
}

mode=$1
shift
case "$mode" in
  --kernels) write_kernels "$@" ;;
  --run) run_document "$@" ;;
  --text) check_text "$@" ;;
  --self-test) self_test "$@" ;;
  *) echo "runs_test.sh: want --kernels, --run, --text or --self-test, got $mode" >&2 && exit 2 ;;
esac
