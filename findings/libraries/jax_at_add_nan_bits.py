"""jax: x.at[i].add() of BF16 on the CPU changes the bits of a NaN that no index names; in F16 and F32 it does not."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

changed = {}
for dtype, nan in ((ml_dtypes.bfloat16, 0x7FC1), (np.float16, 0x7E01), (np.float32, 0x7FC00001)):
    bits = f"uint{8 * np.dtype(dtype).itemsize}"
    x = jax.device_put(np.array([nan, 0, nan], bits).view(dtype), jax.devices("cpu")[0])
    moved = np.asarray(x).view(bits).tolist()
    added = np.asarray(x.at[jnp.array([1])].add(jnp.ones(1, x.dtype))).view(bits).tolist()
    changed[np.dtype(dtype).name] = [hex(each) for each in added]
    assert moved[0] == moved[2] == nan
print(f"JAX {jax.__version__}, NaN 0 NaN with 1 added in the middle:", changed)
raise SystemExit(changed["bfloat16"][0] == hex(0x7FC1))
