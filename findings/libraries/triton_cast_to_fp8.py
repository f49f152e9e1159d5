"""Triton: numbers beyond FP8's largest become the largest in a cast, and NaN in torch.Tensor.to and numpy.astype."""
import ml_dtypes
import numpy as np
import torch
import triton
import triton.language as tl

@triton.jit
def cast(x, y):
    at = tl.arange(0, 4)
    tl.store(y + at, tl.load(x + at).to(tl.float8e4nv))

x = torch.tensor([448.0, 464.0, 500.0, float("inf")], device="cuda")
y = torch.zeros(4, dtype=torch.float8_e4m3fn, device="cuda")
cast[(1,)](x, y)
others = x.to(torch.float8_e4m3fn).float().tolist(), x.cpu().numpy().astype(ml_dtypes.float8_e4m3fn).astype(np.float32).tolist()
print(f"Triton {triton.__version__}: {y.float().tolist()}, PyTorch {others[0]}, ml_dtypes {others[1]}")
raise SystemExit(str(y.float().tolist()) == str(others[0]))
