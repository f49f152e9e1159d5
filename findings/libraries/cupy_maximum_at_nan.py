"""cupy.maximum.at passes over NaN, which cupy.maximum and numpy.maximum.at give."""
import cupy
import numpy as np

for dtype in (np.float32, np.float64):
    got, index, nan = cupy.array([-1.0], dtype), cupy.array([0]), cupy.array([np.nan], dtype)
    expected = np.array([-1.0], dtype)
    np.maximum.at(expected, [0], np.nan)
    elementwise = cupy.maximum(got, nan)
    cupy.maximum.at(got, index, nan)
    print(f"CuPy {cupy.__version__}, {dtype.__name__}: maximum.at {got}, maximum {elementwise}, NumPy's {expected}")
raise SystemExit(bool(cupy.isnan(got).any()))
