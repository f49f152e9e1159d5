"""Compiles configurations for an H100 (sm_90) by the installed Triton, which needs no GPU: down to machine code.

    python systems/triton_tma_matmul/compiling.py NAME...    compiles those in this process, and says so
"""

from __future__ import annotations

import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from configurations import STAGES, Configuration, named

#: Bytes of shared memory that a block of an H100 may have (CUDA C++ Programming Guide, compute capability 9.0: 227 KB).
SHARED_MEMORY = 227 * 1024
_TYPES = {"F16": "fp16", "BF16": "bf16", "F32": "fp32", "F8_E4M3": "fp8e4nv", "F8_E5M2": "fp8e5"}
_LANGUAGE_TYPES = {
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F8_E4M3": "float8e4nv", "F8_E5M2": "float8e5"
}  # fmt: skip


def has_specialized_loops() -> bool:
    """Says whether the kernel's words are those of Triton 3.4 and later: 3.2 knows no specialized loops."""
    return hasattr(triton.language, "make_tensor_descriptor")


def source(configuration: Configuration) -> ASTSource:
    """Returns what is to be compiled. Raises ValueError for a loop that this Triton has not."""
    operand = _TYPES[configuration.format]
    if has_specialized_loops():
        from descriptors import constants, matmul_kernel

        known = constants(configuration)
        signature = {"a": f"*{operand}", "b": f"*{operand}", "d": "*fp32"}
        signature.update(dict.fromkeys(("m", "n", "k", "stride_a", "stride_b", "stride_d"), "i32"))
        signature.update(dict.fromkeys(known, "constexpr"))
        # As torch.empty() aligns them.
        return ASTSource(matmul_kernel, signature, known, {(i,): [["tt.divisibility", 16]] for i in range(3)})
    if configuration.loop != "plain":
        raise ValueError(f"configuration: {configuration.name}: Triton {triton.__version__} has no specialized loops")
    from descriptors_of_3_2 import matmul_kernel

    known = {
        "A_IS_TRANSPOSED": configuration.a_is_transposed,
        "B_IS_TRANSPOSED": configuration.b_is_transposed,
        **dict(zip(("TILE_M", "TILE_N", "TILE_K"), configuration.tile)),
        "TYPE": getattr(triton.language, _LANGUAGE_TYPES[configuration.format]),
    }
    signature = {"of_a": "nvTmaDesc", "of_b": "nvTmaDesc", "of_d": "nvTmaDesc", "k": "i32"}
    return ASTSource(matmul_kernel, signature, known)


def compile_for_h100(configuration: Configuration) -> str:
    """Compiles one configuration, and returns its PTX.

    Raises what Triton raises; triton.OutOfResources where a launch on an H100 would raise it. A failed assertion of the
    compiler may end the process.
    """
    options = {"num_warps": configuration.warps, "num_stages": STAGES}
    compiled = triton.compile(source(configuration), target=GPUTarget("cuda", 90, 32), options=options)
    if compiled.metadata.shared > SHARED_MEMORY:
        raise triton.OutOfResources(compiled.metadata.shared, SHARED_MEMORY, "shared memory")
    return str(compiled.asm["ptx"])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        compile_for_h100(named(name))
        print(f"{name}: compiled by Triton {triton.__version__}")
