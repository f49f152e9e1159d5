"""PyTorch on the CPU: addmm with alpha = 0 reads its matrices in F16 and BF16, in F32 it does not."""
import sys

import torch

results = {}
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    a = torch.full((2, 2), float("nan"), dtype=dtype)
    c, b = torch.ones(2, 2, dtype=dtype), torch.ones(2, 2, dtype=dtype)
    results[dtype] = float(torch.addmm(c, a, b, alpha=0.0, beta=1.0)[0, 0])
print(torch.__version__, "1 + 0 * NaN:", results)
sys.exit(0 if len(set(map(str, results.values()))) > 1 else 1)
