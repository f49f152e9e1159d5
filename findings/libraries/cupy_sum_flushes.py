"""cupy.sum and cupy.cumsum of F32 take subnormal numbers for zeros; NumPy's do not."""
import cupy
import numpy as np

x = np.full((3, 5), 2.0**-140, np.float32)
on_gpu = cupy.asarray(x)
got = {"sum": float(cupy.sum(on_gpu)), "sum of rows": cupy.sum(on_gpu, axis=1).tolist(),
       "sum of columns": cupy.sum(on_gpu.T, axis=1).tolist(), "strided": cupy.sum(on_gpu[:, ::2], axis=1).tolist(),
       "cumsum": cupy.cumsum(on_gpu[0]).tolist(), "cast": cupy.asarray(x, "float64").tolist()[0][:1],
       "astype": on_gpu.astype("float64").tolist()[0][:1]}
print(f"CuPy {cupy.__version__}: {got}, 5 x 2^-140 is {5 * 2.0**-140!r}")
raise SystemExit(not any(np.any(np.array(each) == 0) for each in got.values()))
