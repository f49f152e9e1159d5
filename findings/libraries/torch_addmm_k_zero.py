"""PyTorch on the CPU: addmm with K = 0 gives another beta * c than with a column of zeros, in F16 and BF16."""
import sys

import torch

torch.manual_seed(1)
differing = {torch.float16: 0, torch.bfloat16: 0, torch.float32: 0}
for dtype in differing:
    for _ in range(200):
        c, beta = torch.randn(4, 4).to(dtype), float(torch.randn(()))
        none = torch.addmm(c, torch.zeros(4, 0, dtype=dtype), torch.zeros(0, 4, dtype=dtype), beta=beta)
        zeros = torch.addmm(c, torch.zeros(4, 1, dtype=dtype), torch.zeros(1, 4, dtype=dtype), beta=beta)
        differing[dtype] += not torch.equal(none, zeros)
print(torch.__version__, "products of nothing and of zeros that differ, of 200:", differing)
sys.exit(0 if differing[torch.float16] > 0 else 1)
