"""torch.compile: a cast to FP8 turns what is beyond the largest number into that number, eager into NaN or infinity."""
import ml_dtypes
import numpy as np
import torch

x, differ = torch.tensor([464.0, 500.0, 60000.0, 1e6, float("inf")], device="cuda"), False
for name in ("float8_e4m3fn", "float8_e5m2"):

    def cast(value, dtype=getattr(torch, name)):
        return value.to(dtype)

    eager, compiled = cast(x).float().tolist(), torch.compile(cast)(x).float().tolist()
    others = x.cpu().numpy().astype(getattr(ml_dtypes, name)).astype(np.float32).tolist()
    print(f"PyTorch {torch.__version__}, {name} of {x.tolist()}: eager {eager}, compiled {compiled}, ml_dtypes {others}")
    differ |= str(eager) != str(compiled)
raise SystemExit(not differ)
