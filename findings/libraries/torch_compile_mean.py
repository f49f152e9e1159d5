"""torch.compile: the mean of F32 divides by an approximation; torch.mean itself, and NumPy, round the quotient once."""
import sys

import numpy as np
import torch


def mean(x):
    return torch.mean(x, 1)


compiled, differing, counts = torch.compile(mean, dynamic=True), {"eager": 0, "compiled": 0}, range(3, 1003)
for count in counts:
    x = torch.zeros(2, count, device="cuda")
    x[0, 0] = 1
    right = np.float32(1) / np.float32(count)
    differing["eager"] += int(float(mean(x)[0]) != right)
    differing["compiled"] += int(float(compiled(x)[0]) != right)
print(f"1 and zeros: of {len(counts)} means other than NumPy's 1 / n: {differing}")
sys.exit(0 if differing["compiled"] > differing["eager"] else 1)
