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
FUSED = (
    "fused: total[rows, columns], y[rows, columns], mean[rows], rstd[rows] <- "
    "a[rows, columns], b[rows, columns], weight[columns], bias[columns] each rows"
)
_ERROR = {"ulps": 1, "relative": 2.0**-23}
#: Rows and columns that there are: an empty grid is an error of CUDA, after which llm.c ends the process.
_ROWS = {"rows": (1, 4096), "columns": (1, 4096), "inputs": "packed", "output": "packed"}
_COUNT = {"count": (1, 1 << 20), "inputs": "packed", "output": "packed"}


@dataclasses.dataclass(frozen=True)
class Published:
    """A kernel, and how it is checked."""

    name: str
    project: "tuple[str, str]"
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
        return _FUNCTIONS[self.operation](sources.launcher(_library(self.path), self.name.rpartition(".")[2]))


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
]  # fmt: skip

_CALLS = {
    SOFTMAX: "{0}((float*)p[1], (float*)p[0], n[0], n[1], 256)",
    LAYERNORM: "float** x = (float**)p; {0}(x[3], x[4], x[5], x[0], x[1], x[2], 1, n[0], n[1], 256)",
    GELU: "{0}((floatX*)p[1], (floatX*)p[0], n[0], 256)",
    RESIDUAL: "{0}((floatX*)p[2], (floatX*)p[0], (floatX*)p[1], n[0], 256)",
    FUSED: "floatX** x = (floatX**)p; {0}(x[4], x[5], x[6], x[7], x[0], x[1], x[2], x[3], n[0], n[1], 256)",
}
_FUNCTIONS: "dict[str, Callable[[Any], Callable[..., Any]]]" = {
    SOFTMAX: lambda launch: lambda x, y: launch([x, y], list(x.shape)),
    LAYERNORM: lambda launch: (
        lambda x, weight, bias, y, mean, rstd: launch([x, weight, bias, y, mean, rstd], list(x.shape))
    ),
    GELU: lambda launch: lambda x, y: launch([x, y], list(x.shape)),
    RESIDUAL: lambda launch: lambda a, b, y: launch([a, b, y], list(a.shape)),
    FUSED: lambda launch: (
        lambda a, b, weight, bias, total, y, mean, rstd: launch(
            [a, b, weight, bias, total, y, mean, rstd], list(a.shape)
        )
    ),
}


def _library(path: str) -> Any:
    same = [each for each in PUBLISHED if each.path == path]
    beside = ("dev/cuda/common.h",)
    # setup_main() reads the device's properties, which some launchers use.
    prelude = "static void setup_once() { static const bool done = (setup_main(), true); (void)done; }"
    calls = tuple((each.launcher, f"setup_once(); {_CALLS[each.operation].format(each.launcher)}") for each in same)
    return sources.compiled(
        sources.LLM_C, path, beside=beside, prelude=prelude, calls=calls, libraries=("cublas", "cublasLt")
    )
