"""Records what PyTorch gives on this GPU with TF32 off and on, and prints what negzero says of it."""

from __future__ import annotations

import pathlib
import sys

import negzero
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from recordings import record
from test_tf32 import RECORDED, product

print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
for name in ("normal", "one_product"):
    for variant, tf32 in (("f32", False), ("tf32", True)):
        a, b, d = product(name, tf32)
        judgement = negzero.judge(d, "gemm", a=a, b=b, contract="f32", elements="all", worst=1)
        print(f"{name}, allow_tf32 = {tf32}\n{judgement}\n")
        record(RECORDED, name, variant, judgement)

print("TF32 rounds the one product of sums of k products, in results of m x n, where k is")
torch.backends.cuda.matmul.allow_tf32 = True
for size in (1, 2, 4, 8, 16, 32, 64):
    shown = []
    for k in (1, 2, 3, 4, 8, 16, 32, 64):
        a, b = torch.zeros(size, k, device="cuda"), torch.zeros(k, size, device="cuda")
        a[:, 0], b[0, :] = 1 + 2.0**-12, 1
        if float(torch.mm(a, b)[0, 0]) != 1 + 2.0**-12:
            shown.append(k)
    print(f"{size:3} x {size:3}: {shown}")
