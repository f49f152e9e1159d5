"""The command `negzero`: the program that the package carries, and what only Python can do: `assertions`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

_INFRASTRUCTURE = 3


def main() -> NoReturn:
    """Becomes the program, with the words of this process. NEGZERO_PROGRAM names another one.

    Modules of kernels run in this Python, unless NEGZERO_PYTHON names another. Exits with 3 where the program is missing.
    `assertions` is run here.
    """
    if sys.argv[1:2] == ["assertions"]:
        from ._assertions import _script

        sys.exit(_script.main(sys.argv[2:]))
    path = os.environ.get("NEGZERO_PROGRAM") or os.path.join(os.path.dirname(__file__), "program", "negzero")
    os.environ.setdefault("NEGZERO_PYTHON", sys.executable)
    os.environ.setdefault("NEGZERO_COMMAND", "negzero")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        print(
            f"negzero: {path}: {error.strerror}; install the package again (pip install --force-reinstall), or set "
            "NEGZERO_PROGRAM to a program `negzero`",
            file=sys.stderr,
        )
    sys.exit(_INFRASTRUCTURE)


if __name__ == "__main__":
    main()
