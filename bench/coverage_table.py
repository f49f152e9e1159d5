"""Writes what runs of `negzero check --json` and `fuzz --json` have covered as a table in Markdown.

    python bench/coverage_table.py torch.json triton.json ... > table.md

A row is a function with its variant, over all combinations of formats: cases, cases by strategy, and what failed. Below
it are the options of launches: how many cases had each value, and how many of those failed.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import sys

FORMATS = {"f16", "bf16", "f32", "f64", "f8", "e4m3", "e5m2", "to"}
STRATEGIES = ("exact", "special", "sparse", "extreme", "tie", "cancel", "skew", "bits", "structural", "normal", "uniform")


@dataclasses.dataclass
class Drawn:
    """Values of an option: how many cases had each, and how many of those failed."""

    cases: "collections.Counter[str]" = dataclasses.field(default_factory=collections.Counter)
    failing: "collections.Counter[str]" = dataclasses.field(default_factory=collections.Counter)


def function_of(kernel: str) -> "tuple[str, str]":
    """Splits a kernel's name into the function with its variant, and its formats."""
    name, _, last = kernel.rpartition(".")
    return (name, last) if set(last.split("_")) <= FORMATS else (kernel, "")


def main() -> None:
    rows: "dict[str, collections.Counter]" = collections.defaultdict(collections.Counter)
    formats: "dict[str, set[str]]" = collections.defaultdict(set)
    failures: "dict[str, collections.Counter]" = collections.defaultdict(collections.Counter)
    options: "dict[tuple[str, str], Drawn]" = collections.defaultdict(Drawn)
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
            for option, values in kernel.get("options", {}).items():
                options[function, option].cases.update(values)
            for option, values in (kernel.get("options_failing") or {}).items():
                options[function, option].failing.update(values)
    print(f"| function | formats | cases | {' | '.join(STRATEGIES)} | changed | failing | rules of findings |")
    print("|---" * (len(STRATEGIES) + 6) + "|")
    for function in sorted(rows):
        row = rows[function]
        cells = " | ".join(str(row[name]) for name in (*STRATEGIES, "changed"))
        rules = ", ".join(f"`{rule}` {count}" for rule, count in sorted(failures[function].items()))
        shown = ", ".join(sorted(formats[function] - {""}))
        print(f"| `{function}` | {shown} | {row['cases']} | {cells} | {row['fail']} | {rules} |")
    print_options(options)


def print_options(options: "dict[tuple[str, str], Drawn]") -> None:
    """Writes a table of options, where there are any: "4: 120 (3)" are 120 cases of value 4, of which 3 failed."""
    if not options:
        return
    print("\n| function | option | cases by value (failing) |\n|---|---|---|")
    for (function, option), drawn in sorted(options.items()):
        said = [
            f"{value}: {drawn.cases[value]}" + (f" ({drawn.failing[value]})" if drawn.failing[value] else "")
            for value in sorted(drawn.cases, key=int)
        ]
        print(f"| `{function}` | {option} | {', '.join(said)} |")


if __name__ == "__main__":
    main()
