"""torch.index_add of F16 and BF16 on a GPU turns -0 into 0 in places that no index names; in F32 and on the CPU it does not."""
import torch

signs = {}
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    for device in ("cpu", "cuda"):
        x = torch.tensor([-0.0, -0.0, -0.0, -0.0], dtype=dtype, device=device)
        added = x.index_add(0, torch.tensor([1], device=device), torch.ones(1, dtype=dtype, device=device))
        signs[dtype, device] = added.signbit().tolist()
        print(f"PyTorch {torch.__version__}, {dtype} on {device}: {added.tolist()}")
raise SystemExit(all(signs[dtype, "cuda"] == signs[dtype, "cpu"] for dtype in (torch.float16, torch.bfloat16)))
