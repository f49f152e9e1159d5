"""jax.numpy.argmax on a GPU gives another NaN than the first, which numpy.argmax gives, and jax.numpy.argmax on the CPU."""
import jax
import jax.numpy as jnp
import numpy as np

x = np.zeros((3, 4096), np.float32)
x[0, [1, 2]] = x[1, [1365, 2048]] = x[2, [136, 4091]] = np.nan
got = {each.platform: jnp.argmax(jax.device_put(x, each), axis=1).tolist() for each in (jax.devices("cpu")[0], jax.devices()[0])}
print(f"JAX {jax.__version__}: {got}, NumPy {np.argmax(x, axis=1).tolist()}")
raise SystemExit(all(each == np.argmax(x, axis=1).tolist() for each in got.values()))
