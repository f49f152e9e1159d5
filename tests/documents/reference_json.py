"""The page of JSON, of its schema."""

from __future__ import annotations

import json
from typing import Any
from collections.abc import Iterable

from reference_text import Program, code, page, plain, table


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
        "Every command takes `--json`: then one document is all that is on standard output. It has a `version`, "
        "which is "
        f"{schema['properties']['version']['const']}. {schema['description']} "
        "[The schema](../schema/negzero.schema.json) is JSON Schema 2020-12, and a test holds what the program "
        "prints to it. "
        "[SKILL.md](../../SKILL.md) says what to do about a finding. A count is a whole number from 0; times are "
        "in milliseconds.\n",
        "Of a kernel, `shows` is there for a [worker that shows values "
        "alone](worker_protocol.md#what-such-a-worker-cannot-show), and `interpreter` for "
        "[kernels in Python](../../python/README.md#kernels-in-python) that are interpreted. Of a finding, "
        "`as_code` is the command that writes it as "
        "[code](../how-to/read_a_finding.md#as-code). An error is a document too:\n",
        "```console\n$ ./negzero.sh check no.such.kernel --json\n"
        '{\n  "version": 2,\n  "error": {\n    "kind": "nothing_decided",\n'
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
    return page(
        "JSON",
        "The documents that `check`, `compare`, `replay`, `fuzz`, `report` and an error print with `--json`.",
        "`docs/schema/negzero.schema.json`",
        *parts,
    )
