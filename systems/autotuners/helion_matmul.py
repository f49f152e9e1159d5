"""helion's autotuner checks each configuration by negzero: autotune_baseline_accuracy_check_fn has what it computed."""

from __future__ import annotations

import helion
import helion.language as hl
import torch

import negzero

torch.manual_seed(0)
A, B = (torch.randn(128, 128, device="cuda").half() for _ in range(2))
CONTRACT = negzero.contract_of("triton.language.dot", ("F16", "F16", "F32"))


def permitted(actual: object, expected: object) -> None:
    """Raises AssertionError, which helion takes for a configuration that is wrong."""
    answer = negzero.accept(actual, "gemm", a=A, b=B, contract=CONTRACT)
    print("accepted" if answer else answer.reason)
    if not answer:
        raise AssertionError(answer.reason)


CONFIGURATIONS = [helion.Config(block_sizes=[64, 64, k], num_warps=4, num_stages=s) for k in (32, 64) for s in (1, 2)]


@helion.kernel(configs=CONFIGURATIONS, autotune_baseline_accuracy_check_fn=permitted, static_shapes=True)
def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """d[m, n] <- sum over k of a[m, k] * b[k, n] in F32."""
    m, k = a.size()
    n = b.size(1)
    d = torch.empty([m, n], dtype=torch.float32, device=a.device)
    for tile_m, tile_n in hl.tile([m, n]):
        total = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            total = hl.dot(a[tile_m, tile_k], b[tile_k, tile_n], acc=total)
        d[tile_m, tile_n] = total
    return d


if __name__ == "__main__":
    negzero.assert_permitted(matmul(A, B), "gemm", a=A, b=B, contract=CONTRACT)
