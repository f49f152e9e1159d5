"""jax.numpy.sum on the CPU takes subnormal numbers of F32 for zeros; on a GPU and in NumPy they count."""
import jax
import jax.numpy as jnp
import numpy as np

x = np.full((4, 4), 2.0**-140, np.float32)
got = {each.platform: float(jnp.sum(jax.device_put(x, each))) for each in (jax.devices("cpu")[0], jax.devices()[0])}
print(f"JAX {jax.__version__}: 16 x 2^-140: {got}, NumPy {float(np.sum(x))!r}")
raise SystemExit(all(each != 0 for each in got.values()))
