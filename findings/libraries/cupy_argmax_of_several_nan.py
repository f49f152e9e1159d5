"""cupy.argmax does not give the first NaN, as numpy.argmax does, which it implements."""
import cupy
import numpy as np

x = np.zeros((2, 9), np.float32)
x[0, [1, 2]] = x[1, [3, 8]] = np.nan
got = cupy.argmax(cupy.asarray(x), axis=1).tolist()
print(f"CuPy {cupy.__version__}: NaN at 1 and 2, 3 and 8: {got}, NumPy {np.argmax(x, axis=1).tolist()}")
raise SystemExit(got == [1, 3])
