"""Triton: tl.atomic_add of F32 takes subnormal numbers for zeros; the same addition without atomics does not."""
import torch
import triton
import triton.language as tl

@triton.jit
def both(x, atomic, plain):
    tl.atomic_add(atomic, tl.load(x))
    tl.store(plain, tl.load(plain) + tl.load(x))

x = torch.full((1,), 2.0**-140, device="cuda")
atomic, plain = x.clone(), x.clone()
both[(1,)](x, atomic, plain)
print(f"Triton {triton.__version__}: 2^-140 + 2^-140: atomic_add {atomic.item()!r}, + {plain.item()!r}")
raise SystemExit(atomic.item() == plain.item())
