"""cupy.maximum.at of F64 gives another number than either of the two; numpy.maximum.at the greater one."""
import cupy
import numpy as np

pairs = [(1.0, 1.0 + 2.0**-52), (1e200, 1e233), (-1.0, -1e300)]
start, updates = (np.array(each) for each in zip(*pairs))
index = np.arange(len(pairs))
expected = start.copy()
np.maximum.at(expected, index, updates)
got = cupy.asarray(start)
cupy.maximum.at(got, cupy.asarray(index), cupy.asarray(updates))
print(f"CuPy {cupy.__version__}: {got.get().tolist()}, NumPy {expected.tolist()}")
raise SystemExit(got.get().tolist() == expected.tolist())
