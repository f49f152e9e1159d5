"""jax.numpy.max on the CPU: an array of 4,096 elements and more loses its NaN.

jax.numpy.max implements numpy.max (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.max.html), whose documentation
says that NaN values are propagated (https://numpy.org/doc/stable/reference/generated/numpy.max.html).
"""

import jax
import jax.numpy as jnp
import negzero
import numpy as np

cpu = jax.devices("cpu")[0]
print(f"JAX {jax.__version__}, {cpu.device_kind}")
for rows, columns in ((15, 256), (16, 256), (1, 4095), (1, 4096), (32, 1024)):
    x = np.ones((rows, columns), np.float32)
    x[:, 7] = np.nan
    on_cpu = jax.device_put(x, cpu)
    for function in (jnp.max, jnp.min):
        y = function(on_cpu, axis=1)
        judgement = negzero.judge(y, function, on_cpu, axis=1)
        print(
            f"{rows:3} x {columns:4}  {function.__name__}: {int(jnp.isnan(y).sum()):2} of {rows} rows are NaN, "
            f"{judgement.verdict}"
        )
