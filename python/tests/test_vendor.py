"""Libraries as kernels: contracts by a function's name, and modules that need no framework to be described."""

from __future__ import annotations

import os
import pathlib
import re

import negzero
import pytest
from negzero import vendor

from test_readme import ROOT
from workers import needs_program, run

#: What users rely on where a function is not documented to differ from call to call.
REPEATS = {"determinism": "run_to_run"}
MODULES = sorted(name for name in os.listdir(vendor.folder()) if name.startswith("of_"))
FINDINGS = ROOT / "findings" / "libraries"


@pytest.mark.parametrize(
    ("function", "formats", "words", "expected"),
    [
        ("torch.mm", ("F16",) * 3, {}, {"accumulate": "F32", "tensor_core": "may", "slice_format": "F16", **REPEATS}),
        ("torch.mm", ("F16",) * 3, {"allow_fp16_accumulation": True}, {"accumulate": "F16", "tensor_core": "may", **REPEATS}),
        ("torch.mm", ("F32",) * 3, {}, {"accumulate": "F32", **REPEATS}),
        ("torch.bmm", ("F32",) * 3, {"allow_tf32": True},
         {"accumulate": "F32", "multiplicand": "tf32_or_exact", "tensor_core": "may", **REPEATS}),
        ("torch.addmm", ("F64",) * 3, {}, {"accumulate": "F64", **REPEATS}),
        ("torch.max", ("F32", "F32", "I64"), {}, {"nan": "propagate", "zero_sign": "any", "ties": "first", **REPEATS}),
        ("torch.cumsum", ("F32",) * 2, {}, {"accumulate": "F32"}),
        ("torch.scatter_reduce", ("F32",), {"reduce": "amax"},
         {"nan": "propagate", "zero_sign": "any", "determinism": "not_guaranteed"}),
        ("numpy.cumsum", ("F32", "F32"), {"device": "cpu"}, {"accumulate": "F32"}),
        ("triton.language.sum", ("F16", "F16"), {}, {"accumulate": "F32", **REPEATS}),
        ("triton.language.cumsum", ("F16", "F16"), {}, {"accumulate": "F16", **REPEATS}),
        ("triton.language.dot", ("F32",) * 3, {},
         {"accumulate": "F32", "tensor_core": "may", "multiplicand": "tf32_or_exact", **REPEATS}),
        ("triton.language.dot", ("F32",) * 3, {"input_precision": "ieee"}, {"accumulate": "F32"}),
        ("triton.language.dot", ("F16",) * 3, {"out_dtype": "float16"},
         {"accumulate": "F16", "tensor_core": "may", **REPEATS}),
        ("triton.language.dot", ("BF16",) * 3, {"out_dtype": "float16"},
         {"accumulate": "F32", "tensor_core": "may", **REPEATS}),
        ("triton.language.dot", ("F64",) * 3, {}, {"accumulate": "F64", **REPEATS}),
        ("triton.language.dot", ("F8_E4M3", "F8_E5M2", "F32"), {}, {"accumulate": "F32", "tensor_core": "may"}),
        ("triton.language.dot", ("F8_E4M3",) * 3, {},
         {"accumulate": "F32", "tensor_core": "may", "overflow": "either"}),
        ("triton.language.cast", ("F32", "I32"), {}, {"output_rounding": "toward_zero"}),
        ("jax.numpy.matmul", ("F8_E4M3",) * 3, {}, {"accumulate": "F32", "tensor_core": "may", "overflow": "either"}),
        ("numpy.matmul", ("BF16", "BF16", "F32"), {"device": "cpu"}, {"accumulate": "F32"}),
        ("cupy.maximum.at", ("F64",), {},
         {"nan": "propagate", "zero_sign": "any", "subnormal_inputs": "either", "subnormal_results": "either"}),
    ],
)  # fmt: skip
def test_a_contract_by_name_is_that_of_a_call(function, formats, words, expected):
    assert negzero.contract_of(function, formats, **words) == expected


def test_switches_of_a_contract_by_name_do_not_stay():
    before = negzero.contract_of("torch.mm", ("F32",) * 3)
    negzero.contract_of("torch.mm", ("F32",) * 3, allow_tf32=True)
    assert negzero.contract_of("torch.mm", ("F32",) * 3) == before


def test_errors_of_a_contract_by_name_say_what_there_is():
    with pytest.raises(ValueError, match="factors of F32 and F16 have no product"):
        negzero.contract_of("triton.language.dot", ("F32", "F16", "F32"))
    with pytest.raises(ValueError, match="of sums of FP8 in out_dtype 'float16' no arithmetic is known"):
        negzero.contract_of("triton.language.dot", ("F8_E4M3",) * 3, out_dtype="float16")
    with pytest.raises(ValueError, match="triton.language.sum with x in I32 no contract is known; give F64, F32"):
        negzero.contract_of("triton.language.sum", ("I32", "I32"))
    with pytest.raises(ValueError, match="torch.nm is no function that negzero knows; known: torch.mm"):
        negzero.contract_of("torch.nm", ("F32",) * 3)
    with pytest.raises(ValueError, match="functions\\(\\) lists them"):
        negzero.contract_of("gemm", ("F32",) * 3)
    with pytest.raises(ValueError, match="device: 'tpu'; give 'cuda' or 'cpu'"):
        negzero.contract_of("torch.mm", ("F32",) * 3, device="tpu")
    with pytest.raises(TypeError, match="formats: 'X' is no dtype; give one of"):
        negzero.contract_of("torch.mm", ("X",) * 3)
    with pytest.raises(ValueError, match="formats: F32 are 1, and gemm has"):
        negzero.contract_of("torch.mm", ("F32",))
    with pytest.raises(TypeError, match="allow_tf32: 'yes' is no switch; give True or False"):
        negzero.contract_of("torch.mm", ("F32",) * 3, allow_tf32="yes")
    with pytest.raises(ValueError, match="triton.language.dot: of input_precision 'tf32x3' .* give 'tf32' or 'ieee'"):
        negzero.contract_of("triton.language.dot", ("F32",) * 3, input_precision="tf32x3")
    with pytest.raises(TypeError, match="triton.language.sum: no keyword 'out_dtype' .* known: none"):
        negzero.contract_of("triton.language.sum", ("F32",) * 2, out_dtype="float16")
    with pytest.raises(ValueError, match="formats: F32 are 1, and gemm has"):
        negzero.contract_of("triton.language.dot", ("F32",))


@needs_program
@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_described_without_its_framework(folder, name):
    (folder / "torch.py").write_text("raise SystemExit('imported')\n")
    for each in ("jax", "cupy", "triton"):
        (folder / f"{each}.py").write_text("raise SystemExit('imported')\n")
    path = os.path.join(vendor.folder(), name)
    ran = run(folder, "list", "kernels", "--kernels", path, "--json", PYTHONPATH=str(folder))
    assert ran.code == 0, ran.err
    kernels = ran.json()["kernels"]
    library = name[len("of_") : -len(".py")]
    assert len(kernels) >= 30
    assert all(kernel["name"].startswith(f"{library}.") for kernel in kernels), kernels


@needs_program
def test_each_line_of_the_list_of_pairs_is_a_pair(folder):
    path = os.path.join(vendor.folder(), "of_torch.py")
    kernels = run(folder, "list", "kernels", "--kernels", path, "--json").json()["kernels"]
    names = {kernel["name"] for kernel in kernels}
    pairs = pathlib.Path(vendor.folder(), "torch_pairs.txt").read_text().splitlines()
    lines = [line.split() for line in pairs if not line.startswith("#")]
    assert len(lines) > 20
    for first, second in lines:
        (before, after), partner = first.split("@")[0].split("*"), second.split("@")[0]
        matched = [name[len(before) :] for name in names if name.startswith(before) and name.endswith(after)]
        assert len({partner.replace("*", text) for text in matched} & names) >= 2, (first, second)


def test_each_script_of_a_finding_is_short_stands_alone_and_is_listed():
    page = (ROOT / "docs" / "measured" / "findings.md").read_text()
    scripts = [path for path in FINDINGS.iterdir() if path.suffix in (".py", ".cu")]
    assert len(scripts) >= 20
    for path in scripts:
        text = path.read_text()
        assert len(text.splitlines()) <= 20, path
        assert "negzero" not in text, path
        assert f"`{path.name}`" in page, path
    assert set(re.findall(r"`(\w+\.(?:py|cu))`", page)) <= {path.name for path in scripts}
