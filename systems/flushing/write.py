"""Writes flushed.nz and kept.nz: the same declarations, for `-ftz=true` and without it."""

from pathlib import Path

FLAGS = "subnormal_inputs=flush subnormal_results=flush"
NARROW = ("F16", "BF16", "F8_E5M2", "F8_E4M3")
ROWS = "<<<(rows + 127) / 128, 128>>>"


def kernels(flags: str) -> "list[str]":
    """The text of each declaration, with `flags` in its contract."""

    def of(name: str, operation: str, formats: "list[str]", launch: str, *more: str, contract: str = "",
           moves: bool = False) -> str:
        lines = [f"kernel    {name}", f"operation {operation}", *(f"formats   {each}" for each in formats)]
        # A comparison flushes, and what it selects is moved as it is.
        own = flags.split(" ")[0] if moves else flags
        words = " ".join(each for each in (contract, own) if each)
        return "\n".join([*lines, *([f"contract  {words}"] if words else []), *more, f"launch    {launch}"])

    every = ("F32", *NARROW)
    chain = "order=ascending start=plus_zero nan=propagate"
    declared = [
        of("flushing.dot", "gemm", [f"a={t} b={t} c=F32 d=F32" for t in every],
           "if (m * n > 0) dot<<<(m * n + 127) / 128, 128>>>(a, b, c, d, m, n, k, alpha, beta);",
           "limits    batch = 1, m * n * k <= 65536", contract="order=ascending scalars=formula"),
        of("flushing.sum", "reduce.sum", [f"x={t} y=F32" for t in every],
           f"if (rows > 0) sum_rows{ROWS}(x, y, rows, columns);", contract=chain),
        of("flushing.scan", "scan.inclusive", [f"x={t} y=F32" for t in every],
           f"if (rows > 0) scan_rows{ROWS}(x, y, rows, columns);", contract="order=ascending"),
        of("flushing.mean", "reduce.mean", [f"x={t} y=F32" for t in every],
           f"if (rows > 0) mean_rows{ROWS}(x, y, rows, columns);", "limits    columns >= 1",
           contract="order=ascending mean=divide mean_may_overflow=true"),
        of("flushing.max", "reduce.max", [f"x={t} y={t}" for t in ("F32", "F16", "BF16")],
           f"if (rows > 0) max_rows{ROWS}(x, y, rows, columns);", contract="nan=ignore all_nan=identity zero_sign=any"),
        of("flushing.max_index", "reduce.max_index", [f"x={t} y={t}" for t in ("F32", "F16", "BF16")],
           f"if (rows > 0) max_index_rows{ROWS}(x, y, at, rows, columns);",
           "limits    columns >= 1", "values    x .. inf=yes", contract="ties=first zero_sign=any", moves=True),
        of("flushing.convert", "convert",
           ["x=F32 y=F16", "x=F32 y=BF16", "x=F16 y=F32", "x=BF16 y=F32", "x=F64 y=F32", "x=F32 y=F64", "x=F64 y=F16",
            "x=F8_E5M2 y=F32", "x=F8_E4M3 y=F16"],
           "if (count > 0) convert_each<<<(count + 127) / 128, 128>>>(x, y, count);"),
        of("flushing.convert_f8", "convert", ["x=F32 y=F8_E5M2", "x=F32 y=F8_E4M3"],
           "if (count > 0) convert_each<<<(count + 127) / 128, 128>>>(x, y, count);", contract="overflow=saturate"),
        "kernel    scale.reference\noperation scale.reference: y[n] <- x[n], s\nformats   x=F64 y=F64\n"
        "contract  accumulate=F64\nlaunch    scale_right<<<1, 1>>>(x, y, s, n);",
        of("flushing.scale", "scale: y[n] <- x[n], s", [f"x={t} y={t}" for t in ("F32", "F16", "BF16")],
           "if (n > 0) scale_each<<<(n + 127) / 128, 128>>>(x, y, s, n);", "reference scale.reference",
           "error     y ulps=1"),
        "kernel    sign.reference\noperation sign.reference: y[n] <- x[n]\nformats   x=F64 y=F64\n"
        "launch    sign_right<<<1, 1>>>(x, y, n);",
        of("flushing.sign", "sign: y[n] <- x[n]", [f"x={t} y=F32" for t in ("F32", "F16", "BF16", "F8_E5M2")],
           "if (n > 0) sign_each<<<(n + 127) / 128, 128>>>(x, y, n);", "reference sign.reference", "error     y ulps=0"),
    ]
    return declared


def main() -> None:
    here = Path(__file__).parent
    for name, flags in (("flushed", FLAGS), ("kept", "")):
        text = f"# Written by write.py: for {'-ftz=true' if flags else '-ftz=false'}.\n"
        (here / f"{name}.nz").write_text(text + "\n\n".join(kernels(flags)) + "\n")


if __name__ == "__main__":
    main()
