"""Records what the kernel gives on this GPU, and prints what a tolerance and negzero say of it."""

from __future__ import annotations

import pathlib
import sys

import negzero
import torch
import triton

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from cases import CONTRACT, SIZES, VARIANTS, groups
from recordings import record
from test_grouped_gemm import RECORDED, products

print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
print(f"{'values':8} {'group':8} {'variant':11} {'allclose(atol=1e-2)':20} {'refused':14} {'by what is known':14}")
for size in SIZES:
    for variant in VARIANTS:
        for name, (a, b, d) in zip(groups(size), products(size, variant)):
            close = torch.allclose(torch.matmul(a, b), d, atol=1e-2, rtol=0)
            judgement = negzero.judge(d, "gemm", a=a, b=b, elements="all")
            known = negzero.judge(d, "gemm", a=a, b=b, contract=CONTRACT, elements="all")
            print(
                f"{size:8} {name:8} {variant:11} {'passes' if close else 'fails':20} "
                f"{judgement.failing:5} of {judgement.of:5} {known.failing:5} of {known.of:5}"
            )
            if name == "ragged":
                record(RECORDED, f"{name}_{size}", variant, known)
