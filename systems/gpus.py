"""The mark of tests that need a GPU: skipped elsewhere, unless NEGZERO_REQUIRE_GPU says that there is one."""

from __future__ import annotations

import importlib.util
import os

import pytest


def on_gpu(*packages: str) -> pytest.MarkDecorator:
    """Returns the mark of tests that need a GPU, PyTorch and these packages.

    Raises RuntimeError where NEGZERO_REQUIRE_GPU is set, and one of them is missing.
    """
    has_gpu = all(importlib.util.find_spec(name) for name in ("torch", *packages))
    if has_gpu:
        import torch

        has_gpu = bool(torch.cuda.is_available())
    if not has_gpu and os.environ.get("NEGZERO_REQUIRE_GPU"):
        raise RuntimeError("NEGZERO_REQUIRE_GPU is set, and there is no GPU")
    needs = "a GPU, PyTorch and Triton" if "triton" in packages else "a GPU and PyTorch"
    return pytest.mark.skipif(not has_gpu, reason=f"needs {needs}")
