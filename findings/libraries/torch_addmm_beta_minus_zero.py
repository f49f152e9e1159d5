"""torch.addmm on a GPU: beta = -0.0 lets NaN of `input` through, "if beta is 0, the content of input will be ignored"."""
import torch

for dtype in (torch.float32, torch.float64):
    ones = torch.ones(64, 64, dtype=dtype, device="cuda")
    counts = [int(torch.addmm(ones * torch.nan, ones, ones, beta=beta).isnan().sum()) for beta in (0.0, -0.0)]
    print(f"PyTorch {torch.__version__}, {dtype}: NaN among 4096: beta = 0.0: {counts[0]}, beta = -0.0: {counts[1]}")
raise SystemExit(counts[0] != 0 or counts[1] == 0)
