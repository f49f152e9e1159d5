"""Pages of docs/reference that are made of what the program says of itself, and of the schema of its JSON.

    reference_pages.py NEGZERO SOURCE             fails where a page is another one, or the exit codes of a document differ
    reference_pages.py NEGZERO SOURCE --write     writes the pages
    reference_pages.py NEGZERO SOURCE --self-test changes each page, each of which must be noticed
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable

MADE = "`tests/documents/reference_pages.py` writes this page from {}; a test compares the two."
#: A flag that as many commands have in the same words is described once.
SEVERAL = 3
FLAG_COLUMNS = ["word or flag", "value", "what it does", "without it"]
#: What a field of a contract takes, where that is no list of words.
KINDS = {
    "truth": "`true`, `false`",
    "whole number": "a whole number",
    "text": "a text",
    "bits": '`null`, or bits as a text: `"0xff800000"`',
    "promotion": '`null`, or `{"every": 128, "format": "F32"}`',
    "roundings": 'a list of formats and of `{"format": "F16", "rounding": "nearest_even"}`',
}
#: By the key of number::Format: the title of a column.
FORMAT_COLUMNS = {
    "bits": "bits", "exponent_bits": "exponent", "fraction_bits": "fraction", "bias": "bias", "least": "least",
    "greatest": "greatest", "smallest_normal": "smallest normal", "smallest_subnormal": "smallest subnormal",
    "infinity": "infinities", "nan": "NaN",
}  # fmt: skip
NAN = {"ieee": "exponent all ones, fraction not 0", "all_ones": "exponent and fraction all ones", "none": "none"}


def code(text: str) -> str:
    """Returns a code span, for a table too."""
    return "`" + text.replace("|", "\\|") + "`"


def plain(text: str) -> str:
    """Returns text as GitHub shows it letter by letter, but for its code spans; for a table too."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backquote without a partner
        pieces = [text.replace("`", "\\`")]
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"[\\*|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\\g<0>", pieces[i]).replace("<", "&lt;")
    for i in range(1, len(pieces), 2):
        pieces[i] = pieces[i].replace("|", "\\|")
    return "`".join(pieces)


def sentence(text: str, words: "Iterable[str]" = ()) -> str:
    """Returns a help text, which begins small and has no period, as a sentence; one of the words at its begin is kept."""
    first = re.match(r"\w*", text)[0]
    text = plain(text)
    return (text[0] if first in words else text[0].upper()) + text[1:] + ("" if text.endswith((".", "...")) else ".")


def table(titles: "Iterable[str]", rows: "Iterable[Iterable[str]]") -> str:
    """Returns a table of cells that are Markdown."""
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *map(list, rows)]
    return "\n".join("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in lines) + "\n"


def page(title: str, about: str, source: str, *parts: str) -> str:
    """Returns a page: one sentence on what it has, a line on how it is made, and its parts."""
    return "\n".join([f"# {title}\n", f"{about}\n", MADE.format(source) + "\n", *parts])


class Program:
    """The program, asked for what it knows."""

    def __init__(self, path: str, source: Path) -> None:
        self.path = str(Path(path).resolve())
        self.source = source

    def text(self, *words: str) -> str:
        """Returns what a command prints."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NEGZERO_")}
        return subprocess.run(
            [self.path, *words], env=environment, stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout

    def listed(self, what: str) -> "list[dict[str, Any]]":
        """Returns the rows of `negzero list`."""
        return json.loads(self.text("list", what, "--json"))[what]


# Commands.


def flag_name(flag: "dict[str, Any]") -> str:
    return ", ".join(map(code, flag["names"])) if flag["names"] else code(flag["positional"])


def flag_row(flag: "dict[str, Any]") -> "list[str]":
    """Returns the cells of a flag: its names, its value, what it does, and what holds without it, which ends its help in []."""
    value = ", ".join(map(code, flag["words"])) or (code(flag["value"]) if flag["value"] else "")
    if flag["positional"] and not value:
        value = "words" if flag["several"] else "a word"
    does, default = re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", flag["help"]).groups()
    return [flag_name(flag), value, sentence(does, flag["words"]), "required" if flag["required"] else plain(default or "")]


def commands(program: Program) -> str:
    described = json.loads(program.text("man", "--json"))
    itself, *all_commands = described["commands"]
    users: "dict[str, list[str]]" = {}
    for command in all_commands:
        for flag in command["flags"]:
            if not flag["positional"]:
                users.setdefault(json.dumps(flag), []).append(command["name"])
    every = [json.loads(key) for key, names in users.items() if len(names) == len(all_commands)]
    several = [(json.loads(key), names) for key, names in users.items() if SEVERAL <= len(names) < len(all_commands)]
    parts = [
        "Flags may be given in any order, before or after other words. All commands have the same [exit codes](exit_codes.md#exit-codes).\n",
        table(["command", ""], ([f"[`{each['name']}`](#{each['name']})", sentence(each["help"])] for each in all_commands)),
    ]
    for command in all_commands:
        own = [flag for flag in command["flags"] if len(users.get(json.dumps(flag), [])) < SEVERAL]
        shared = [flag_name(flag) for flag, names in several if command["name"] in names]
        parts.append(f"## {command['name']}\n{sentence(command['help'])}\n\n```sh\n{command['example']}\n```\n")
        own.sort(key=lambda flag: not flag["positional"])
        if own:
            parts.append(table(FLAG_COLUMNS, map(flag_row, own)))
        if shared:
            parts.append(f"Besides: {', '.join(shared)} ([flags of several commands](#flags-of-several-commands)).\n")
    parts.append("## Flags of several commands\n")
    parts.append(
        table(
            [*FLAG_COLUMNS, "commands"],
            ([*flag_row(flag), ", ".join(map(code, names))] for flag, names in several),
        )
    )
    parts.append("## Flags of every command\n")
    parts.append(table(FLAG_COLUMNS, map(flag_row, every)))
    own = [flag for flag in itself["flags"] if flag not in every]
    parts.append("Without a command:\n")
    parts.append(table(FLAG_COLUMNS, map(flag_row, own)))
    parts.append("## Environment\n")
    parts.append(table(["variable", "what it does", "without it"], ([code(name), *flag_row({"names": [name], "positional": "", "value": "", "words": [], "required": False, "help": does})[2:]] for name, does in described["environment"].items())))
    return page(
        "Commands", "Every command of `negzero`, in the order of `negzero --help`, with its flags.", "`negzero man --json`", *parts
    )  # fmt: skip


# What `negzero list` has.


def format_of(tensor: "dict[str, Any]") -> str:
    """Returns which format a tensor has."""
    own = "its own" if tensor["format"] == tensor["name"] else f"that of `{tensor['format']}`"
    if "usually" not in tensor:
        return own
    usual = tensor["usually"]
    return f"{own}; where none is named, {code(usual) if usual.isupper() or usual[0].isupper() else f'that of `{usual}`'}"


def holds(tensor: "dict[str, Any]") -> str:
    """Returns what the values of a tensor are, besides numbers of its format."""
    said = {"index": "input: indices", "initial": "input: what the output has before"}.get(tensor["role"], tensor["role"])
    for key, words in (("below", "each below"), ("at_most", "each at most")):
        said += f", {words} `{tensor[key]}`" if key in tensor else ""
    return said + (", ascending" if tensor.get("ascending") else "")


def operations(program: Program) -> str:
    parts = [
        "The line of an operation is index notation: `y[i<rows] = sum(j<columns: x[i,j])` computes, for each `i` below the extent `rows`, one element "
        "of `y` from the row `i` of `x`. A tensor has the format that a kernel declares, or that of the tensor named here. "
        "[Your own operation](../how-to/your_operation.md) is declared by such a line too.\n"
    ]
    listed = program.listed("operations")
    parts.append(table(["operation", "computes"], ([f"[{code(each['name'])}](#{each['name'].replace('.', '')})", code(each["definition"])] for each in listed)))  # fmt: skip
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
    return page("Operations", "Every operation that negzero knows by name: what it computes, and of which tensors.", "`negzero list operations`", *parts)  # fmt: skip


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
        "A finding names the rule that is broken and its class of failure; a [ledger](../how-to/ci.md#known-findings) accepts findings by either. "
        "Differences of `compare` have [rules of their own](json.md#difference).\n",
        "## Values\nA value that breaks one of these is a finding of class `wrong_special_value` where it is an infinity or a NaN, or one was due; "
        "of class `wrong_zero_sign` where it is a zero of the other sign; else of class `wrong_value`.\n",
        table(columns, rows("")),
    ]
    schema = json.loads((program.source / "docs/schema/negzero.schema.json").read_text())
    order = schema["$defs"]["class"]["enum"]
    for kind in sorted(by_class.keys() - {""}, key=order.index):
        parts += [f"## {kind}\n", table(columns, rows(kind))]
    parts += [
        "## Properties\n`conformance` is what the rules above claim. Every other property compares two runs; the rule of one that does not hold is `meta.` with its name. Its class is `not_deterministic` "
        "where the second run is the same call, else that of the value. Bits are compared where the contract has what the last column says.\n",
        table(
            ["property", "claim", "bits are compared where"],
            ([code(each["name"]), plain(each["claim"]), plain(each.get("bitwise_when", ""))] for each in program.listed("properties")),
        ),
    ]  # fmt: skip
    return page("Rules", "Every rule of `negzero list rules` by class of failure: what it claims, and the source of the claim.", "`negzero list rules` and `negzero list properties`", *parts)  # fmt: skip


def fields(program: Program) -> str:
    rows = []
    for each in program.listed("fields"):
        takes, default = each["takes"], each["default"]
        if isinstance(takes, list):
            shown = ", ".join(f"**{code(json.dumps(word))}**" if word == default else code(json.dumps(word)) for word in takes)
        else:
            word, shown = code(json.dumps(default)), KINDS[takes]
            shown = shown.replace(word, f"**{word}**") if word in shown else f"{shown} (**{word}**)"
        rows.append([code(each["name"]), shown, plain(each["meaning"])])
    presets = (
        [code(each["name"]), plain(each["numerics"]), code(each["same_as"]) if "same_as" in each else ""]
        for each in program.listed("contracts")
    )
    parts = [
        "A contract is JSON with any of these fields, in a case file, for `--contract` and for `contract=` of [Python](python.md#the-contract), whose "
        "`True`, `False` and `None` are `true`, `false` and `null` here. A line `contract` of a [declaration](cuda_files.md) has them as "
        "`field=word`. [Contracts](contracts.md) says when to declare which one.\n",
        "## Fields\nThe default is bold. `preset` names a [contract to start from](#presets); the other fields replace its own.\n",
        table(["field", "takes", "meaning"], rows),
        "## Presets\n",
        table(["preset", "numerics", "the same as"], presets),
        "## Formats\nNumbers of bits; a value is decimal, with its bits. `TF32` has 32 bits, of which 13 are not used.\n",
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
    return page("Fields of a contract", "Every field of a contract with what it takes and its default, the presets, and the number formats.", "`negzero list fields`, `negzero list contracts` and `negzero list formats`", *parts)  # fmt: skip


def declaration(program: Program) -> str:
    listed, end = program.listed("declaration"), " (in launch)"
    lines = (
        [code(each["name"]), code(each["example"]), sentence(each["says"]), plain(each["without_it"]), each["repeats"]]
        for each in listed
        if "says" in each
    )
    names = ([code(each["name"][: -len(end)]), sentence(each["is"])] for each in listed if each["name"].endswith(end))
    parts = [
        "A declaration is a file `.nz` beside a CUDA file of the same name, or lines of the CUDA file that begin with `// negzero:`. "
        "[CUDA files](cuda_files.md) shows one, and `negzero new FILE.cu` drafts it.\n",
        "## Lines\n",
        table(["line", "example", "what it declares", "without it", "may be repeated"], lines),
        "## Names in launch\nThe statements of `launch` have these names in scope.\n",
        table(["name, by example", "what it is"], names),
    ]
    return page("The lines of a declaration", "Every line that a declaration of kernels may have, and the names that its launch has.", "`negzero list declaration`", *parts)  # fmt: skip


def strategies(program: Program) -> str:
    columns = ["strategy", "makes", "catches", "weight"]
    rows = ([code(each["name"]), sentence(each["makes"]), sentence(each["catches"]), each["weight"]] for each in program.listed("strategies"))  # fmt: skip
    return page("Strategies", "The strategies that make cases, and how often each is drawn beside the others.", "`negzero list strategies`", "The weight of a strategy says how often it makes the case; `--weight exact=1` uses that one alone.\n", table(columns, rows))  # fmt: skip


# JSON.


def type_of(schema: "dict[str, Any]") -> str:
    """Returns what a value is: a type, a list, words, or a link to a section."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        simple = {"count": "count", "texts": "list of texts"}
        return simple.get(name) or f"[{name}](#{name})"
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(word)) for word in schema["enum"])
    if schema.get("type") == "integer" and "minimum" in schema:
        return "count" if schema["minimum"] == 0 else f"whole number from {schema['minimum']}"
    kinds = schema.get("type", "any")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = {"string": "text", "boolean": "`true`, `false`", "null": "`null`", "integer": "whole number"}
    said = []
    for kind in kinds:
        if kind == "array":
            of = type_of(schema.get("items", {"type": "object"}))
            said.append(f"list of {of}s" if of in ("object", "text", "count") else f"list of {of}")
        elif kind == "object":
            each = schema.get("additionalProperties")
            said.append(f"by name: {type_of(each)}" if isinstance(each, dict) else "object")
        else:
            said.append(words.get(kind, kind))
    return " or ".join(said)


def key_rows(schema: "dict[str, Any]", before: str = "") -> "Iterable[list[str]]":
    """Yields the rows of an object's keys, and of objects within as `key.inner`, `key[].inner`."""
    required = schema.get("required", [])
    for key, value in schema.get("properties", {}).items():
        name = before + key
        present = "yes" if key in required else ""
        yield [code(name), type_of(value), present, plain(value.get("description", ""))]
        within, inner = value, name + "."
        while within.get("type") == "array" and isinstance(within.get("items"), dict):
            within, inner = within["items"], inner[:-1] + "[]."
        if isinstance(within.get("additionalProperties"), dict) and "properties" in within["additionalProperties"]:
            within, inner = within["additionalProperties"], inner[:-1] + ".NAME."
        yield from key_rows(within, inner)


def json_page(program: Program) -> str:
    schema = json.loads((program.source / "docs/schema/negzero.schema.json").read_text())
    shapes = schema["$defs"]
    documents = [each["$ref"].rsplit("/", 1)[1] for each in schema["oneOf"]]
    columns = ["key", "value", "always there", "meaning"]
    parts = [
        "Every command takes `--json`: then one document is all that is on standard output. It has a `version`, which is "
        f"{schema['properties']['version']['const']}. {schema['description']} "
        "[The schema](../schema/negzero.schema.json) is JSON Schema 2020-12, and a test holds what the program prints to it. "
        "[SKILL.md](../../SKILL.md) says what to do about a finding. A count is a whole number from 0; times are in milliseconds.\n",
        "Of a kernel, `shows` is there for a [worker that shows values alone](worker_protocol.md#what-such-a-worker-cannot-show), and `interpreter` for "
        "[kernels in Python](../../python/README.md#kernels-in-python) that are interpreted. Of a finding, `as_code` is the command that writes it as "
        "[code](../how-to/read_a_finding.md#as-code). An error is a document too:\n",
        '```console\n$ ./negzero.sh check no.such.kernel --json\n{\n  "version": 2,\n  "error": {\n    "kind": "nothing_decided",\n'
        '    "message": "no kernel matches \'no.such.kernel\'..."\n  }\n}\n```\n',
    ]
    for name in documents + [name for name in shapes if name not in documents]:
        shape = shapes[name]
        rows = list(key_rows(shape))
        said = shape.get("description", "")
        if rows:
            parts.append(f"## {name}\n" + (plain(said) + "\n" if said else ""))
            parts.append(table(columns, rows))
        elif name not in ("count", "texts"):
            words = "One of " if "enum" in shape else "Value: "
            parts.append(f"## {name}\n{plain(said)} {words}{type_of(shape)}.\n")
    return page("JSON", "The documents that `check`, `compare`, `replay`, `fuzz`, `report` and an error print with `--json`.", "`docs/schema/negzero.schema.json`", *parts)  # fmt: skip


PAGES: "dict[str, Callable[[Program], str]]" = {
    "docs/reference/commands.md": commands,
    "docs/reference/operations.md": operations,
    "docs/reference/rules.md": rules,
    "docs/reference/strategies.md": strategies,
    "docs/reference/fields.md": fields,
    "docs/reference/nz.md": declaration,
    "docs/reference/json.md": json_page,
}


def wrong_codes(program: Program, source: Path) -> "list[str]":
    """Returns where the exit codes of documents are not those of the program."""
    header = (program.source / "src/negzero/cli/exit_code.hpp").read_text()
    known = re.findall(r"^  k[A-Za-z]+ = (\d+),", header, re.MULTILINE)
    order = re.search(r"picks ([\d, ]+) in that order", header).group(1)
    help_text = re.sub(r"\([^()]*\)", "", " ".join(program.text("--help").split()))
    help_text = help_text[help_text.index("Exit codes:") :]
    document = (source / "docs/reference/exit_codes.md").read_text()
    wrong = []
    for where, codes in (
        ("--help", re.findall(r"(?:: |, )(\d+) [a-z]", help_text)),
        ("docs/reference/exit_codes.md", re.findall(r"^\| (\d+) \|", document, re.MULTILINE)),
    ):
        if codes != known:
            wrong.append(f"{where} has the exit codes {', '.join(codes)}; exit_code.hpp has {', '.join(known)}")
    for where, text in (("--help", help_text), ("docs/reference/exit_codes.md", document)):
        if order not in text:
            wrong.append(f"{where} does not say that the first of {order} counts, as exit_code.hpp does")
    return wrong


def compare(program: Program, source: Path, made: "dict[str, str]") -> "list[str]":
    """Returns what is wrong with the pages of a source tree, a text each."""
    wrong = wrong_codes(program, source)
    for path, text in made.items():
        file = source / path
        found = file.read_text() if file.exists() else ""
        if found != text:
            lines = list(difflib.unified_diff(found.splitlines(), text.splitlines(), path, "what it should be", "", "", 0, ""))
            wrong.append("\n".join([f"{path} is not what the program says:", *lines[:12]]))
    return wrong


def self_test(program: Program, source: Path, made: "dict[str, str]") -> int:
    """Changes pages in several ways; returns how many changes were not noticed."""
    edits: "list[tuple[str, Callable[[str], str]]]" = []
    for path in made:
        edits.append((path, lambda text: text.replace("`", "'", 1)))
        edits.append((path, lambda text: re.sub(r"\n\| .*\n(?!\|)", "\n\n", text, count=1)))
        edits.append((path, lambda text: text + "More.\n"))
        edits.append((path, lambda text: ""))
    codes = "docs/reference/exit_codes.md"
    edits.append((codes, lambda text: text.replace("| 77 |", "| 78 |")))
    edits.append((codes, lambda text: re.sub(r"\n\| 130 \|.*", "", text)))
    edits.append((codes, lambda text: text.replace("2, 130, 1, 3, 4", "2, 1, 130, 3, 4")))
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(source / "docs/reference", copy / "docs/reference")
        for path, edit in edits:
            before = (copy / path).read_text()
            after = edit(before)
            (copy / path).write_text(after)
            if after == before or not compare(program, copy, made):
                print(f"FAILED: a change of {path} was not noticed")
                missed += 1
            (copy / path).write_text(before)
        if wrong := compare(program, copy, made):
            print("FAILED:", "\n".join(wrong))
            missed += 1
    print(f"{len(edits) - missed} changes were noticed")
    return missed


def main(words: "list[str]") -> int:
    source = Path(words[1]).resolve()
    program = Program(words[0], source)
    made = {path: make(program) for path, make in PAGES.items()}
    if "--write" in words:
        for path, text in made.items():
            (source / path).write_text(text)
        return 0
    if "--self-test" in words:
        return 1 if self_test(program, source, made) else 0
    wrong = compare(program, source, made)
    for each in wrong:
        print("FAILED:", each)
    if wrong:
        print(f"python3 tests/documents/reference_pages.py {words[0]} {words[1]} --write writes the pages anew")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
