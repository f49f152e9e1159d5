"""jax.numpy.max on the CPU loses the NaN of an array of 4,096 elements and more. "NaN values are propagated" (numpy.max)."""
import jax
import jax.numpy as jnp
import numpy as np

cpu, lost = jax.devices("cpu")[0], {}
for count in (4095, 4096, 100_000):
    x = np.zeros(count, np.float32)
    x[count // 2] = np.nan
    lost[count] = not np.isnan(jnp.max(jax.device_put(x, cpu)))
print(f"JAX {jax.__version__}: NaN lost by number of elements: {lost}; numpy.max gives {np.max(x)}")
raise SystemExit(not lost[4096])
