"""Triton: tl.atomic_max of a NaN gives the NaN or passes over it by its sign bit. tl.maximum passes over both."""
import torch
import triton
import triton.language as tl

@triton.jit
def both(x, atomic, plain):
    tl.atomic_max(atomic, tl.load(x))
    tl.store(plain, tl.maximum(tl.load(plain), tl.load(x)))

seen = {}
for name, bits in (("NaN", 0x7FC00000), ("-NaN", -0x400000)):
    x = torch.tensor([bits], dtype=torch.int32, device="cuda").view(torch.float32)
    atomic, plain = torch.ones(1, device="cuda"), torch.ones(1, device="cuda")
    both[(1,)](x, atomic, plain)
    seen[name] = (atomic.item(), plain.item())
print(f"Triton {triton.__version__}: atomic_max and maximum of 1 and each: {seen}")
raise SystemExit(str(seen["NaN"][0]) == str(seen["-NaN"][0]))
