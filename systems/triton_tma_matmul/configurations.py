"""The grid of configurations (format, how A and B lie in memory, tile, warps, loop), and the contract of each.

Imports no framework.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

FORMATS = ("F16", "BF16", "F32", "F8_E4M3", "F8_E5M2")
SIZES = {"F16": 2, "BF16": 2, "F32": 4, "F8_E4M3": 1, "F8_E5M2": 1}
STAGES = 3
LOOPS = ("plain", "specialized")
SMALL, LARGE = (64, 64, 32), (128, 128, 32)
#: Tile, warps, loop. The last two are there to be refused: a product of F8 needs 32 of K, and three stages of a tile of
#: F32 that deep need more shared memory than an H100 has.
LAUNCHES = (
    *itertools.product((SMALL, LARGE), (4, 8), LOOPS),
    ((64, 64, 16), 4, "plain"),
    ((128, 128, 64), 8, "plain"),
)
#: Hopper's tensor cores sum the products, and nothing splits K. wgmma drops the low 13 bits of F32 (docs/explanation/numerics.md
#: section 6), and Triton converts nothing before it.
CORES = {"tensor_core": "only", "unit": "hopper", "slices": 1}


@dataclass(frozen=True)
class Configuration:
    """One way to multiply. `a_is_transposed`: A lies in memory as K x M, else as M x K; `b_is_transposed`: B as N x K,
    else as K x N."""

    format: str
    a_is_transposed: bool
    b_is_transposed: bool
    tile: "tuple[int, int, int]"  #: elements of M, N and K
    warps: int
    loop: str  #: "plain", or "specialized": tl.range(warp_specialize=True)

    @property
    def layout(self) -> str:
        """Returns "a_row.b_col": row-major, or column-major, which is the transposed matrix in rows."""
        return ".".join(
            f"{name}_{'col' if is_transposed else 'row'}"
            for name, is_transposed in (("a", self.a_is_transposed), ("b", self.b_is_transposed))
        )

    @property
    def launch(self) -> str:
        """Returns "64x64x32.warps4.plain"."""
        return f"{'x'.join(map(str, self.tile))}.warps{self.warps}.{self.loop}"

    @property
    def name(self) -> str:
        """Returns the name of its kernel."""
        return f"triton_tma.{self.format}.{self.layout}.{self.launch}"


def grid() -> "list[Configuration]":
    """Returns every configuration."""
    return [
        Configuration(name, a, b, *launch)
        for name, a, b, launch in itertools.product(FORMATS, (False, True), (False, True), LAUNCHES)
    ]


def named(name: str) -> Configuration:
    """Returns the configuration of that name. Raises ValueError where there is none."""
    for each in grid():
        if each.name == name:
            return each
    raise ValueError(f"configuration: {name!r} is none; give one such as {grid()[0].name}")


def contract(configuration: Configuration) -> "dict[str, object]":
    """Returns what a configuration's results are held to."""
    return {**CORES, "multiplicand": "tf32_truncate"} if configuration.format == "F32" else CORES
