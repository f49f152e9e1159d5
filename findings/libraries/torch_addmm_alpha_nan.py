"""torch.addmm on the CPU in F32: alpha = NaN is taken for 1.

https://docs.pytorch.org/docs/stable/generated/torch.addmm.html: out = beta * input + alpha * (mat1 @ mat2).
"""

import negzero
import torch

print(f"PyTorch {torch.__version__}")
for dtype in (torch.float32, torch.float64):
    a, b, c = torch.ones(4, 127, dtype=dtype), torch.ones(127, 40, dtype=dtype), torch.zeros(4, 40, dtype=dtype)
    for beta in (0.0, 1.0):
        d = torch.addmm(c, a, b, alpha=float("nan"), beta=beta)
        judgement = negzero.judge(d, torch.addmm, c, a, b, alpha=float("nan"), beta=beta)
        print(f"{dtype}  alpha nan, beta {beta}: {d[0, 0].item()}, {judgement.verdict}")
