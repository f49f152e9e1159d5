"""torch.mm on a GPU: a row's bits depend on how many other rows there are. Not promised; torch.bmm of one has other bits."""
import torch

torch.manual_seed(0)
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    a, b = torch.randn(512, 4096, dtype=dtype, device="cuda"), torch.randn(4096, 64, dtype=dtype, device="cuda")
    whole = torch.mm(a, b)[:1]
    counts = {rows: int((torch.mm(a[:rows], b)[:1] != whole).sum()) for rows in (1, 2, 17, 64, 256)}
    of_one = int((torch.bmm(a[None], b[None])[0] != torch.mm(a, b)).sum())
    print(f"PyTorch {torch.__version__}, {dtype}: of 64 elements of row 0 differ by rows {counts}; mm and bmm: {of_one}")
raise SystemExit(not any(counts.values()))
