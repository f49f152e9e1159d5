"""Tensor.to rounds float64 to float16 by way of float32: what is above half is rounded down. numpy.astype rounds once."""
import numpy as np
import torch

x = 1 + 2.0**-11 + 2.0**-40  # just above the middle of 1 and 1 + 2^-10, and that middle in float32
devices = ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)
got = {device: float(torch.tensor(x, dtype=torch.float64, device=device).half()) for device in devices}
exact = float(np.float64(x).astype(np.float16))
print(f"PyTorch {torch.__version__}: {got}, NumPy {exact}, exactly {x!r}")
raise SystemExit(all(each == exact for each in got.values()))
