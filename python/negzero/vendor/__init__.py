"""Functions of libraries as kernels, each held to what its documentation promises.

    negzero check --kernels .../negzero/vendor/of_torch.py 'torch.mm.*' --executor cuda

A module a library; its first lines say what is in it. `folder()` is where they lie.
"""

from __future__ import annotations

import os


def folder() -> str:
    """Returns the folder of these modules, for --kernels."""
    return os.path.dirname(os.path.abspath(__file__))
