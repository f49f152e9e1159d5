"""What `negzero export` needs for cases whose kernels are no kernel of the tree, and what no GPU shows."""

from __future__ import annotations

import pathlib

#: Variants of the CuTe kernel, by the beginning of the case's name behind "cute_".
CUTE = ("f16_fragment", "f16_state", "rounded", "straight")
MATMUL = "systems/triton_tma_matmul"
#: torch.mm as `tf32.on` calls it.
TF32 = """import torch
torch.backends.cuda.matmul.allow_tf32 = True
d = torch.bmm(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()).cpu().numpy()"""
#: Triton's matrix multiplication by tensor descriptors, in the configuration that the case names.
TMA = """import sys
import torch
sys.path.insert(0, {folder!r})
from configurations import grid
from matmul import matmul
configuration = next(each for each in grid() if each.name == {name!r})
on_gpu = lambda x: torch.from_numpy(x).cuda(){view}
d = matmul(on_gpu(a[0]), on_gpu(b[0]), configuration).cpu().numpy().reshape({shape})"""

#: Failures that the host executor shows and a GPU does not: what happens to a GPU there is chance, or defined.
ON_THE_HOST_ALONE: "dict[str, str]" = {}


def arguments(case: str, root: pathlib.Path) -> "list[str]":
    """Returns the words behind `negzero export CASE`."""
    if case.startswith("cute_"):
        name = case.removeprefix("cute_")
        variant = next(each for each in CUTE if name.startswith(each))
        recorded = root / f"systems/cute_linear_attention/recorded/smallest/{name}.{variant}.safetensors"
        return ["--kernel", f"faulty.cute.{name}", "--observed", str(recorded), "--format", "py"]
    if case == "triton_atomic_max_by_value":
        return ["--kernels", "systems/triton_atomic_max/kernels.py", "--format", "py"]
    if case == "triton_grouped_gemm_f16":
        recorded = "systems/triton_grouped_gemm/recorded/ragged_small.f16.safetensors"
        return ["--kernels", "systems/triton_grouped_gemm/kernels.py", "--observed", recorded, "--format", "py"]
    if case == "tf32_one_product":
        return ["--kernels", "systems/tf32/kernels.py", "--call", TF32, "--format", "py"]
    return []
