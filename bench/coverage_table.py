"""Writes what runs of `negzero check --json` and `fuzz --json` have covered as a table in Markdown.

    python bench/coverage_table.py torch.json triton.json ... > table.md

A row is a function with its variant, over all combinations of formats: cases, cases by strategy, and what failed.
"""

from __future__ import annotations

import collections
import json
import sys

FORMATS = {"f16", "bf16", "f32", "f64", "f8", "e4m3", "e5m2", "to"}
STRATEGIES = ("exact", "special", "sparse", "extreme", "tie", "cancel", "skew", "bits", "structural", "normal", "uniform")


def function_of(kernel: str) -> "tuple[str, str]":
    """Splits a kernel's name into the function with its variant, and its formats."""
    name, _, last = kernel.rpartition(".")
    return (name, last) if set(last.split("_")) <= FORMATS else (kernel, "")


def main() -> None:
    rows: "dict[str, collections.Counter]" = collections.defaultdict(collections.Counter)
    formats: "dict[str, set[str]]" = collections.defaultdict(set)
    failures: "dict[str, collections.Counter]" = collections.defaultdict(collections.Counter)
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for kernel in document["kernels"]:
            function, format_name = function_of(kernel["name"])
            formats[function].add(format_name)
            rows[function]["cases"] += kernel["cases"]
            rows[function]["fail"] += kernel["fail"]
            counts = kernel.get("strategies") or {name: arm["cases"] for name, arm in kernel.get("arms", {}).items()}
            rows[function].update(counts)
            for finding in kernel.get("findings", []):
                failures[function][finding["rule"]] += 1
    print(f"| function | formats | cases | {' | '.join(STRATEGIES)} | changed | failing | rules of findings |")
    print("|---" * (len(STRATEGIES) + 6) + "|")
    for function in sorted(rows):
        row = rows[function]
        cells = " | ".join(str(row[name]) for name in (*STRATEGIES, "changed"))
        rules = ", ".join(f"`{rule}` {count}" for rule, count in sorted(failures[function].items()))
        shown = ", ".join(sorted(formats[function] - {""}))
        print(f"| `{function}` | {shown} | {row['cases']} | {cells} | {row['fail']} | {rules} |")


if __name__ == "__main__":
    main()
