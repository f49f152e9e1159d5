"""Calls functions of libraries on more than 2^31 elements, and compares with what follows from how they were made.

    python bench/large_extents.py torch|jax|cupy

Elements are zeros but for 1, 2, 4 and 8 at four places: the first, the last below 2^31, the first above, and the last.
Sums, scans and selections of those are exact in each format. Needs a GPU with 40 GB. Prints a line a function, and
exits with 1 where one is wrong.
"""

from __future__ import annotations

import importlib
import itertools
import os
import subprocess
import sys
from typing import Any, Callable
from collections.abc import Iterator

#: Elements: 2^31 and some, no multiple of a tile.
COUNT = (1 << 31) + 1031
PLACES = (0, (1 << 31) - 1, 1 << 31, COUNT - 1)
VALUES = (1.0, 2.0, 4.0, 8.0)
#: Rows and columns of a matrix with more than 2^31 elements.
ROWS, COLUMNS = (1 << 16) + 1, (1 << 15) + 1


#: Exit code of a process for a check that is not there.
NO_SUCH = 3


class Library:
    """What the arrays of a library are made and read by."""

    def __init__(self, name: str) -> None:
        self.module = importlib.import_module("jax.numpy" if name == "jax" else name)
        self.name = name

    def dtype(self, name: str) -> Any:
        return getattr(self.module, name)

    def zeros(self, shape: "tuple[int, ...]", dtype: str) -> Any:
        where = {"device": "cuda"} if self.name == "torch" else {}
        return self.module.zeros(shape, dtype=self.dtype(dtype), **where)

    def array(self, values: Any, dtype: str) -> Any:
        if self.name == "torch":
            return self.module.tensor(values, dtype=self.dtype(dtype), device="cuda")
        return self.module.asarray(values, dtype=self.dtype(dtype))

    def put(self, array: Any, place: Any, value: float) -> Any:
        if self.name == "jax":
            return array.at[place].set(value)
        array[place] = value
        return array

    def marked(self, dtype: str) -> Any:
        array = self.zeros((COUNT,), dtype)
        for place, value in zip(PLACES, VALUES):
            array = self.put(array, place, value)
        return array

    def read(self, array: Any) -> "list[float]":
        """Returns the elements at the places, one by one: no kernel of many elements has a part in it."""
        return [float(array[place]) for place in PLACES]


def checks(of: Library, dtype: str) -> "Iterator[Any]":
    """Yields names of calls, the calls, and what each gives."""
    m, axis = of.module, {"torch": "dim"}.get(of.name, "axis")
    wider = "float32" if dtype == "float16" else "float16"

    def lined(name: str) -> Any:
        return getattr(m, name)(of.marked(dtype)[None], **{axis: 1})

    yield "sum", lambda: float(lined("sum")[0]), 15.0
    yield ("amax" if of.name == "torch" else "max"), lambda: float(lined("amax")[0]), 8.0
    yield "argmax", lambda: int(lined("argmax")[0]), COUNT - 1
    yield "argmin", lambda: int(getattr(m, "argmin")(-of.marked(dtype)[None], **{axis: 1})[0]), COUNT - 1
    yield "cumsum", lambda: of.read(lined("cumsum")[0]), [1.0, 3.0, 7.0, 15.0]
    to = (lambda x: x.to(of.dtype(wider))) if of.name == "torch" else (lambda x: x.astype(of.dtype(wider)))
    yield f"conversion to {wider}", lambda: of.read(to(of.marked(dtype))), list(VALUES)
    last = (ROWS - 1, COLUMNS - 1)

    def factor() -> Any:
        return of.put(of.zeros((ROWS, COLUMNS), dtype), last, 3.0)

    yield "matmul of a large A", lambda: float((factor() @ (of.zeros((COLUMNS, 8), dtype) + 2))[ROWS - 1, 7]), 6.0
    tall = lambda: of.zeros((ROWS, 16), dtype) + 1  # noqa: E731
    wide = lambda: of.put(of.zeros((16, COLUMNS), dtype), (3, COLUMNS - 1), 5.0)  # noqa: E731
    yield "matmul to a large D", lambda: float((tall() @ wide())[last]), 5.0
    for name, call in updates(of, dtype):
        doubles = "add" in name or "sum" in name
        yield name, lambda call=call: of.read(call()), [2 * value for value in VALUES] if doubles else list(VALUES)


def updates(of: Library, dtype: str) -> "Iterator[tuple[str, Callable[[], Any]]]":
    """Yields updates of the four places by the values that are there."""
    x, index = of.array(VALUES, dtype), of.array(PLACES, "int64")
    if of.name == "torch":
        yield "index_add", lambda: of.marked(dtype).index_add(0, index, x)
        yield "scatter_add", lambda: of.marked(dtype).scatter_add(0, index, x)
        yield "scatter_reduce amax", lambda: of.marked(dtype).scatter_reduce(0, index, x, "amax")
    elif of.name == "jax":
        yield "at[].add", lambda: of.marked(dtype).at[index].add(x)
        yield "at[].max", lambda: of.marked(dtype).at[index].max(x)
        ops = importlib.import_module("jax.ops")
        yield "ops.segment_sum, twice", lambda: 2 * ops.segment_sum(x, index, num_segments=COUNT)
    else:

        def at(name: str) -> Any:
            array = of.marked(dtype)
            getattr(of.module, name).at(array, index, x)
            return array

        yield "add.at", lambda: at("add")
        if dtype != "float16":
            yield "maximum.at", lambda: at("maximum")


def checked(name: str, dtype: str, number: int) -> "tuple[str, bool] | None":
    """Makes a check in this process. Returns what to print, and whether it is right; nothing where there is no such."""
    for at, (called, call, expected) in enumerate(checks(Library(name), dtype)):
        if at != number:
            continue
        try:
            found = call()
        except Exception as error:  # whatever a library raises is what is shown of it
            found = f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
        is_right = found == expected
        return f"{name} {dtype} {called}: {'right' if is_right else f'gives {found}, not {expected}'}", is_right
    return None


def main() -> int:
    if len(sys.argv) == 4:
        answer = checked(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        print(answer[0] if answer else "", flush=True)
        os._exit(NO_SUCH if answer is None else int(not answer[1]))  # a lost device makes some endings fail
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in ("torch", "jax", "cupy"):
        print(f"large_extents.py: {name!r}; give torch, jax or cupy", file=sys.stderr)
        return 2
    environment = {**os.environ, "JAX_ENABLE_X64": "1", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    wrong = 0
    for dtype in ("float16", "float32"):
        for number in itertools.count():
            # In a process of its own: after an illegal access the device is lost to it.
            ran = subprocess.run([sys.executable, __file__, name, dtype, str(number)], env=environment, stdout=subprocess.PIPE,
                                 text=True, check=False)  # fmt: skip
            if ran.returncode == NO_SUCH:
                break
            wrong += ran.returncode != 0
            print(ran.stdout.strip() or f"{name} {dtype} {number}: ended with {ran.returncode}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
