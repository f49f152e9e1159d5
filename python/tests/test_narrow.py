"""Formats below a byte, powers of two and complex numbers in functions over lines of one's own."""

from __future__ import annotations

import re
import types

import ml_dtypes
import numpy as np
import pytest

import negzero
from negzero._formats import memory_dtype_of, pack_halves, unpack_halves
from negzero._images import _torch_dtype

DEQUANTISE = "dequantise: y[rows, columns] <- codes[rows, columns], zero[rows]"
BLOCKS = "blocks: y[rows, n] <- x[rows, n], scale[rows, (n + 31) / 32]"
COPY = "copy: y[rows, n] <- x[rows, n]"
HALVES = ("I4", "U4", "F4")
STORED = (*HALVES, "F6_E2M3", "F6_E3M2", "F8_E8M0")


def check(fn, line, reference, formats, **given):
    return negzero.check(fn, line, reference=reference, error={"ulps": 0}, formats=formats, cases=200, **given)


def unpacked(codes, n):
    halves = np.stack([codes & 15, codes >> 4], -1)
    return halves.reshape(*codes.shape[:-1], 2 * codes.shape[-1])[..., :n]


def dequantised(codes, zero, columns):
    assert codes.dtype == zero.dtype == np.uint8 and codes.shape[1] == (columns + 1) // 2
    zeros = unpacked(zero, codes.shape[0])[:, None]
    return unpacked(codes, columns).astype(np.float32) - zeros.astype(np.float32)


def right(codes, zero):
    assert codes.dtype == zero.dtype == np.uint8 and (codes < 16).all()
    return codes.astype(np.float64) - zero[:, None]


def test_functions_get_two_codes_a_byte_and_references_numbers():
    check(dequantised, DEQUANTISE, right, ("U4", "U4", "F32"))
    with pytest.raises(negzero.Counterexample) as found:
        check(lambda codes, zero, columns: dequantised(codes >> 4 | codes << 4, zero, columns), DEQUANTISE, right,
              ("U4", "U4", "F32"))  # fmt: skip
    # The half byte behind an odd line is poison in the case, and in the arrays that show it.
    text = str(found.value)
    assert re.search(r"codes U4\[1, 1\]\n\s+\d+\n", text), text
    pasted = re.search(r"codes = np.array\(\[\[(\d+)\]\], np.uint8\)", text)
    assert pasted and int(pasted[1]) >> 4 in (6, 14), text


def test_signed_codes_reach_a_reference_with_their_sign():
    low = lambda x, n: (unpacked(x, n) ^ 8).astype(np.float32) - 8  # noqa: E731
    check(low, "widen: y[rows, n] <- x[rows, n]", lambda x: x.astype(np.float64), ("I4", "F32"))
    with pytest.raises(negzero.Counterexample):
        check(lambda x, n: unpacked(x, n).astype(np.float32), "widen: y[rows, n] <- x[rows, n]",
              lambda x: x.astype(np.float64), ("I4", "F32"))  # fmt: skip


def test_powers_of_two_scale_blocks():
    def scaled(x, scale):
        wide = scale.astype(x.dtype)
        return x * np.repeat(wide, 32, axis=1)[:, : x.shape[1]] if x.size else x.copy()

    formats = ("F32", "F8_E8M0", "F32")
    check(scaled, BLOCKS, scaled, formats)
    # Code 0 is 2^-127, not 0, and 255 is NaN.
    with pytest.raises(negzero.Counterexample, match="the reference scaled"):
        check(lambda x, scale: scaled(x, np.where(scale.view(np.uint8) == 0, 0, scale.astype(np.float32))), BLOCKS,
              scaled, formats)  # fmt: skip
    with pytest.raises(negzero.Counterexample, match="wants NaN"):
        check(lambda x, scale: scaled(x, np.nan_to_num(scale.astype(np.float32))), BLOCKS, scaled, formats)


@pytest.mark.parametrize("name", STORED)
def test_every_format_goes_through(name):
    dtype = memory_dtype_of(name)

    def same(x):
        assert x.dtype == dtype or x.dtype == np.float64 or x.dtype.kind in "iu"
        return x.copy()

    def into(x, y):
        y[...] = x

    def flipped(x, y):
        y[...] = x
        y.view(np.uint8)[...] ^= 1

    def unwritten(x, y):
        y.reshape(-1)[:-1] = x.reshape(-1)[:-1]

    for fn in (same, into):
        check(fn, COPY, lambda x: x, (name, name))
    with pytest.raises(negzero.Counterexample, match="y gave"):
        check(flipped, COPY, lambda x: x, (name, name))
    with pytest.raises(negzero.Counterexample, match="never written"):
        check(unwritten, COPY, lambda x: x, (name, name))


@pytest.mark.parametrize("name", HALVES)
def test_the_half_byte_behind_an_odd_line_is_free(name):
    def noisy(x, y, n):
        y[...] = x
        if n % 2:
            y[..., -1] = y[..., -1] & 15 | 0x50

    check(noisy, COPY, lambda x: x, (name, name))


def test_bits_above_six_are_a_finding():
    def high(x, y):
        y[...] = x
        y.view(np.uint8)[...] |= 0x80

    with pytest.raises(negzero.Counterexample, match="y holds bytes of F6_E2M3, 0 to 0x3f; it gave 0x80"):
        check(high, COPY, lambda x: x, ("F6_E2M3", "F6_E2M3"))


def test_results_of_ml_dtypes_are_packed():
    for name, dtype in (("U4", ml_dtypes.uint4), ("I4", ml_dtypes.int4), ("F4", ml_dtypes.float4_e2m1fn)):
        check(lambda x, n, dtype=dtype: unpacked(x, n).astype(np.uint8).view(dtype), COPY, lambda x: x, (name, name))


def complex_of(parts):
    return np.ascontiguousarray(parts).view(np.complex64 if parts.dtype == np.float32 else np.complex128)[..., 0]


def product_and_scale(a, b):
    (p, q), (r, s) = a.T, b.T
    return np.stack([p * r - q * s, p * s + q * r], 1), np.stack([abs(p * r) + abs(q * s), abs(p * s) + abs(q * r)], 1)


PRODUCT = "product: y[n, 2] <- a[n, 2], b[n, 2]"


def test_complex_numbers_are_lines_of_two():
    given = {"error": {"ulps": 1, "relative": 2**-22}, "values": {"a": (-1e18, 1e18), "b": (-1e18, 1e18)}}
    negzero.check(lambda a, b: complex_of(a) * complex_of(b), PRODUCT, reference=product_and_scale, cases=200, **given)
    with pytest.raises(negzero.Counterexample, match="y gave"):
        negzero.check(
            lambda a, b: complex_of(a) * complex_of(b).conj(), PRODUCT, reference=product_and_scale, cases=200, **given
        )


def test_arrays_of_complex_numbers_are_taken_in_parts():
    case = negzero.case(PRODUCT, a=np.array([1 + 2j], np.complex64), b=np.array([[3, 4]], np.float32))
    assert case.described["extents"] == {"n": 1, "y_1": 2}
    with pytest.raises(TypeError, match="the real and the imaginary part"):
        negzero.case("gemm", a=np.ones((2, 2), np.complex64), b=np.ones((2, 2), np.complex64))


def test_halves_of_bytes():
    codes = np.array([[1, 15, 7], [8, 2, 3]], np.uint8)
    assert pack_halves(codes).tolist() == [[0xF1, 0x07], [0x28, 0x03]]
    assert unpack_halves(pack_halves(codes), "U4", 3).tolist() == codes.tolist()
    assert unpack_halves(pack_halves(codes), "I4", 3).tolist() == [[1, -1, 7], [-8, 2, 3]]
    assert pack_halves(np.array(-3)).tolist() == 13
    for shape in ((0, 0), (2, 0), (0, 3)):
        assert unpack_halves(pack_halves(np.zeros(shape, np.uint8)), "U4", shape[-1]).shape == shape


def test_pytorch_gets_bytes_of_what_it_lacks():
    torch = types.SimpleNamespace(uint8="uint8", float8_e8m0fnu="e8m0", float32="float32")
    assert [_torch_dtype(torch, name) for name in STORED] == [*["uint8"] * 5, "e8m0"]
    old = types.SimpleNamespace(uint8="uint8", float32="float32")
    assert _torch_dtype(old, "F8_E8M0") == "uint8" and _torch_dtype(old, "F32") == "float32"


def test_a_case_file_holds_bytes(tmp_path):
    case = negzero.case(COPY, x=np.array([[1, 2, 3]], np.uint8).view(ml_dtypes.uint4), out_dtype="U4")
    path = tmp_path / "case.safetensors"
    case.save(path)
    assert b'"dtype":"U8"' in path.read_bytes() and b'\\"format\\":\\"U4\\"' in path.read_bytes()
    assert negzero.load(path).described["formats"] == {"x": "U4", "y": "U4"}


def test_shipped_operations_have_none_of_them():
    for name in STORED:
        with pytest.raises((TypeError, ValueError), match=name):
            negzero.check(lambda x: x.sum(axis=1), "reduce.sum", formats=(name, name))
