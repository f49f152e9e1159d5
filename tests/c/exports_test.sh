#!/bin/bash
# What libnegzero shows to others is what its header declares, no more and no less.
#
#     exports_test.sh LIBRARY HEADER
set -euo pipefail

shown=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
declared=$(grep -v '^ *\*' "$2" | grep -o 'negzero_[a-z]*(' | tr -d '(' | sort -u)
if [[ $shown != "$declared" ]]; then
  echo "declared and shown are not the same:"
  diff <(echo "$declared") <(echo "$shown") || true
  exit 1
fi
