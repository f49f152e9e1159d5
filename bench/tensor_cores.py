"""Judges what cuBLAS computes on this GPU, through PyTorch: ragged shapes, adversarial values, every format of tensor cores.

    python bench/tensor_cores.py --elements 10000000 --seconds 240

needs the package negzero, PyTorch with CUDA, and a GPU with tensor cores. For each format it prints how many elements were
judged under `tensor_core: may`, how many were refused (each one is a finding), how many of them the screen left to the exact
oracle, and in how many results of a GEMM with one term lost that loss was seen. Exits with 1 where an element is refused.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field

import ml_dtypes
import negzero
import numpy as np
import torch


@dataclass
class Format:
    """How a product is computed, and what is declared of it."""

    name: str
    dtype: torch.dtype
    numpy: type
    out: torch.dtype
    contract: dict
    multiple: int = 1
    judged: int = 0
    refused: int = 0
    open: int = 0
    vacuous: int = 0
    products: float = 0
    seconds: float = 0
    lost: dict = field(default_factory=dict)


HOPPER = {"tensor_core": "may", "unit": "hopper"}
FORMATS = [
    Format("f16", torch.float16, np.float16, torch.float16, {"tensor_core": "may"}),
    Format("f16_to_f32", torch.float16, np.float16, torch.float32, HOPPER),
    Format("bf16", torch.bfloat16, ml_dtypes.bfloat16, torch.bfloat16, {"tensor_core": "may"}),
    Format("bf16_to_f32", torch.bfloat16, ml_dtypes.bfloat16, torch.float32, HOPPER),
    Format("tf32", torch.float32, np.float32, torch.float32, {**HOPPER, "multiplicand": "tf32_truncate"}),
    Format("f8_e4m3", torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn, torch.float32, {"tensor_core": "may"}, 16),
    Format("f8_e4m3_fast", torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn, torch.bfloat16, HOPPER, 16),
    Format("f16_in_f16", torch.float16, np.float16, torch.float16, {**HOPPER, "accumulate": "F16"}),
]


def bits(values: np.ndarray, low: int) -> np.ndarray:
    """F32 values whose `low` lowest bits are zero."""
    return (values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFFFFF << low & 0xFFFFFFFF)).view(np.float32)


def draw(random: np.random.Generator, kind: str, shape: tuple, format: Format) -> np.ndarray:
    """Values of one strategy, in the format."""
    info = ml_dtypes.finfo(format.numpy)
    normal = random.standard_normal(shape)
    if kind == "normal":
        values = normal
    elif kind == "mixed":
        values = normal * 2.0 ** random.integers(-12, 4, shape)
    elif kind == "subnormal":
        tiny = float(info.smallest_normal)
        values = np.where(random.random(shape) < 0.6, tiny * random.random(shape), normal)
    elif kind == "bits":
        exponent = random.integers(int(info.minexp), int(info.maxexp), shape)
        values = np.sign(normal) * np.ldexp(1 + random.random(shape), exponent)
    elif kind == "whole":
        values = np.round(4 * normal)
    elif kind == "special":
        values = np.where(random.random(shape) < 0.002, random.choice([np.inf, -np.inf, np.nan, 0.0], shape), normal)
    else:  # cancel: the second half of k takes away what the first one gives, nearly
        values = normal
    with np.errstate(over="ignore", invalid="ignore"):
        values = bits(values, 13) if format.name == "tf32" else values.astype(format.numpy)
    return values


KINDS = ["normal", "mixed", "subnormal", "bits", "whole", "special", "cancel"]


def to_torch(values: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    words = {1: np.uint8, 2: np.int16, 4: np.int32}[values.dtype.itemsize]
    return torch.from_numpy(values.view(words).copy()).cuda().view(dtype)


def product(a: torch.Tensor, b: torch.Tensor, format: Format) -> torch.Tensor:
    """a @ b as cuBLAS computes it for the format."""
    torch.backends.cuda.matmul.allow_fp16_accumulation = format.name == "f16_in_f16"
    if format.multiple > 1:
        one = torch.ones((), device="cuda")
        column_major = b.view(torch.uint8).t().contiguous().t().view(format.dtype)
        fast = format.name.endswith("fast")
        return torch._scaled_mm(a, column_major, one, one, out_dtype=format.out, use_fast_accum=fast)
    if format.out == torch.float32 and format.dtype != torch.float32:
        return torch.mm(a, b, out_dtype=torch.float32)
    return torch.mm(a, b)


def to_numpy(result: torch.Tensor) -> np.ndarray:
    if result.dtype == torch.bfloat16:
        return result.view(torch.int16).cpu().numpy().view(ml_dtypes.bfloat16)
    return result.cpu().numpy()


def extent(random: np.random.Generator, most: int, multiple: int) -> int:
    value = int(random.choice([random.integers(1, 70), random.integers(1, most + 1), 2 ** random.integers(0, 11)]))
    return max(multiple, min(value, most) // multiple * multiple)


def one_case(random: np.random.Generator, format: Format) -> None:
    m, n = (extent(random, 900, format.multiple) for _ in range(2))
    k = extent(random, 4096, format.multiple)
    kind = str(random.choice(KINDS))
    a, b = draw(random, kind, (m, k), format), draw(random, kind, (k, n), format)
    if kind == "cancel" and k > 1:
        half = k // 2
        a[:, half : 2 * half], b[half : 2 * half] = a[:, :half], -b[:half]
    device_a, device_b = to_torch(a, format.dtype), to_torch(b, format.dtype)
    d = to_numpy(product(device_a, device_b, format))
    start = time.perf_counter()
    judgement = negzero.judge(d, "gemm", a=a, b=b, contract=format.contract, elements="all")
    format.seconds += time.perf_counter() - start
    format.judged += judgement.judged
    format.refused += judgement.failing
    format.open += judgement.report["open"]
    format.products += float(m) * n * k
    format.vacuous += judgement.judged if judgement.verdict == "vacuous" else 0
    if judgement.failing:
        print(f"{format.name} {kind} m {m}, n {n}, k {k}\n{judgement.text}", flush=True)
    if kind != "normal":
        return
    # The same GEMM with its last term lost.
    short = to_torch(a[:, : k - 1].copy(), format.dtype), to_torch(b[: k - 1].copy(), format.dtype)
    if format.multiple > 1 or k < 2:
        return
    wrong = to_numpy(product(*short, format))
    seen = negzero.judge(wrong, "gemm", a=a, b=b, contract=format.contract, elements="sample", seconds=0.5)
    band = 4 ** round(np.log(k) / np.log(4))
    sums = format.lost.setdefault(band, [0, 0])
    sums[0] += seen.failing
    sums[1] += seen.judged


def large(size: int) -> None:
    """All elements of one large GEMM in F16, and the share that the screen left open."""
    format = FORMATS[0]
    random = np.random.default_rng(3)
    a, b = (draw(random, "normal", (size, size), format) for _ in range(2))
    d = to_numpy(product(to_torch(a, format.dtype), to_torch(b, format.dtype), format))
    for elements in ("all", "sample"):
        start = time.perf_counter()
        judgement = negzero.judge(d, "gemm", a=a, b=b, contract=format.contract, elements=elements)
        left = judgement.report["open"]
        share = left / judgement.judged
        print(
            f"{size}^3 {elements}: {judgement.verdict}, {judgement.judged} of {judgement.of} judged in "
            f"{time.perf_counter() - start:.1f} s, {judgement.failing} refused, {left} left open by the "
            f"screen ({share:.2e}), blind {judgement.blind}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=10_000_000, help="to judge in all")
    parser.add_argument("--seconds", type=float, default=240, help="after which it stops")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", type=int, default=4096, help="size of the large GEMM; 0: none")
    parser.add_argument("--reduced", action="store_true", help="allow reduced-precision reductions, as PyTorch does")
    flags = parser.parse_args()
    matmul = torch.backends.cuda.matmul
    matmul.allow_tf32 = True
    matmul.allow_fp16_reduced_precision_reduction = flags.reduced
    matmul.allow_bf16_reduced_precision_reduction = flags.reduced
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}", flush=True)
    if flags.large:
        large(flags.large)
    random = np.random.default_rng(flags.seed)
    end = time.perf_counter() + flags.seconds
    while time.perf_counter() < end and sum(f.judged for f in FORMATS) < flags.elements:
        for format in FORMATS:
            one_case(random, format)
    for format in FORMATS:
        print(
            f"{format.name:13} {format.judged:9} judged, {format.refused} refused, {format.open} left open, "
            f"{format.vacuous} vacuous, {1e9 * format.seconds / max(format.products, 1):.3f} ns a product"
        )
        for band in sorted(format.lost):
            failing, judged = format.lost[band]
            print(f"{'':13} k about {band:5}: of {judged} elements without their last term {100 * failing / judged:.1f} % refused")
    total, refused = sum(f.judged for f in FORMATS), sum(f.refused for f in FORMATS)
    print(f"{total} elements, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
