"""Judges what PyTorch, cuBLAS and CuPy make of subnormal inputs of each format on this GPU, each by its name.

Each row of a reduction, and each element of a product, counts as a case. Prints a line for each function and format,
and a JSON document with `--json`; ends with 1 where something was refused.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

import negzero
import torch

SUBNORMALS = {torch.float32: (-149, -126), torch.bfloat16: (-133, -126), torch.float16: (-24, -14),
              torch.float8_e5m2: (-16, -14), torch.float8_e4m3fn: (-9, -6)}


def drawn(shape: "tuple[int, ...]", dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Numbers of which half are subnormal, the rest within 2^20 of these, in either sign."""
    low, normal = SUBNORMALS[dtype]
    random = torch.Generator().manual_seed(seed)
    exponent = torch.randint(low, normal, shape, generator=random)
    exponent += (torch.rand(shape, generator=random) < 0.5) * torch.randint(0, 20, shape, generator=random)
    value = torch.ldexp(1 + torch.rand(shape, generator=random, dtype=torch.float64), exponent.double())
    value *= torch.where(torch.rand(shape, generator=random) < 0.5, -1.0, 1.0)
    return value.clamp(-100, 100).to(dtype).cuda()


def judged(name: str, result: Any, function: "Callable[..., Any] | str", *arguments: Any, **options: Any) -> "dict[str, Any]":
    judgement = negzero.judge(result, function, *arguments, elements="all", **options)
    cases = judgement.judged
    print(f"{name:40} {cases:8} elements  {judgement.verdict}", flush=True)
    if judgement.verdict == "fail":
        print(judgement)
    return {"name": name, "elements": cases, "verdict": judgement.verdict}


def main() -> int:
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    rows = []
    for seed, dtype in enumerate(SUBNORMALS):
        short = str(dtype).removeprefix("torch.")
        x = drawn((2000, 7), dtype, seed)
        for target in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
            rows.append(judged(f"Tensor.to {short} to {target}", x.to(target), "convert", x=x))
        if dtype in (torch.float8_e5m2, torch.float8_e4m3fn):
            continue
        rows.append(judged(f"torch.sum {short}", torch.sum(x, 1), torch.sum, x, 1))
        rows.append(judged(f"torch.mean {short}", torch.mean(x, 1), torch.mean, x, 1))
        rows.append(judged(f"torch.amax {short}", torch.amax(x, 1), torch.amax, x, 1))
        rows.append(judged(f"torch.argmax {short}", torch.argmax(x, 1), torch.argmax, x, 1))
        rows.append(judged(f"torch.cumsum {short}", torch.cumsum(x, 1), torch.cumsum, x, 1))
        for k in (1, 3, 16, 64):
            a, b = drawn((96, k), dtype, 100 + k), drawn((k, 96), dtype, 200 + k)
            if dtype != torch.float16:
                # Products of numbers that are not all too small.
                b = torch.ldexp(b.float(), torch.tensor(120.0, device="cuda")).to(dtype)
            rows.append(judged(f"torch.mm {short}, k = {k}", torch.mm(a, b), torch.mm, a, b))
    try:
        import cupy
    except ImportError:
        cupy = None
    if cupy is not None:
        for seed, dtype in enumerate((torch.float32, torch.float16)):
            x = cupy.asarray(drawn((2000, 7), dtype, 300 + seed))
            for function in (cupy.sum, cupy.max, cupy.mean):
                rows.append(judged(f"cupy.{function.__name__} {x.dtype}", function(x, axis=1), function, x, axis=1))
    refused = [row for row in rows if row["verdict"] == "fail"]
    print(f"{sum(row['elements'] for row in rows)} elements in {len(rows)} results, {len(refused)} of them refused")
    if "--json" in sys.argv:
        print(json.dumps(rows))
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
