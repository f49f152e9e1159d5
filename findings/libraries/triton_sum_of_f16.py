"""Triton: is tl.sum of F16 held in F32? "float dtypes are upcasted to at least tl.float32" (triton.language.sum)."""
import torch
import triton
import triton.language as tl

@triton.jit
def total(x, y, N: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, N)), 0).to(tl.float32))

x = torch.full((4096,), 1.0, dtype=torch.float16, device="cuda")
x[0] = 30000.0
x[1:4] = 20000.0
x[4] = -60000.0
y = torch.zeros(1, device="cuda")
total[(1,)](x, y, 4096)
exact = int(x.double().sum())
print(f"Triton {triton.__version__}: {y.item()}, exactly {exact}")
raise SystemExit(y.item() == exact)
