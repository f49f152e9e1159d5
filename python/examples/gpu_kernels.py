"""Two kernels of a GPU, each checked in a process of its own: PyTorch's product of F16, and a row sum in Triton.

negzero check --kernels gpu_kernels.py
"""

import negzero
import torch
import triton
import triton.language as tl


# A sum may be made of slices, which are stored in the output's format (torch.backends.cuda.matmul).
@negzero.kernel("gemm", name="torch_mm", formats=("F16", "F16", "F16"), arrays="torch", device="cuda",
                contract={"tensor_core": "may", "slice_format": "F16"})  # fmt: skip
def product(a, b):
    """Returns a @ b in F16."""
    return torch.mm(a, b)


@triton.jit
def row_sum_kernel(x, y, columns, row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    places = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        total += tl.load(x + row * row_stride + start + places, mask=start + places < columns, other=0)
    tl.store(y + row, tl.sum(total))


@negzero.kernel("reduce.sum", name="triton_sum", formats=("F32", "F32"), arrays="torch", device="cuda",
                contract="f32", limits={"inputs": "packed", "output": "packed"})  # fmt: skip
def row_sum(x, y):
    """Writes the sums of the rows of x to y."""
    rows, columns = x.shape
    if rows:
        row_sum_kernel[(rows,)](x, y, columns, x.stride(0), BLOCK=128)
