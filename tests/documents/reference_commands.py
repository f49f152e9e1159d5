"""The page of commands, of the description that `negzero man --json` prints."""

from __future__ import annotations

import json
import re
from typing import Any

from reference_text import Program, code, page, plain, sentence, table

#: A flag that as many commands have in the same words is described once.
SEVERAL = 3
FLAG_COLUMNS = ["word or flag", "value", "what it does", "without it"]


def flag_name(flag: "dict[str, Any]") -> str:
    return ", ".join(map(code, flag["names"])) if flag["names"] else code(flag["positional"])


def flag_row(flag: "dict[str, Any]") -> "list[str]":
    """Returns the cells of a flag: its names, its value, what it does, and what holds without it: [] ends its help."""
    value = ", ".join(map(code, flag["words"])) or (code(flag["value"]) if flag["value"] else "")
    if flag["positional"] and not value:
        value = "words" if flag["several"] else "a word"
    does, default = re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", flag["help"]).groups()
    return [
        flag_name(flag),
        value,
        sentence(does, flag["words"]),
        "required" if flag["required"] else plain(default or ""),
    ]


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
        "Flags may be given in any order, before or after other words. All commands have the same [exit "
        "codes](exit_codes.md#exit-codes).\n",
        table(
            ["command", ""], ([f"[`{each['name']}`](#{each['name']})", sentence(each["help"])] for each in all_commands)
        ),
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
    parts.append(
        table(
            ["variable", "what it does", "without it"],
            (
                [
                    code(name),
                    *flag_row(
                        {"names": [name], "positional": "", "value": "", "words": [], "required": False, "help": does}
                    )[2:],
                ]
                for name, does in described["environment"].items()
            ),
        )
    )
    return page(
        "Commands",
        "Every command of `negzero`, in the order of `negzero --help`, with its flags.",
        "`negzero man --json`",
        *parts,
    )
