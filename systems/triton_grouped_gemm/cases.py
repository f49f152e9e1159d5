"""The groups that the test multiplies: shapes that fill tiles and shapes that do not, and values of three sizes. The
kernel's variants, and their contract."""

from __future__ import annotations

import numpy as np

#: What its author knows: tensor cores of Hopper add the products, and nothing splits K.
CONTRACT = {"tensor_core": "only", "unit": "hopper", "slices": 1}
VARIANTS = {"f32": {}, "descending": {"order": "descending"}, "f16": {"accumulator": "F16"}}

SHAPES = {"square": (64, 32, 256), "ragged": (17, 45, 301), "one_row": (1, 24, 1000), "long": (48, 64, 2048)}
#: Standard deviation of the factors. With "large" ones a result of FP16 has steps of 1 and more; with "small" ones all
#: results are below 0.01.
SIZES = {"large": 8.0, "normal": 1.0, "small": 0.002}


def groups(size: str) -> "dict[str, tuple[np.ndarray, np.ndarray]]":
    """Returns A and B of each group, by the name of its shape."""
    random = np.random.default_rng(6544)
    made = {}
    for name, (m, n, k) in SHAPES.items():
        a, b = (SIZES[size] * random.standard_normal(shape) for shape in ((m, k), (k, n)))
        made[name] = (a.astype(np.float16), b.astype(np.float16))
    return made
