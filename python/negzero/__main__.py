"""`negzero judge CASE --observed FILE` where the program is not built: the same word, files and exit codes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, NoReturn

from ._case import load
from ._judge import judge
from ._judgement import Judgement
from ._library import LibraryError
from ._operations import signature_of
from ._safetensors import read

_PERMITTED, _NOT_PERMITTED, _USAGE, _OURS, _UNDECIDED = 0, 1, 2, 3, 4


class _Parser(argparse.ArgumentParser):
    """Raises ValueError where argparse would print and exit, so that --json has a document for wrong words too."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}; `{self.prog} --help` says more")


def main(arguments: "list[str] | None" = None) -> int:
    """Judges recorded outputs. Returns 0 permitted, 1 not, 2 wrong words or files, 3 our failure, 4 nothing decided.

    An error is one line on standard error, and with --json a document on standard output too.
    """
    words = sys.argv[1:] if arguments is None else arguments
    try:
        flags = _parser().parse_args(words)
        judgement = _judged(flags)
    except (FileNotFoundError, IsADirectoryError) as error:
        return _fail(words, _USAGE, f"{error.filename}: {error.strerror}; name a safetensors file")
    except (ValueError, TypeError) as error:
        return _fail(words, _USAGE, str(error))
    except (LibraryError, OSError, MemoryError) as error:
        return _fail(words, _OURS, str(error) or type(error).__name__)
    print(json.dumps({"version": 1, **judgement.report}, indent=2) if flags.json else judgement.text)
    return {"pass": _PERMITTED, "fail": _NOT_PERMITTED}.get(judgement.verdict, _UNDECIDED)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="negzero", description="The Python package's part of negzero.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("judge", help="judge recorded outputs of a case", allow_abbrev=False)
    command.add_argument("case", help="a case file")
    command.add_argument("--observed", required=True, metavar="FILE", help="a safetensors file of its outputs")
    command.add_argument("--contract", help="a preset's name or JSON; that of the case or of FILE where it is missing")
    command.add_argument("--elements", choices=("sample", "all"), default="all")
    command.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _judged(flags: Any) -> Judgement:
    case = load(flags.case)
    with open(flags.observed, "rb") as file:
        tensors, metadata = read(file.read(), flags.observed)
    contract = flags.contract or case.contract or metadata.get("contract")
    if not contract:
        raise ValueError(f"{flags.case} has no contract; add --contract NAME, or --contract default")
    outputs = [tensor.name for tensor in signature_of(case.operation).outputs]
    # A recording may hold more than outputs: its operands, for one.
    observed = {name: tensors[name] for name in outputs if name in tensors}
    return judge(observed, case, contract=contract, elements=flags.elements)


def _fail(words: "list[str]", code: int, message: str) -> int:
    print(f"negzero: {message}", file=sys.stderr)
    if "--json" in words:
        kind = "usage" if code == _USAGE else "infrastructure"
        print(json.dumps({"version": 1, "error": {"kind": kind, "message": message}}, indent=2))
    return code


if __name__ == "__main__":
    sys.exit(main())
