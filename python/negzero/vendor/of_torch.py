"""PyTorch's products, reductions, scans, scatters and conversions on a GPU, and where the variant is `cpu` on the host.

Variants are switches of torch.backends.cuda.matmul (`tf32`, `f16_sums`, `whole`: no reduced-precision reduction), the
batch of which the function is given one (`of_one`), `out` for a result that is written to a tensor of the caller's,
`compiled` for what torch.compile() makes of the function, and `invariant`: held to giving an element the same bits among
any rows and columns, which PyTorch does not promise.
"""

from __future__ import annotations

import functools
from typing import Any

from negzero.vendor._register import CONVERSIONS, dtype_name, each, register

NO_REDUCED = {f"allow_{each}_reduced_precision_reduction": False for each in ("fp16", "bf16")}
BATCH = {"batch": (0, 5)}
#: Of a row without elements there is no greatest: these raise an IndexError that says so.
SOME = {"columns": (1, 1 << 20)}
PLACES = each(1, "I64")


def _torch(**switches: bool) -> Any:
    """Imports PyTorch, in the kernel's own process, and sets its switches."""
    import torch

    for name, value in switches.items():
        setattr(torch.backends.cuda.matmul, name, value)
    return torch


def mm_with(**switches: bool) -> Any:
    """Returns torch.mm with switches set."""

    def mm(a, b):
        return _torch(**switches).mm(a, b)

    return mm


def mm_out(a, b, d):
    _torch().mm(a, b, out=d)


def bmm(a, b):
    return _torch().bmm(a, b)


def bmm_of_one(a, b):
    return _torch().bmm(a[None], b[None])[0]


def matmul(a, b):
    return _torch().matmul(a, b)


def addmm(a, b, c, alpha, beta):
    return _torch().addmm(c, a, b, alpha=float(alpha), beta=float(beta))


def baddbmm(a, b, c, alpha, beta):
    return _torch().baddbmm(c, a, b, alpha=float(alpha), beta=float(beta))


def along_rows(name: str) -> Any:
    """Returns a reduction or scan of the last dimension."""

    def function(x):
        return getattr(_torch(), name)(x, 1)

    function.__name__ = name
    return function


def maximum_alone(x):
    return _torch().max(x, 1).values


def index_add(x, index, init):
    return _torch().index_add(init, 0, index, x)


def scatter_add(x, index, init):
    return _torch().scatter_add(init, 0, index.long(), x)


def scatter_reduce(reduce: str) -> Any:
    """Returns torch.scatter_reduce of one kind."""

    def function(x, index, init):
        return _torch().scatter_reduce(init, 0, index.long(), x, reduce)

    return function


def converts(target: str) -> Any:
    """Returns the conversion to a format."""
    def to(x):
        return x.to(getattr(_torch(), dtype_name(target)))

    return to


def same(function: Any) -> Any:
    """Returns the function, which runs as it is written."""
    return function


def compiled(function: Any) -> Any:
    """Returns what torch.compile() makes of a function, for tensors of all sizes: an error where it would give up."""
    made: "list[Any]" = []

    @functools.wraps(function)
    def call(**operands):
        if not made:
            import torch

            torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1 << 12
            torch._dynamo.config.fail_on_recompile_limit_hit = True
            torch._inductor.config.compile_threads = 1  # others would be processes of their own
            made.append(torch.compile(function, dynamic=True, fullgraph=True))
        return made[0](**operands)

    return call


def add(function: str, operation: str, call: Any, formats: Any, **rest: Any) -> None:
    register(function, operation, call, formats, arrays="torch", **rest)


PRODUCTS = each(3)
add("torch.mm", "gemm", mm_with(allow_tf32=False), PRODUCTS)
add("torch.mm", "gemm", mm_with(allow_tf32=True), [("F32",) * 3], variant="tf32", words={"allow_tf32": True})
add("torch.mm", "gemm", mm_with(**NO_REDUCED), each(3, formats=("F16", "BF16")), variant="whole", words=NO_REDUCED)
add("torch.mm", "gemm", mm_with(allow_fp16_accumulation=True), [("F16",) * 3], variant="f16_sums",
    words={"allow_fp16_accumulation": True})  # fmt: skip
# Where K is large the number of rows decides how a product is computed.
add("torch.mm", "gemm", mm_with(allow_tf32=False), PRODUCTS, variant="invariant", contract={"position_invariant": True},
    limits={"m": (1, 1024), "n": (1, 64), "k": (256, 4096)},
    about="torch.mm, held to the same bits of an element among any rows and columns, which it does not promise")  # fmt: skip
add("torch.mm", "gemm", mm_out, PRODUCTS, variant="out", limits={"output": {"broadcast": False}})
add("torch.mm", "gemm", mm_with(), PRODUCTS, variant="cpu", device="cpu")
add("torch.bmm", "gemm", bmm, PRODUCTS, limits=BATCH)
add("torch.bmm", "gemm", bmm_of_one, PRODUCTS, variant="of_one")
add("torch.matmul", "gemm", matmul, PRODUCTS, limits=BATCH)
add("torch.addmm", "gemm", addmm, PRODUCTS)
add("torch.addmm", "gemm", addmm, PRODUCTS, variant="cpu", device="cpu")
add("torch.baddbmm", "gemm", baddbmm, PRODUCTS, limits=BATCH)

add("torch.mm", "gemm", compiled(mm_with()), PRODUCTS, variant="compiled")
add("torch.bmm", "gemm", compiled(bmm), PRODUCTS, variant="compiled", limits=BATCH)

for device, variant, made in (("cuda", "", same), ("cpu", "cpu", same), ("cuda", "compiled", compiled)):
    for name, operation, limits in (("sum", "reduce.sum", None), ("mean", "reduce.mean", None),
                                    ("amax", "reduce.max", SOME), ("amin", "reduce.min", SOME)):  # fmt: skip
        add(f"torch.{name}", operation, made(along_rows(name)), each(2), device=device, variant=variant,
            limits=limits)  # fmt: skip
    add("torch.max", "reduce.max_index", made(along_rows("max")), each(2, "I64"), device=device,
        variant=variant, limits=SOME)  # fmt: skip
    for name in ("argmax", "argmin"):
        add(f"torch.{name}", f"reduce.{name}", made(along_rows(name)), PLACES, device=device,
            variant=variant, limits=SOME)  # fmt: skip
    add("torch.cumsum", "scan.inclusive", made(along_rows("cumsum")), each(2), device=device, variant=variant)
    for formats in CONVERSIONS:
        add("torch.Tensor.to", "convert", made(converts(formats[1])), [formats], device=device,
            variant=variant)  # fmt: skip
add("torch.amax", "reduce.max", maximum_alone, each(2), variant="max_values", limits=SOME,
    about="torch.max(x, 1).values, held to what torch.amax promises")  # fmt: skip

for variant, made in (("", same), ("compiled", compiled)):
    add("torch.index_add", "scatter.add", made(index_add), each(1), variant=variant)
    add("torch.scatter_add", "scatter.add", made(scatter_add), each(1), variant=variant)
    for reduce, kind in (("sum", "add"), ("amax", "max"), ("amin", "min")):
        add("torch.scatter_reduce", f"scatter.{kind}", made(scatter_reduce(reduce)), each(1),
            variant=".".join(part for part in (reduce, variant) if part), words={"reduce": reduce})  # fmt: skip
