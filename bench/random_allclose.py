"""Says how many random inputs a test with the usual tolerances needs to notice what docs/measured/findings.md lists.

    python bench/random_allclose.py --draws 1000

needs a GPU with PyTorch, Triton, JAX and CuPy. For each function, inputs are drawn from the normal distribution, as such
tests draw them, and the result is compared with F64 on the host (a cast with PyTorch's own) by
torch.testing.assert_close() and its own tolerances. Prints how many draws it refused. No NaN or infinity is ever drawn,
and -0 and subnormal numbers only where F16 and FP8 round to them: that is the point.
"""

from __future__ import annotations

import argparse
from typing import Any, Callable

import cupy
import jax
import jax.numpy as jnp
import numpy as np
import torch

from negzero.vendor import _triton_kernels as triton_kernels


def close(result: Any, right: torch.Tensor) -> bool:
    """Says whether a result is close to what is right, once that is rounded to the result's dtype."""
    result = torch.as_tensor(result)
    try:
        torch.testing.assert_close(result.cpu(), right.to(result.dtype))
    except AssertionError:
        return False
    return True


def normal(*shape: int, dtype: Any = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64).to(dtype)


def addmm(dtype: Any, device: str = "cuda", k: int = 64) -> bool:
    c, a, b = normal(64, 64, dtype=dtype), normal(64, k, dtype=dtype), normal(k, 64, dtype=dtype)
    alpha, beta = np.random.randn(2)
    right = beta * c.double() + alpha * (a.double() @ b.double())
    return close(torch.addmm(c.to(device), a.to(device), b.to(device), alpha=alpha, beta=beta), right)


def product() -> bool:
    a, b = normal(64, 4096), normal(4096, 64)
    return close(torch.mm(a.cuda(), b.cuda()), a.double() @ b.double())


@torch.compile(dynamic=True)
def compiled_mean(x: torch.Tensor) -> torch.Tensor:
    return torch.mean(x, 1)


@torch.compile(dynamic=True)
def compiled_cast(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float8_e4m3fn)


def mean() -> bool:
    x = normal(16, int(np.random.randint(3, 1003)))
    return close(compiled_mean(x.cuda()), x.double().mean(1))


def cast() -> bool:
    x = normal(1000)
    return close(compiled_cast(x.cuda()).float(), x.to(torch.float8_e4m3fn).float())


def maximum_at() -> bool:
    start, updates, index = np.random.randn(64), np.random.randn(1000), np.random.randint(0, 64, 1000)
    got, right = cupy.asarray(start), start.copy()
    cupy.maximum.at(got, cupy.asarray(index), cupy.asarray(updates))
    np.maximum.at(right, index, updates)
    return close(got.get(), torch.from_numpy(right))


def triton_sum(dtype: Any, columns: int) -> bool:
    x = normal(16, columns, dtype=dtype)
    y = torch.zeros(16, dtype=dtype, device="cuda")
    triton_kernels.along_rows("sum", x.cuda(), y, 4)
    return close(y, x.double().sum(1))


def triton_product() -> bool:
    a, b = (normal(64, 64).to(torch.float8_e4m3fn) for _ in range(2))
    d = torch.zeros(64, 64, device="cuda")
    triton_kernels.gemm(a.cuda(), b.cuda(), d, "tf32", 64, 64, 64, 4, 3)
    return close(d, a.double() @ b.double())


def triton_extreme(kind: str, out: Any) -> bool:
    x = normal(16, 300)
    y = torch.zeros(16, dtype=out, device="cuda")
    triton_kernels.along_rows(kind, x.cuda(), y, 4)
    return close(y, getattr(x.double(), {"max": "amax"}.get(kind, kind))(1))


def triton_cast() -> bool:
    x = normal(1000)
    y = torch.zeros(1000, dtype=torch.float8_e4m3fn, device="cuda")
    triton_kernels.cast(x.cuda(), y, 128)
    return close(y.float(), x.to(torch.float8_e4m3fn).float())


def triton_update(kind: str) -> bool:
    x, index, out = normal(1000), torch.randint(0, 64, (1000,)), normal(64)
    right = out.double().scatter_reduce(0, index, x.double(), {"add": "sum", "max": "amax"}[kind])
    got = out.cuda()
    triton_kernels.update(kind, x.cuda(), index.cuda(), got, 128)
    return close(got, right)


def on_jax(name: str, platform: str) -> bool:
    x = np.random.randn(4, 5000).astype(np.float32)
    got = getattr(jnp, name)(jax.device_put(x, jax.devices(platform)[0]), axis=1)
    return close(np.array(got), torch.from_numpy(np.array(getattr(np, name)(x.astype(np.float64), axis=1))))


def argmax_of_cupy() -> bool:
    x = np.random.randn(4, 500)
    return close(cupy.argmax(cupy.asarray(x), axis=1).get(), torch.from_numpy(x).argmax(1))


def sum_of_cupy() -> bool:
    x = np.random.randn(4, 500).astype(np.float32)
    return close(cupy.cumsum(cupy.asarray(x), axis=1).get(), torch.from_numpy(x).double().cumsum(1))


def index_add() -> bool:
    x, index, out = normal(100, dtype=torch.float16), torch.randint(0, 640, (100,)), normal(640, dtype=torch.float16)
    return close(out.cuda().index_add(0, index.cuda(), x.cuda()), out.double().index_add(0, index, x.double()))


ROWS: "list[tuple[str, Callable[[], bool]]]" = [
    ("cupy.maximum.at, F64", maximum_at),
    ("tl.sum, F16, 100 columns", lambda: triton_sum(torch.float16, 100)),
    ("tl.sum, F16, 4000 columns", lambda: triton_sum(torch.float16, 4000)),
    ("tl.sum, BF16, 4000 columns", lambda: triton_sum(torch.bfloat16, 4000)),
    ("torch.addmm, F32", lambda: addmm(torch.float32)),
    ("torch.addmm, F16", lambda: addmm(torch.float16)),
    ("torch.addmm, F32, CPU", lambda: addmm(torch.float32, "cpu")),
    ("torch.addmm, F16, CPU", lambda: addmm(torch.float16, "cpu")),
    ("torch.addmm, BF16, CPU", lambda: addmm(torch.bfloat16, "cpu")),
    ("torch.addmm, F16, CPU, K = 0", lambda: addmm(torch.float16, "cpu", 0)),
    ("torch.addmm, BF16, CPU, K = 0", lambda: addmm(torch.bfloat16, "cpu", 0)),
    ("torch.mm, F32, K = 4096", product),
    ("torch.mean compiled, F32", mean),
    ("torch.Tensor.to compiled, E4M3", cast),
    ("jax.numpy.max, CPU", lambda: on_jax("max", "cpu")),
    ("jax.numpy.argmax, GPU", lambda: on_jax("argmax", "gpu")),
    ("jax.numpy.sum, CPU", lambda: on_jax("sum", "cpu")),
    ("cupy.argmax", argmax_of_cupy),
    ("cupy.cumsum, F32", sum_of_cupy),
    ("torch.Tensor.to, F64 to F16", lambda: close((x := normal(1000, dtype=torch.float64)).cuda().half(), x)),
    ("torch.index_add, F16", index_add),
    ("torch.amax, F32", lambda: close((x := normal(16, 300)).cuda().amax(1), x.double().amax(1))),
    ("tl.dot, FP8", triton_product),
    ("tl.max", lambda: triton_extreme("max", torch.float32)),
    ("tl.argmax", lambda: triton_extreme("argmax", torch.int32)),
    ("tl.atomic_max, F32", lambda: triton_update("max")),
    ("tl.atomic_add, F32", lambda: triton_update("add")),
    ("tl cast, F32 to E4M3", triton_cast),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    torch.manual_seed(0)
    np.random.seed(0)
    for name, is_close in ROWS:
        print(f"{name:31} {sum(not is_close() for _ in range(draws)):5} of {draws} draws refused", flush=True)


if __name__ == "__main__":
    main()
