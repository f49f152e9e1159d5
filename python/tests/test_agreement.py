"""From Python and from the program: the same verdict, and the same set for every element.

NEGZERO_PROGRAM names the program; NEGZERO_TRIPLES how many (case, contract, output) triples are drawn, 120 if not set.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from support import FLOATS

import negzero
from negzero import _library, _safetensors
from negzero._case import own_shapes
from negzero._operations import signature_of

PROGRAM = os.environ.get("NEGZERO_PROGRAM")
TRIPLES = int(os.environ.get("NEGZERO_TRIPLES", "120"))
CHUNKS = 8
CONTRACTS = [None, *(row["name"] for row in _library.listing()["contracts"])]
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="NEGZERO_PROGRAM names no program: the wheel has none")


def drawn(rng: np.random.Generator, shape: Any, dtype: Any) -> np.ndarray:
    """Elements of one kind: small, normal, of all exponents, any bits at all, or zeros of either sign."""
    dtype = np.dtype(dtype)
    kind = rng.integers(5)
    with np.errstate(all="ignore"):
        if kind == 0:
            return rng.integers(-2, 3, shape).astype(dtype)
        if kind == 1:
            return rng.standard_normal(shape).astype(dtype)
        if kind == 2:
            return (rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 20, shape)).astype(dtype)
        if kind == 3:
            size = int(np.prod(shape, dtype=int)) * dtype.itemsize
            return rng.integers(0, 256, size, np.uint8).view(dtype).reshape(shape)
        return np.where(rng.integers(2, size=shape) > 0, 0.0, -0.0).astype(dtype)


def draw(rng: np.random.Generator) -> "tuple[negzero.Case, dict[str, np.ndarray]] | None":
    """A case of any operation with outputs that are mostly near what is permitted; nothing where it is refused."""
    signature = signature_of(str(rng.choice(list(negzero.operations()))))
    extents = {extent: int(rng.integers(1, 7)) for extent in signature.extents}
    formats = list(FLOATS.values())
    one = formats[rng.integers(len(formats))]
    operands: "dict[str, Any]" = {}
    for tensor in signature.inputs:
        shape = [extents[extent] for extent in tensor.shape]
        if tensor.role == "index":
            most = extents[tensor.below] - 1 if tensor.below else extents[str(tensor.at_most)]
            operands[tensor.name] = rng.integers(0, most + 1, shape).astype(rng.choice([np.int32, np.int64]))
        elif tensor.name not in signature.addends:
            operands[tensor.name] = drawn(rng, shape, one)
    out = formats[rng.integers(len(formats))] if rng.integers(2) else one
    for name, scalar in signature.addends.items():
        if rng.integers(2):
            shape = next([extents[extent] for extent in each.shape] for each in signature.inputs if each.name == name)
            operands[name] = drawn(rng, shape, formats[rng.integers(len(formats))] if rng.integers(2) else out)
            operands[scalar] = rng.choice([0.0, 1.0, -0.5, np.nan])
    contract = CONTRACTS[rng.integers(len(CONTRACTS))]
    try:
        case = negzero.case(signature.name, contract=contract, out_dtype=out, **operands)
        sets = negzero.permitted(case)
    except (TypeError, ValueError):  # formats that do not go together
        return None
    observed = {}
    for name, (shape, dtype) in case.outputs.items():
        ends = (sets[name].low, sets[name].high)
        array = np.where(rng.integers(2, size=shape) > 0, *ends).astype(dtype)
        wrong = rng.integers(0, 256, array.nbytes, np.uint8).view(dtype).reshape(shape)
        observed[name] = np.where(rng.integers(8, size=shape) == 0, wrong, array).astype(dtype)
    return case, observed


def agree(case: negzero.Case, observed: "dict[str, np.ndarray]") -> str:
    """Judges by both and compares; returns the verdict."""
    case.save("case")
    own = own_shapes(case)
    outputs = {name: array.reshape(own[name]) for name, array in observed.items()}
    pathlib.Path("observed").write_bytes(_safetensors.write(outputs, {}))
    words = [str(PROGRAM), "judge", "case", "--observed", "observed", "--sets", "sets", "--json"]
    words += [] if case.contract else ["--contract", "default"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 1, 4), (words, done)
    theirs = json.loads(done.stdout)
    judgement = negzero.judge(observed, case, elements="all")
    ours = dict(judgement.report)
    for key in ours.keys() - {"version"}:
        assert ours[key] == theirs[key], key
    assert done.returncode == {"pass": 0, "fail": 1}.get(judgement.verdict, 4)
    sets, _ = _safetensors.read(pathlib.Path("sets").read_bytes(), "sets")
    permitted = negzero.permitted(case)
    for name, each in permitted.items():
        assert each.low.tobytes() == sets[f"{name}.low"].tobytes()
        assert each.high.tobytes() == sets[f"{name}.high"].tobytes()
        flags = sets[f"{name}.flags"].reshape(each.low.shape)
        masks = (each.any_finite, each.nan, each.plus_infinity, each.minus_infinity, each.plus_zero, each.minus_zero,
                 each.has_gaps, each.vacuous)  # fmt: skip
        assert (sum(mask.astype(np.int32) << bit for bit, mask in enumerate(masks)) == flags).all()
    return judgement.verdict


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_drawn_cases(chunk: int) -> None:
    rng = np.random.default_rng(1000 + chunk)
    verdicts = []
    wanted = max(5, TRIPLES // CHUNKS)
    for _ in range(6 * wanted):
        found = draw(rng)
        if found:
            verdicts.append(agree(*found))
        if len(verdicts) == wanted:
            break
    assert len(verdicts) == wanted and len(set(verdicts)) > 1, verdicts


CORPUS = sorted((REPOSITORY / "corpus" / "regressions").glob("*.safetensors"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_corpus(path: pathlib.Path) -> None:
    case = negzero.load(path)
    if "<-" in case.operation:
        with pytest.raises(ValueError, match="declared by its line, which does not say what is right; "):
            negzero.permitted(case)
        return
    sets = negzero.permitted(case)
    agree(case, {name: each.low for name, each in sets.items()})
    agree(case, {name: np.ones_like(each.high) for name, each in sets.items()})


def test_there_is_a_corpus() -> None:
    assert len(CORPUS) > 10
