"""Triton: tl.dot of FP8 with out_dtype float32 loses terms that F32 holds. 8 + 31 x 2^-12 is a number of F32."""
import torch
import triton
import triton.language as tl

@triton.jit
def product(a, b, d, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    tl.store(d + i * N + j, tl.dot(tl.load(a + i * K + k[None, :]), tl.load(b + k[:, None] * N + j)))

a = torch.full((128, 32), 2.0**-6, device="cuda")
b = torch.full((32, 64), 2.0**-6, device="cuda")
a[:, 0], b[0, :] = 8, 1
d = torch.zeros(128, 64, device="cuda")
product[(1,)](a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn), d, 128, 64, 32)
print(f"Triton {triton.__version__}, {torch.cuda.get_device_name()}: {d[0, 0].item()!r}, exactly {8 + 31 * 2.0**-12!r}")
raise SystemExit(d[0, 0].item() == 8 + 31 * 2.0**-12)
