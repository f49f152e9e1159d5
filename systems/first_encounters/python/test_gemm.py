import negzero, numpy as np
def gemm(a, b, d):
    d[...] = 0
    for k in range(0, a.shape[1] // 16 * 16, 16):
        d += a[:, k:k + 16].astype(np.float32) @ b[k:k + 16].astype(np.float32)
def test_gemm():
    negzero.check(gemm, "gemm", formats=("F16", "F16", "F32"))
