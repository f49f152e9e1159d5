"""jax.numpy.argmax on a GPU: of several NaN in a long row it gives another than the first.

https://docs.jax.dev/en/latest/_autosummary/jax.numpy.argmax.html: where the maximum occurs more than once, the smallest
index is returned. Whether NaN counts so is not said, so that negzero decides nothing; numpy.argmax, which this function
implements, gives the first NaN.
"""

import jax
import jax.numpy as jnp
import negzero
import numpy as np

print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}")
for columns in (16, 64, 256, 600, 1200, 4096):
    for first, second in ((1, 2), (columns // 3, columns // 2), (columns // 30, columns - 5)):
        x = np.zeros((2, columns), np.float32)
        x[:, [first, second]] = np.nan
        at = jnp.argmax(jnp.asarray(x), axis=1)
        verdict = negzero.judge(at, jnp.argmax, jnp.asarray(x), axis=1).verdict
        print(
            f"{columns:5} columns, NaN at {first} and {second}: {at.tolist()}, "
            f"numpy {np.argmax(x, axis=1).tolist()}, {verdict}"
        )
