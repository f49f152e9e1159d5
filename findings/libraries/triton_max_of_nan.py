"""Triton: tl.max passes over NaN, and what tl.argmax gives depends on where it is. torch.amax and argmax give the NaN."""
import torch
import triton
import triton.language as tl

@triton.jit
def extremes(x, y, at, N: tl.constexpr):
    row = tl.load(x + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y + tl.program_id(0), tl.max(row, 0))
    tl.store(at + tl.program_id(0), tl.argmax(row, 0))

x = torch.ones(3, 64, device="cuda")
x[0, 0] = x[1, 5] = x[2] = torch.nan
y, at = torch.zeros(3, device="cuda"), torch.zeros(3, dtype=torch.int32, device="cuda")
extremes[(3,)](x, y, at, 64)
print(f"Triton {triton.__version__}: NaN at 0, at 5, everywhere: max {y.tolist()}, argmax {at.tolist()}; "
      f"PyTorch {x.amax(1).tolist()}, {x.argmax(1).tolist()}")
raise SystemExit(at.tolist() == x.argmax(1).tolist() and bool(y.isnan().all()))
