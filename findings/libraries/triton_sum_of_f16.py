"""Triton: tl.sum of F16 and BF16 is held in their own format. "float dtypes are upcasted to at least tl.float32" (tl.sum)."""
import torch
import triton
import triton.language as tl

@triton.jit
def total(x, y, N: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, N)), 0).to(tl.float32))

right = []
for dtype, count, value, large in ((torch.float16, 64, 2048.0, 1.0), (torch.bfloat16, 512, 128.0, 2.0**22)):
    x = torch.full((count,), value, dtype=dtype, device="cuda")
    x[0], x[-1] = large, -large  # whose sum is 0
    y, exact = torch.zeros(1, device="cuda"), int(x.double().sum())
    total[(1,)](x, y, count)
    right.append(y.item() == exact)
    print(f"Triton {triton.__version__}, {dtype}: {y.item()}, exactly {exact}, a number of F32")
raise SystemExit(all(right))
