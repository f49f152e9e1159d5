"""Writes the tables of docs/measured/orders.md: the orders in which functions of libraries add, on the CPU or a GPU.

    PYTHONPATH=python NEGZERO_LIBRARY=build/default/src/negzero/c/libnegzero.so python bench/orders.py [cpu|cuda]

Each tree is proved a second time: random numbers are added along it, and the bits are compared with the function's own.
Factors have few bits, so that their products are exact, fused or not. A framework that is not installed has no rows.
"""

import functools
import importlib
import sys

import negzero
import numpy as np

LENGTHS = (96, 256, 1000)
PROOFS = 200


def cases():
    """Yields the name of each function, the function, its operands, a dtype and the framework."""
    for dtype in (np.float32, np.float64, np.float16):
        yield "numpy.sum", np.sum, 1, dtype, "numpy"
    yield "numpy.cumsum(x)[-1]", lambda x: np.cumsum(x)[-1], 1, np.float32, "numpy"
    yield "sum", sum, 1, np.float32, "numpy"
    yield "numpy.sum(axis=0)", lambda x: np.sum(np.stack([x, x], 1), axis=0)[0], 1, np.float32, "numpy"
    for dtype in (np.float32, np.float64):
        yield "numpy.dot", np.dot, 2, dtype, "numpy"
    yield "numpy.einsum('i,i->')", lambda a, b: np.einsum("i,i->", a, b), 2, np.float32, "numpy"
    try:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        for dtype in (np.float32, np.float64):
            yield "jax.numpy.sum", jax.numpy.sum, 1, dtype, "jax"
        yield "jax.numpy.cumsum(x)[-1]", lambda x: jax.numpy.cumsum(x)[-1], 1, np.float32, "jax"
        yield "jax.numpy.dot", jax.numpy.dot, 2, np.float32, "jax"
    except ImportError:
        pass
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        for dtype in (np.float32, np.float64):
            yield "torch.sum", torch.sum, 1, dtype, "torch"
        yield "torch.cumsum(x, 0)[-1]", lambda x: torch.cumsum(x, 0)[-1], 1, np.float32, "torch"
        yield "torch.dot", torch.dot, 2, np.float32, "torch"
        yield "torch.nn.functional.linear", torch.nn.functional.linear, 2, np.float32, "torch"
    except ImportError:
        pass


def cases_on_gpu():
    """The same on a GPU; a product of PyTorch or CuPy is that of cuBLAS."""
    try:
        torch = importlib.import_module("torch")
        torch.backends.cuda.matmul.allow_tf32 = False
        for dtype in (np.float32, np.float64, np.float16):
            yield "torch.sum", torch.sum, 1, dtype, "torch"
        yield "torch.cumsum(x, 0)[-1]", lambda x: torch.cumsum(x, 0)[-1], 1, np.float32, "torch"
        yield "torch.sum(x, 1)", lambda x: torch.sum(torch.stack([x, x]), 1)[0], 1, np.float32, "torch"
        for dtype in (np.float32, np.float64):
            yield "torch.dot", torch.dot, 2, dtype, "torch"
            yield "torch.mv", lambda a, b: torch.mv(a[None, :], b)[0], 2, dtype, "torch"
            yield "torch.mm", lambda a, b: torch.mm(a[None, :], b[:, None])[0, 0], 2, dtype, "torch"
    except ImportError:
        pass
    try:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        for dtype in (np.float32, np.float64):
            yield "jax.numpy.sum", jax.numpy.sum, 1, dtype, "jax"
        exact = functools.partial(jax.numpy.dot, precision="highest")
        yield "jax.numpy.dot(precision='highest')", exact, 2, np.float32, "jax"
    except ImportError:
        pass
    try:
        cupy = importlib.import_module("cupy")
        yield "cupy.sum", cupy.sum, 1, np.float32, "cupy"
        yield "cupy.dot", cupy.dot, 2, np.float32, "cupy"
    except ImportError:
        pass


def to_arrays(name, device):
    """Returns the functions that make arrays of a framework, and what comes back of them for NumPy."""
    if name == "torch":
        torch = importlib.import_module("torch")
        return lambda x: torch.from_numpy(x).to(device), lambda y: y.cpu().numpy()
    if name == "cupy":
        cupy = importlib.import_module("cupy")
        return cupy.asarray, cupy.asnumpy
    return np.asarray, np.asarray


def proved(found, fn, operands, dtype, name, device):
    """Returns how many sums of random numbers have the bits of sums along the tree, of how many; where not all have
    them, also of sums in float64 along it."""
    random = np.random.default_rng(7)
    to_array, to_numpy = to_arrays(name, device)
    # NumPy adds float16 in float32, and rounds once.
    wider = {"": np.float32 if dtype == np.float16 else dtype, " in float64": np.float64}
    same, tried = dict.fromkeys(wider, 0), 0
    for at in found.lengths:
        for _ in range(PROOFS // len(found.lengths)):
            scale = 2.0 ** random.integers(-8, 8, at.length)
            if operands == 1:
                terms = (random.standard_normal(at.length) * scale).astype(dtype)
                result = fn(to_array(terms))
            else:
                a, b = ((random.integers(-500, 500, at.length) * each).astype(dtype) for each in (scale, 1))
                terms, result = a * b, fn(to_array(a), to_array(b))
            for words, wide in wider.items():
                same[words] += (
                    dtype(at.added(terms.astype(wide))).tobytes() == np.asarray(to_numpy(result), dtype).tobytes()
                )
            tried += 1
    shown = [words for words in wider if words == "" or same[""] < tried]
    return ", ".join(f"{same[words]} of {tried}{words}" for words in shown)


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    print("| function | dtype | depth at 96, 256, 1000 | formula | same shape | sums with the same bits |")
    print("|---|---|---|---|---|---|")
    for name, fn, operands, dtype, arrays in cases() if device == "cpu" else cases_on_gpu():
        where = device if arrays == "torch" else None
        found = negzero.order_of(fn, LENGTHS, dtype=dtype, operands=operands, arrays=arrays, device=where)
        depths = ", ".join(str(found.depths[length]) for length in LENGTHS)
        formula = "none" if found.formula is None else f"{'' if found.is_exact else 'at most '}`{found.formula}`"
        has_tree = found.depth is not None
        bits = proved(found, fn, operands, dtype, arrays, where) if has_tree else found.lengths[-1].problem
        same = {True: "yes", False: "no", None: "-"}[found.same_shape]
        print(f"| `{name}` | {np.dtype(dtype).name} | {depths} | {formula} | {same} | {bits} |", flush=True)


if __name__ == "__main__":
    main()
