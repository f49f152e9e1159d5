"""torch.addmm on a GPU: beta = -0.0 lets NaN of `input` through, which beta = 0.0 does not.

https://docs.pytorch.org/docs/stable/generated/torch.addmm.html: with beta 0 the content of input is ignored, and its
NaN and infinities are not propagated. -0.0 equals 0.
"""

import negzero
import torch

print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
for dtype in (torch.float32, torch.float64):
    for m, k, n in ((40, 17, 2), (28, 17, 31), (16, 3, 33), (40, 5, 40), (5, 255, 4), (64, 64, 64), (512, 512, 512)):
        a = torch.ones(m, k, dtype=dtype, device="cuda")
        b = torch.ones(k, n, dtype=dtype, device="cuda")
        c = torch.full((m, n), float("nan"), dtype=dtype, device="cuda")
        row = f"{str(dtype):14} {m:3} x {k:3} x {n:3}"
        for beta in (0.0, -0.0):
            d = torch.addmm(c, a, b, beta=beta)
            judgement = negzero.judge(d, torch.addmm, c, a, b, beta=beta, elements="all")
            row += f"   beta {beta:4}: {int(d.isnan().sum()):6} of {d.numel():6} are NaN, {judgement.verdict}"
        print(row)
