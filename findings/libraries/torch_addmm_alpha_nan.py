"""torch.addmm on the CPU in F32: alpha = NaN is taken for 1. "out = beta * input + alpha * (mat1 @ mat2)"."""
import torch

got = {}
for dtype in (torch.float32, torch.float64):
    a, b, c = torch.ones(4, 127, dtype=dtype), torch.ones(127, 40, dtype=dtype), torch.zeros(4, 40, dtype=dtype)
    got[dtype] = torch.addmm(c, a, b, alpha=float("nan"))[0, 0].item()
print(f"PyTorch {torch.__version__}: NaN x 127: {got}")
raise SystemExit(got[torch.float32] != 127)
