"""`negzero judge CASE --observed FILE` where the program is not built: the same word, files and exit codes."""

from __future__ import annotations

import argparse
import json
import sys

from ._case import load
from ._judge import judge
from ._library import LibraryError
from ._safetensors import read

_PERMITTED, _NOT_PERMITTED, _USAGE, _OURS, _UNDECIDED = 0, 1, 2, 3, 4


def main(arguments: "list[str] | None" = None) -> int:
    """Judges recorded outputs. Returns 0 permitted, 1 not, 2 wrong words or files, 3 our failure, 4 nothing decided."""
    parser = argparse.ArgumentParser(prog="negzero", description="The Python package's part of negzero.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("judge", help="judge recorded outputs of a case")
    command.add_argument("case", help="a case file")
    command.add_argument("--observed", required=True, metavar="FILE", help="a safetensors file of its outputs")
    command.add_argument("--contract", help="a preset's name or JSON; the case's own where it is missing")
    command.add_argument("--elements", choices=("sample", "all"), default="all")
    command.add_argument("--json", action="store_true", help="print one JSON document")
    flags = parser.parse_args(arguments)
    try:
        case = load(flags.case)
        if not flags.contract and not case.contract:
            raise ValueError(f"{flags.case} has no contract; add --contract NAME, or --contract default")
        with open(flags.observed, "rb") as file:
            observed, _ = read(file.read(), flags.observed)
        judgement = judge(observed, case, contract=flags.contract, elements=flags.elements)
    except (FileNotFoundError, IsADirectoryError) as error:
        print(f"negzero: {error.filename}: {error.strerror}; name a safetensors file", file=sys.stderr)
        return _USAGE
    except (ValueError, TypeError) as error:
        print(f"negzero: {error}", file=sys.stderr)
        return _USAGE
    except (LibraryError, OSError, MemoryError) as error:
        print(f"negzero: {error}", file=sys.stderr)
        return _OURS
    print(json.dumps(judgement.report, indent=2) if flags.json else judgement.text)
    return {"pass": _PERMITTED, "fail": _NOT_PERMITTED}.get(judgement.verdict, _UNDECIDED)


if __name__ == "__main__":
    sys.exit(main())
