"""A row sum in Triton whose last block reads past the end of the row. Needs a GPU.

python triton_sum.py
"""

import negzero
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x, y, columns, row_stride, column_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    places = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        # The mask that is missing: mask=start + places < columns, other=0
        total += tl.load(x + row * row_stride + (start + places) * column_stride)
    tl.store(y + row * y_stride, tl.sum(total))


def row_sum(x, y):
    """Writes the sums of the rows of x to y."""
    rows, columns = x.shape
    if rows:
        row_sum_kernel[(rows,)](x, y, columns, *x.stride(), y.stride(0), BLOCK=128)


if __name__ == "__main__":
    print(negzero.check(row_sum, "reduce.sum", arrays="torch", device="cuda", shapes=16))
