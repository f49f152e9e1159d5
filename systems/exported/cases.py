"""What `negzero export` needs for cases whose kernels are no kernel of the tree, and what no GPU shows."""

from __future__ import annotations

import pathlib

#: Variants of the CuTe kernel, by the beginning of the case's name behind "cute_".
CUTE = ("f16_fragment", "f16_state", "rounded", "straight")
#: torch.mm as `tf32.on` calls it.
TF32 = """import torch
torch.backends.cuda.matmul.allow_tf32 = True
d = torch.bmm(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()).cpu().numpy()"""
#: Triton's matrix multiplication by tensor descriptors, in a configuration.
TMA = """import sys
import torch
sys.path.insert(0, "systems/triton_tma_matmul")
from configurations import Configuration
from matmul import matmul
a, b = (torch.from_numpy(each[0].copy()).view(torch.{type}).cuda() for each in (a, b))
d = matmul(a, b, Configuration({configuration})).cpu().numpy()[None]"""
TMA_CASES = {
    "triton_tma_F32_specialized": ("float32", '"F32", False, False, (64, 64, 32), 4, "specialized"'),
    "triton_tma_F8_specialized": ("float8_e4m3fn", '"F8_E4M3", False, False, (64, 64, 32), 4, "specialized"'),
    "triton_tma_F8_refused": ("float8_e4m3fn", '"F8_E4M3", False, False, (64, 64, 16), 4, "plain"'),
    "triton_tma_any_n": ("float16", '"F16", False, False, (64, 64, 32), 4, "plain"'),
}

#: Failures that the host executor shows and an H200 has not shown in 1,000 cases (docs/measured/who_sees_what.md), and why.
ON_THE_HOST_ALONE: "dict[str, str]" = {
    "G11_flag_without_fence": "a race in global memory, which no tool of CUDA reports",
    "O9_tile_overwritten": "a race whose case racecheck takes for none",
    "R10_lanes_that_do_not_exist": "what a lane that does not exist gives is undefined, and may be right",
    "R13_shared_reused": "a race whose case racecheck takes for none",
}


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
    if case in TMA_CASES:
        kind, configuration = TMA_CASES[case]
        return ["--call", TMA.format(type=kind, configuration=configuration), "--format", "py"]
    return []
