"""A GEMM in NumPy that works through K in tiles of 16, and forgets what is left of K behind the last whole tile.

python numpy_gemm.py
"""

import negzero
import numpy as np

TILE = 16


def tiled_gemm(a, b, d):
    """Writes a @ b to d, in F32."""
    d[...] = 0
    for start in range(0, a.shape[1] // TILE * TILE, TILE):
        stop = start + TILE
        with np.errstate(all="ignore"):
            d += a[:, start:stop].astype(np.float32) @ b[start:stop].astype(np.float32)


if __name__ == "__main__":
    print(negzero.check(tiled_gemm, "gemm", formats=("F16", "F16", "F32")))
