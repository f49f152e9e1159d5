"""The fields of a contract as types, for editors and type checkers.

python/tests/generated.py writes this module from what the library lists.
"""

# Python 3.9 has no | of types, and typing.get_type_hints() reads these.
# ruff: noqa: UP007, UP045

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union

Preset = Literal["f32", "f64", "f16_acc_f32", "f16_acc_f16", "tf32", "bf16_acc_f32", "f8_acc_f32", "blas"]
Format = Literal["F64", "F32", "TF32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I32"]


class Promotion(TypedDict):
    """Partial sums move to an accumulator of `format` every `every` values of k."""

    every: int
    format: Format


class Rounding(TypedDict):
    """One rounding on the way to the output."""

    format: Format
    rounding: Literal["nearest_even", "nearest_away", "toward_zero", "down", "up"]


class Contract(TypedDict, total=False):
    """The numerics that results are held to: {"accumulate": "F16", "order": "ascending"}.

    Every field may be missing; in brackets is what it is then.

    preset: The name of a contract to start from; the other fields replace its own.
    multiplicand: How factors are rounded before they are multiplied. ("exact")
    multiplicand_b: The same of the factors of B alone, where `multiplicand` is that of A; None: both alike. (None)
    accumulate: The format in which sums are held. ("F32")
    accumulate_rounding: How each addition is rounded. ("nearest")
    model: The name of a hardware model; none is built in yet. ("")
    wider: Sums may be held in a wider format than `accumulate`. (True)
    compensated: Sums may be compensated, as Kahan and Neumaier do. (False)
    order: The order of additions: every tree, one chain, or that of `model`. ("any")
    depth: The most roundings that a term of a sum meets, that of its product and of each addition of two numbers that
        are not zero; None: as many as there are terms. (None)
    tensor_core: Tensor cores, whose steps truncate, sum the products: no, perhaps, or always. ("no")
    unit: The generation of those tensor cores. ("any")
    slices: The largest number of parts of k that are summed separately; 0: any number. (0)
    slice_format: The narrower format in which sums of slices of k may be stored before they are added. (None)
    contraction: Products enter their sum unrounded (fma), rounded, or either. ("either")
    start: What a chain of additions starts from. ("any")
    promote: Partial sums move to a wider accumulator every so many values of k. (None)
    alpha: Where alpha is multiplied: on the sum, into an operand, or on partial sums. ("any")
    beta: Where beta * c is added: behind the sum, or as one of its terms. ("any")
    scalar_format: The format to which alpha and beta are rounded first. (None)
    intermediate: Roundings on the way to the output, before its own. ([])
    intermediate_at: Where those roundings are: on the sum, or on alpha * sum + beta * c. ("result")
    output_rounding: How the result is rounded to the output's format. ("nearest_even")
    subnormal_inputs: What F32 arithmetic does with subnormal operands: kept, zero, or either. F16 and F8 numbers are
        normal in F32. ("keep")
    subnormal_results: The same of results of arithmetic. Conversions to F16 and F8 keep subnormal results. ("keep")
    nan: Whether a NaN is the result of max and min, or is passed over. ("propagate")
    all_nan: What max and min that pass over NaN give where all elements are NaN. ("any")
    zero_sign: The sign of a zero: that of IEEE 754, or any; the default is IEEE 754 for selections and any for sums.
        ("default")
    overflow: What the last conversion gives for a number that is too large; the default is an end of the range for an
        integer, and IEEE 754 for a float. ("default")
    integer_overflow: What additions of integers do beyond their range. ("wrap")
    ties: Which of several extreme elements argmax and argmin give. ("any")
    empty: The value or index of an empty row; None: the identity, or any index. (None)
    mean: How a mean divides: the sum by n, the sum times 1 / n, or each element first. ("any")
    mean_may_overflow: The sum inside a mean may overflow although the mean would not. (False)
    scalars: Where a scalar or K is 0: the rules of BLAS, or alpha * sum + beta * c by IEEE 754, with all of it read.
        ("blas")
    reads_a_b_at_alpha_zero: NaN and infinities of A and B reach the result even where alpha is 0. (False)
    reads_c_at_beta_zero: NaN and infinities of C reach the result even where beta is 0. (False)
    determinism: Whether the same call gives the same bits again. ("not_guaranteed")
    position_invariant: The bits of an element do not depend on its place, nor on other rows and columns; checked only
        where determinism is declared. (False)
    """

    preset: Preset
    multiplicand: Literal[
        "exact",
        "tf32_truncate",
        "tf32_nearest_away",
        "tf32_nearest_even",
        "bf16",
        "f16",
        "tf32_any",
        "tf32_or_exact",
    ]
    multiplicand_b: Literal[
        "exact",
        "tf32_truncate",
        "tf32_nearest_away",
        "tf32_nearest_even",
        "bf16",
        "f16",
        "tf32_any",
        "tf32_or_exact",
        None,
    ]
    accumulate: Format
    accumulate_rounding: Literal["nearest", "toward_zero", "faithful"]
    model: str
    wider: bool
    compensated: bool
    order: Literal["any", "ascending", "model"]
    depth: Union[int, str, None]
    tensor_core: Literal["no", "may", "only"]
    unit: Literal["any", "volta", "turing", "ampere", "ada", "hopper", "blackwell"]
    slices: int
    slice_format: Literal["F16", "BF16", None]
    contraction: Literal["fused", "separate", "either"]
    start: Literal["plus_zero", "first_term", "c", "any"]
    promote: Optional[Promotion]
    alpha: Literal["epilogue", "operand", "any", "partial"]
    beta: Literal["epilogue", "leaf", "any"]
    scalar_format: Optional[Format]
    intermediate: list[Union[Format, Rounding]]
    intermediate_at: Literal["result", "sum"]
    output_rounding: Literal["nearest_even", "nearest_away", "toward_zero", "down", "up"]
    subnormal_inputs: Literal["keep", "flush", "either"]
    subnormal_results: Literal["keep", "flush", "either"]
    nan: Literal["propagate", "ignore"]
    all_nan: Literal["nan", "identity", "any"]
    zero_sign: Literal["default", "ieee", "any"]
    overflow: Literal["default", "ieee", "saturate", "nan", "either"]
    integer_overflow: Literal["wrap", "saturate"]
    ties: Literal["first", "last", "any"]
    empty: Optional[str]
    mean: Literal["divide", "reciprocal", "any", "terms"]
    mean_may_overflow: bool
    scalars: Literal["blas", "formula"]
    reads_a_b_at_alpha_zero: bool
    reads_c_at_beta_zero: bool
    determinism: Literal["not_guaranteed", "run_to_run", "gpu_to_gpu"]
    position_invariant: bool
