"""Triton's autotuner chooses among configurations that negzero accepts: early_config_prune runs each of them once.

The kernel masks no tail of K, so configurations whose BLOCK_K does not divide K read beyond rows. The fastest of them
would win.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

import negzero

CONFIGURATIONS = [triton.Config({"BLOCK_K": block}, num_warps=warps) for block in (32, 64, 128) for warps in (2, 4)]


def accepted(configurations: "list[Any]", named: "dict[str, Any]", **words: Any) -> "list[Any]":
    """Keeps the configurations whose result is permitted, and prints why others are not."""
    a, b, d = named["a"], named["b"], named["d"]
    kept = []
    for each in configurations:
        d.fill_(float("nan"))
        matmul.fn[(a.shape[0] // 32, b.shape[1] // 32)](
            *(named[name] for name in ("a", "b", "d", "N", "K")), num_warps=each.num_warps, **each.kwargs
        )
        answer = negzero.accept(d, "gemm", a=a, b=b, contract=CONTRACT)
        print(each.kwargs, each.num_warps, "accepted" if answer else answer.reason)
        if answer:
            kept.append(each)
    return kept


CONTRACT = negzero.contract_of("triton.language.dot", ("F16", "F16", "F32"))


@triton.autotune(CONFIGURATIONS, key=["N", "K"], prune_configs_by={"early_config_prune": accepted})
@triton.jit
def matmul(a, b, d, N, K, BLOCK_K: tl.constexpr):  # type: ignore[no-untyped-def]
    """d[m, n] <- sum over k of a[m, k] * b[k, n], of tiles of 32 by 32."""
    m, n = tl.program_id(0) * 32 + tl.arange(0, 32), tl.program_id(1) * 32 + tl.arange(0, 32)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((32, 32), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(d + m[:, None] * N + n[None, :], total)


def main() -> None:
    """Multiplies 64 by 96 by 64, and prints which configurations were accepted and which one was chosen."""
    torch.manual_seed(0)
    # Behind each operand lie numbers that belong to somebody else, as in a model's memory.
    memory = torch.randn(2, 64 * 1024, device="cuda").half()
    a, b = memory[0, : 64 * 96].view(64, 96), memory[1, : 96 * 64].view(96, 64)
    d = torch.empty(64, 64, device="cuda")
    matmul[(2, 2)](a, b, d, 64, 96)
    print("chosen:", matmul.best_config)
    negzero.assert_permitted(d, "gemm", a=a, b=b, contract=CONTRACT)


if __name__ == "__main__":
    main()
