"""Published kernels of operations that negzero has no definition of: what each takes, and what it is held to.

Limits come from the file itself: each says where. What no document limits is not limited, so that a kernel which
needs more is found out.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable
from collections.abc import Mapping

import references
import sources

SOFTMAX = "softmax: y[rows, columns] <- x[rows, columns] each rows"
LAYERNORM = (
    "layernorm: y[rows, columns], mean[rows], rstd[rows] <- x[rows, columns], weight[columns], bias[columns] each rows"
)
GELU = "gelu: y[count] <- x[count] each count"
RESIDUAL = "residual: y[count] <- a[count], b[count] each count"
TRANSPOSE = "transpose: y[columns, rows] <- x[rows, columns]"
HISTOGRAM_256 = "histogram256: counts[bins] <- at[n] < bins"
HISTOGRAM_64 = "histogram64: counts[bins] <- at[n] < bins"
FUSED = (
    "fused: total[rows, columns], y[rows, columns], mean[rows], rstd[rows] <- "
    "a[rows, columns], b[rows, columns], weight[columns], bias[columns] each rows"
)
_ERROR = {"ulps": 1, "relative": 2.0**-23}
#: Rows and columns that there are: an empty grid is an error of CUDA, after which llm.c ends the process.
_PACKED = {"inputs": "packed", "output": "packed"}
_ROWS = {"rows": (1, 4096), "columns": (1, 4096), **_PACKED}
_COUNT = {"count": (1, 1 << 20), **_PACKED}
_TILES = {"rows": (32, 4096, 32), "columns": (32, 4096, 32), **_PACKED}


@dataclasses.dataclass(frozen=True)
class Published:
    """A kernel, and how it is checked."""

    name: str
    project: sources.Project
    path: str
    launcher: str  #: the author's own, in the file
    operation: str
    reference: "Callable[..., Any]"
    error: "Mapping[str, Any]"
    limits: "Mapping[str, Any]"
    formats: "tuple[str, ...]"
    why: str = ""  #: where limits come from
    claims: "tuple[str, ...]" = ("deterministic", "nan_stays_in_its_row")

    def function(self) -> "Callable[..., Any]":
        """Returns the function that check() calls, with the author's file compiled behind it."""
        return _FUNCTIONS[self.operation](sources.launcher(self.library(), self.launcher))

    def library(self) -> Any:
        """Returns the author's file, compiled with a call of each launcher of it that is here."""
        calls = tuple(
            (each.launcher, _CALLS[each.operation].format(each.launcher))
            for each in PUBLISHED
            if each.path == self.path
        )
        return sources.compiled(self.project, self.path, calls)


def _llm_c(
    path: str,
    launchers: "list[str]",
    operation: str,
    reference: Any,
    error: Any,
    limits: Any,
    formats: Any,
    why: Any = None,
) -> "list[Published]":
    return [
        Published(
            f"llm_c.{launcher}", sources.LLM_C, f"dev/cuda/{path}.cu", launcher, operation,
            references.online_softmax if "online" in launcher else reference, error,
            {**limits, **((why or {}).get(launcher, ({}, ""))[0])}, formats, (why or {}).get(launcher, ({}, ""))[1],
        )
        for launcher in launchers
    ]  # fmt: skip


_FUSED_ERROR = {"total": 0, "y": _ERROR, "mean": _ERROR, "rstd": _ERROR}
#: load128() takes four numbers of F32 at once, or eight of BF16, which these files have; main() checks C = 768.
_BY_FOUR = ({"columns": (4, 4096, 4)}, "load128 of four columns at once; no tail")
_BY_EIGHT = ({"columns": (8, 4096, 8)}, "load128 of eight columns at once; no tail")
PUBLISHED = [
    *_llm_c("softmax_forward",
            [f"softmax_forward{each}" for each in ("1", "2", "3", "4", "_online1", "_online2", "7", "_online8")],
            SOFTMAX, references.softmax, _ERROR, _ROWS, ("F32",) * 2),
    *_llm_c("layernorm_forward", [f"layernorm_forward{each}" for each in range(1, 7)],
            LAYERNORM, references.layernorm, {"y": _ERROR, "mean": _ERROR, "rstd": _ERROR}, _ROWS, ("F32",) * 6,
            {"layernorm_forward6": _BY_FOUR}),
    *_llm_c("gelu_forward", ["gelu_forward1", "gelu_forward2"], GELU, references.gelu, _ERROR, _COUNT, ("BF16",) * 2),
    *_llm_c("residual_forward", ["residual_forward1", "residual_forward2"],
            RESIDUAL, references.residual, {"y": 0}, _COUNT, ("BF16",) * 3),
    *_llm_c("fused_residual_forward", [f"fused_residual_forward{each}" for each in range(1, 7)],
            FUSED, references.fused_residual, _FUSED_ERROR, _ROWS, ("BF16",) * 8,
            {f"fused_residual_forward{each}": _BY_EIGHT for each in (4, 5, 6)}),
    *(Published(f"cuda_samples.{name}", sources.CUDA_SAMPLES, "Samples/6_Performance/transpose/transpose.cu", name,
                TRANSPOSE, references.transpose, {"y": 0}, _TILES, ("F32",) * 2,
                "width and height must be integral multiples of TILE_DIM, which is 32", ("deterministic",))
      for name in ("transposeNaive", "transposeCoalesced", "transposeNoBankConflicts", "transposeDiagonal")),
    *(Published(f"cuda_samples.{name}", sources.CUDA_SAMPLES,
                f"Samples/2_Concepts_and_Techniques/histogram/{name}.cu", name,
                operation, reference, {"counts": 0}, {"n": (step, 1 << 20, step), "bins": (bins, bins), **_PACKED},
                ("I32",) * 2, f"its function asserts multiples of {step}", ("deterministic",))
      for name, operation, reference, step, bins in (
          ("histogram256", HISTOGRAM_256, references.histogram_256, 4, 256),
          ("histogram64", HISTOGRAM_64, references.histogram_64, 16, 64))),
]  # fmt: skip

#: Calls as the files' own main() has them.
_CALLS = {
    SOFTMAX: "setup_once(); {0}((float*)p[1], (float*)p[0], n[0], n[1], 256)",
    LAYERNORM: "setup_once(); float** x = (float**)p; {0}(x[3], x[4], x[5], x[0], x[1], x[2], 1, n[0], n[1], 256)",
    GELU: "setup_once(); {0}((floatX*)p[1], (floatX*)p[0], n[0], 256)",
    RESIDUAL: "setup_once(); {0}((floatX*)p[2], (floatX*)p[0], (floatX*)p[1], n[0], 256)",
    FUSED: "setup_once(); floatX** x = (floatX**)p; "
    "{0}(x[4], x[5], x[6], x[7], x[0], x[1], x[2], x[3], n[0], n[1], 256)",
    TRANSPOSE: "const dim3 grid(n[1] / TILE_DIM, n[0] / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS); "
    "{0}<<<grid, threads>>>((float*)p[1], (float*)p[0], n[1], n[0])",
    HISTOGRAM_256: "static const bool is_ready = (initHistogram256(), true); (void)is_ready; "
    "{0}((uint*)p[1], p[0], n[0])",
    HISTOGRAM_64: "static const bool is_ready = (initHistogram64(), true); (void)is_ready; "
    "{0}((uint*)p[1], p[0], n[0])",
}


def _of_bytes(launch: "Callable[..., Any]", shift: int) -> "Callable[..., Any]":
    """The function of a histogram whose data are bytes: a bin's number in the bits above `shift`."""

    def count(at: Any, counts: Any) -> None:
        launch([(at << shift).byte(), counts], list(at.shape))

    return count


_FUNCTIONS: "dict[str, Callable[[Any], Callable[..., Any]]]" = {
    SOFTMAX: lambda launch: lambda x, y: launch([x, y], list(x.shape)),
    LAYERNORM: lambda launch: (
        lambda x, weight, bias, y, mean, rstd: launch([x, weight, bias, y, mean, rstd], list(x.shape))
    ),
    GELU: lambda launch: lambda x, y: launch([x, y], list(x.shape)),
    TRANSPOSE: lambda launch: lambda x, y: launch([x, y], list(x.shape)),
    HISTOGRAM_256: lambda launch: _of_bytes(launch, 0),
    HISTOGRAM_64: lambda launch: _of_bytes(launch, 2),
    RESIDUAL: lambda launch: lambda a, b, y: launch([a, b, y], list(a.shape)),
    FUSED: lambda launch: (
        lambda a, b, weight, bias, total, y, mean, rstd: launch(
            [a, b, weight, bias, total, y, mean, rstd], list(a.shape)
        )
    ),
}
