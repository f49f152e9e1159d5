"""Pages of what `negzero list` has."""

from __future__ import annotations

import json
import re
from typing import Any
from collections.abc import Iterable

from reference_text import Program, code, page, plain, sentence, table

#: What a field of a contract takes, where that is no list of words.
KINDS = {
    "truth": "`true`, `false`",
    "whole number": "a whole number",
    "text": "a text",
    "formula": '`null`, a whole number, or [a formula](contracts.md#formulas): `"1 + ceil_div(k, 256)"`',
    "bits": '`null`, or bits as a text: `"0xff800000"`',
    "promotion": '`null`, or `{"every": 128, "format": "F32"}`',
    "roundings": 'a list of formats and of `{"format": "F16", "rounding": "nearest_even"}`',
}
#: By the key of number::Format: the title of a column.
FORMAT_COLUMNS = {
    "bits": "bits",
    "exponent_bits": "exponent",
    "fraction_bits": "fraction",
    "bias": "bias",
    "least": "least",
    "greatest": "greatest",
    "smallest_normal": "smallest normal",
    "smallest_subnormal": "smallest subnormal",
    "infinity": "infinities",
    "nan": "NaN",
}
NAN = {"ieee": "exponent all ones, fraction not 0", "all_ones": "exponent and fraction all ones", "none": "none"}


def format_of(tensor: "dict[str, Any]") -> str:
    """Returns which format a tensor has."""
    own = "its own" if tensor["format"] == tensor["name"] else f"that of `{tensor['format']}`"
    if "usually" not in tensor:
        return own
    usual = tensor["usually"]
    return (
        f"{own}; where none is named, {code(usual) if usual.isupper() or usual[0].isupper() else f'that of `{usual}`'}"
    )


def holds(tensor: "dict[str, Any]") -> str:
    """Returns what the values of a tensor are, besides numbers of its format."""
    said = {"index": "input: indices", "initial": "input: what the output has before"}.get(
        tensor["role"], tensor["role"]
    )
    for key, words in (("below", "each below"), ("at_most", "each at most")):
        said += f", {words} `{tensor[key]}`" if key in tensor else ""
    return said + (", ascending" if tensor.get("ascending") else "")


def operations(program: Program) -> str:
    parts = [
        "The line of an operation is index notation: `y[i<rows] = sum(j<columns: x[i,j])` computes, for each `i` "
        "below the extent `rows`, one element "
        "of `y` from the row `i` of `x`. A tensor has the format that a kernel declares, or that of the tensor "
        "named here. "
        "An operation of your own has a simpler line, without a definition: [your own operation](../how-to/your_operation.md).\n"
    ]
    listed = program.listed("operations")
    parts.append(
        table(
            ["operation", "computes"],
            (
                [f"[{code(each['name'])}](#{each['name'].replace('.', '')})", code(each["definition"])]
                for each in listed
            ),
        )
    )
    for each in listed:
        parts.append(f"## {each['name']}\n```\n{each['definition']}\n```\n")
        said = f"Extents: {', '.join(map(code, each['extents']))}."
        if each["scalars"]:
            said += f" Scalars: {', '.join(map(code, each['scalars']))}."
        parts.append(said + "\n")
        rows = (
            [code(tensor["name"]), holds(tensor), code(", ".join(tensor["shape"])), format_of(tensor)]
            for tensor in each["inputs"] + each["outputs"]
        )
        parts.append(table(["tensor", "is", "shape", "format"], rows))
    return page(
        "Operations",
        "Every operation that negzero knows by name: what it computes, and of which tensors.",
        "`negzero list operations`",
        *parts,
    )


def linked(program: Program, text: str) -> str:
    """Returns the source of a rule with links to the sections of docs/explanation/numerics.md that it names."""
    document = (program.source / "docs/explanation/numerics.md").read_text()

    def link(found: "re.Match[str]") -> str:
        heading = re.search(rf"^## ({found[1][0]}\..*)$", document, re.MULTILINE)
        anchor = re.sub(r"[^a-z0-9 _-]", "", heading[1].lower()).replace(" ", "-")
        return f"[numerics, section {found[1]}](../explanation/numerics.md#{anchor})"

    return re.sub(r"docs/explanation/numerics\.md section (\d[a-z]?)", link, plain(text))


def rules(program: Program) -> str:
    by_class: "dict[str, list[dict[str, Any]]]" = {}
    for rule in program.listed("rules"):
        by_class.setdefault(rule.get("class", ""), []).append(rule)
    columns = ["rule", "claim", "source"]

    def rows(of: str) -> "Iterable[list[str]]":
        return ([code(each["name"]), plain(each["claim"]), linked(program, each["source"])] for each in by_class[of])

    parts = [
        "A finding names the rule that is broken and its class of failure; a "
        "[ledger](../how-to/ci.md#known-findings) accepts findings by either. "
        "Differences of `compare` have [rules of their own](json.md#difference).\n",
        "## Values\nA value that breaks one of these is a finding of class `wrong_special_value` where it is an "
        "infinity or a NaN, or one was due; "
        "of class `wrong_zero_sign` where it is a zero of the other sign; else of class `wrong_value`.\n",
        table(columns, rows("")),
    ]
    schema = json.loads((program.source / "docs/schema/negzero.schema.json").read_text())
    order = schema["$defs"]["class"]["enum"]
    for kind in sorted(by_class.keys() - {""}, key=order.index):
        parts += [f"## {kind}\n", table(columns, rows(kind))]
    parts += [
        "## Properties\n`conformance` is what the rules above claim. Every other property compares two runs; the "
        "rule of one that does not hold is `meta.` with its name. Its class is `not_deterministic` "
        "where the second run is the same call, else that of the value. Bits are compared where the contract has "
        "what the last column says.\n",
        table(
            ["property", "claim", "bits are compared where"],
            (
                [code(each["name"]), plain(each["claim"]), plain(each.get("bitwise_when", ""))]
                for each in program.listed("properties")
            ),
        ),
    ]
    return page(
        "Rules",
        "Every rule of `negzero list rules` by class of failure: what it claims, and the source of the claim.",
        "`negzero list rules` and `negzero list properties`",
        *parts,
    )


def fields(program: Program) -> str:
    rows = []
    for each in program.listed("fields"):
        takes, default = each["takes"], each["default"]
        if isinstance(takes, list):
            shown = ", ".join(
                f"**{code(json.dumps(word))}**" if word == default else code(json.dumps(word)) for word in takes
            )
        else:
            word, shown = code(json.dumps(default)), KINDS[takes]
            shown = shown.replace(word, f"**{word}**") if word in shown else f"{shown} (**{word}**)"
        rows.append([code(each["name"]), shown, plain(each["meaning"])])
    presets = (
        [
            code(each["name"]),
            plain(each["numerics"]),
            code(json.dumps(each["tensor_core"])),
            code(each["same_as"]) if "same_as" in each else "",
        ]
        for each in program.listed("contracts")
    )
    parts = [
        "A contract is JSON with any of these fields, in a case file, for `--contract` and for `contract=` of "
        "[Python](python.md#the-contract), whose "
        "`True`, `False` and `None` are `true`, `false` and `null` here. A line `contract` of a "
        "[declaration](cuda_files.md) has them as "
        "`field=word`. [Contracts](contracts.md) says when to declare which one.\n",
        "## Fields\nThe default is bold. `preset` names a [contract to start from](#presets); the other fields "
        "replace its own.\n",
        table(["field", "takes", "meaning"], rows),
        "## Presets\nA preset adds in the ordinary way, and refuses right results of tensor cores, whose steps truncate: "
        'for those, add `tensor_core`, as in `{"preset": "f8_acc_f32", "tensor_core": "may"}`.\n',
        table(["preset", "numerics", "`tensor_core`", "the same as"], presets),
        "## Formats\nNumbers of bits; a value is decimal, with its bits. `TF32` has 32 bits, of which 13 are not "
        "used.\n",
    ]

    def cell(each: "dict[str, Any]", key: str) -> str:
        value = each.get(key)
        if value is None:
            return ""
        if isinstance(value, list):
            return f"{value[0]} {code(value[1])}"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return NAN.get(str(value), str(value))

    parts.append(
        table(
            ["format", *FORMAT_COLUMNS.values()],
            ([code(each["name"]), *(cell(each, key) for key in FORMAT_COLUMNS)] for each in program.listed("formats")),
        )
    )
    return page(
        "Fields of a contract",
        "Every field of a contract with what it takes and its default, the presets, and the number formats.",
        "`negzero list fields`, `negzero list contracts` and `negzero list formats`",
        *parts,
    )


def declaration(program: Program) -> str:
    listed, end = program.listed("declaration"), " (in launch)"
    lines = (
        [code(each["name"]), code(each["example"]), sentence(each["says"]), plain(each["without_it"]), each["repeats"]]
        for each in listed
        if "says" in each
    )
    names = ([code(each["name"][: -len(end)]), sentence(each["is"])] for each in listed if each["name"].endswith(end))
    parts = [
        "A declaration is a file `.nz` beside a CUDA file of the same name, or lines of the CUDA file that begin "
        "with `// negzero:`. "
        "[CUDA files](cuda_files.md) shows one, and `negzero new FILE.cu` drafts it.\n",
        "## Lines\n",
        table(["line", "example", "what it declares", "without it", "may be repeated"], lines),
        "## Names in launch\nThe statements of `launch` have these names in scope.\n",
        table(["name, by example", "what it is"], names),
    ]
    return page(
        "The lines of a declaration",
        "Every line that a declaration of kernels may have, and the names that its launch has.",
        "`negzero list declaration`",
        *parts,
    )


def strategies(program: Program) -> str:
    columns = ["strategy", "makes", "catches", "weight"]
    rows = (
        [code(each["name"]), sentence(each["makes"]), sentence(each["catches"]), each["weight"]]
        for each in program.listed("strategies")
    )
    return page(
        "Strategies",
        "The strategies that make cases, and how often each is drawn beside the others.",
        "`negzero list strategies`",
        "The weight of a strategy says how often it makes the case; `--weight exact=1` uses that one alone.\n",
        table(columns, rows),
    )
