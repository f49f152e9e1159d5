"""Records what Triton's atomics give on this GPU for every pair of special values, and prints what negzero says."""

from __future__ import annotations

import pathlib
import sys

import negzero
import numpy as np
import torch
import triton

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from atomics import atomic_max, atomic_min, max_by_value
from recordings import record
from test_atomic_max import CONTRACT, FORMATS, PACKED, RECORDED, on_device

print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
for name, kernel, variant in (
    ("max", atomic_max, "triton_max"), ("min", atomic_min, "triton_min"), ("max", max_by_value, "by_value"),
):  # fmt: skip
    x, index, init, out = on_device(kernel, nans=False)
    judgement = negzero.judge(
        out, f"scatter.{name}", x=x, index=index, init=init, contract=CONTRACT, elements="all", worst=1
    )
    print(f"{kernel.__name__}, {len(x)} pairs of numbers\n{judgement}\n")
    record(RECORDED, f"numbers_{name}", variant, judgement)

for name, kernel in (("max", atomic_max), ("min", atomic_min)):
    x, index, init, out = on_device(kernel, nans=True)
    for nan in ("propagate", "ignore"):
        judgement = negzero.judge(
            out, f"scatter.{name}", x=x, index=index, init=init, contract={**CONTRACT, "nan": nan}, elements="all"
        )
        print(f"{kernel.__name__}, {len(x)} pairs with a NaN, nan = {nan}: {judgement.failing} not permitted")
    for who, holds in (("location", np.isnan(init) & ~np.isnan(x)), ("update", np.isnan(x) & ~np.isnan(init))):
        for sign in (0, 1):
            of = holds & (np.signbit(np.where(np.isnan(init), init, x)) == bool(sign))
            print(f"    a NaN of sign {sign} in the {who}: {np.isnan(out[of]).sum()} of {of.sum()} results are NaN")

try:
    negzero.check(max_by_value, "scatter.max", formats=FORMATS, arrays="torch", device="cuda", contract=CONTRACT,
                  limits=PACKED, finite=True, save_to=None)  # fmt: skip
except negzero.Counterexample as example:
    print(example)
