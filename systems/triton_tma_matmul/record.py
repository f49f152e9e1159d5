"""Records what a few configurations give on this GPU, and prints what negzero says of it."""

from __future__ import annotations

import pathlib
import sys

import negzero
import torch
import triton

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from configurations import contract
from products import N, RECORDED
from recordings import record
from test_tma_matmul import FOLDER, product, variant

#: What the factors of F32 may be rounded to before a tensor core multiplies them.
CONVERSIONS = ("tf32_truncate", "tf32_nearest_away", "tf32_nearest_even")

print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
for configuration in RECORDED:
    try:
        a, b, d = product(configuration)
    except Exception as error:  # of the compiler, or of the check of what lies beside D
        print(f"{configuration.name}\n{type(error).__name__}: {error}\n")
        continue
    judgement = negzero.judge(d, "gemm", a=a, b=b, contract=contract(configuration), elements="all", worst=1)
    print(f"{configuration.name}\n{judgement}\n")
    record(FOLDER, configuration.format, variant(configuration), judgement)
    if configuration.format == "F32":
        for conversion in CONVERSIONS:
            said = {**contract(configuration), "multiplicand": conversion}
            held = negzero.judge(d, "gemm", a=a, b=b, contract=said, elements="all")
            print(f"    multiplicand {conversion}: {held.failing} of {held.of} elements refused")
        print()

for n in range(N - 4, N + 5):
    try:
        product(RECORDED[0], n)
        print(f"n = {n}: nothing was written beside D")
    except RuntimeError as error:
        print(f"n = {n}: {error}")
