"""torch.addmm on a GPU with beta = -0.0 reads memory that it has not written: what another tensor left there comes back."""
import torch

counts = {}
for dtype in (torch.float32, torch.float64):
    ones = torch.ones(64, 64, dtype=dtype, device="cuda")
    for beta in (0.0, -0.0):
        left = torch.full((64, 64), torch.nan, dtype=dtype, device="cuda")
        del left  # its memory is what the result gets
        counts[dtype, str(beta)] = int(torch.addmm(ones, ones, ones, beta=beta).isnan().sum())
print(f"PyTorch {torch.__version__}: NaN among 4096 of a product of ones: {counts}")
raise SystemExit(counts[torch.float32, "0.0"] != 0 or counts[torch.float32, "-0.0"] == 0)
