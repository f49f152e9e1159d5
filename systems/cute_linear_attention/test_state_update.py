"""Where does this state update round? Asked of NumPy, of recordings, and of the kernels where there is a GPU."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

import negzero
import pytest

from recordings import recorded
from state_updates import CHUNK, CONTRACTS, FORMATS, LIMITS, SEQUENCES, STEP, f16_fragment, f16_state, rounded, straight

RECORDED = pathlib.Path(__file__).parent / "recorded"
SMALLEST = RECORDED / "smallest"
#: The kernel of state_update.cu that is each implementation.
KERNELS = {
    "rounded": "cute.state_update.rounded",
    "straight": "cute.state_update.straight",
    "f16_fragment": "faulty.cute.f16_fragment_declared_rounded",
    "f16_state": "faulty.cute.f16_state_declared_rounded",
    "rounded_sequence": "cute.state_update.rounded_sequence",
    "straight_sequence": "cute.state_update.straight_sequence",
}
#: The contracts that each one breaks, the longest sums that are tried, and that of the smallest case.
BREAKS = [
    (rounded, "straight", 4, 4),
    (straight, "rounded", 4, 4),
    (f16_state, "straight", 4, 4),
    (f16_state, "rounded", 4, 4),
    (f16_fragment, "straight", 4, 4),
    (f16_fragment, "rounded", CHUNK, STEP + 1),
]
SEEDS = range(1, 11)
PROGRAM = os.environ.get("NEGZERO_PROGRAM", "")


def check(fn, contract: str, seed: int, **limits) -> None:
    negzero.check(fn, "gemm", formats=FORMATS, contract=CONTRACTS[contract], limits={**LIMITS, **limits}, seed=seed,
                  save_to=None)  # fmt: skip


@pytest.mark.parametrize("fn", [rounded, straight])
def test_an_implementation_keeps_its_own_contract(fn):
    for seed in SEEDS[:3]:
        check(fn, fn.__name__, seed)


@pytest.mark.parametrize("fn, contract, tried, smallest", BREAKS)
def test_it_breaks_another_with_one_element(fn, contract, tried, smallest):
    for seed in SEEDS:
        with pytest.raises(negzero.Counterexample) as caught:
            check(fn, contract, seed, k=(0, tried))
        extents = re.search(r"batch 1, m 1, n 1, k (\d+) ", str(caught.value))
        assert extents and int(extents.group(1)) <= smallest, str(caught.value)


@pytest.mark.xfail(
    strict=True, reason="an F32 sum that is cut to a tie of F16 rounds otherwise: 0.04727 * 1.202 + 2.205 * 1.232"
)
def test_an_f16_sum_of_one_step_rounds_where_it_is_declared():
    for seed in SEEDS[:3]:
        check(f16_fragment, "rounded", seed, k=(0, STEP))


@pytest.mark.parametrize("variant", KERNELS)
def test_what_was_recorded(variant):
    """Each implementation keeps the contract of its name, and no other; that of a sequence permits both roundings."""
    contracts = SEQUENCES if variant in SEQUENCES else CONTRACTS
    kept = {"straight_sequence": set(SEQUENCES), "rounded_sequence": {"rounded_sequence"}}.get(variant, {variant})
    for case, outputs in recorded(RECORDED, variant):
        steps = case.described["extents"]["k"] / STEP
        for name, contract in contracts.items():
            is_one_step = variant == "f16_fragment" and name == "rounded" and steps <= 1
            if name in kept or is_one_step:
                negzero.assert_permitted(outputs, case, contract=contract, elements="all", save_to=None)
            else:
                with pytest.raises(negzero.NotPermitted):
                    negzero.assert_permitted(outputs, case, contract=contract, elements="all", save_to=None)


def test_naming_the_unit_that_was_recorded_refuses_more():
    """The recordings are an H100's. Its sums are nearer to the exact ones than those of any unit."""
    hopper = {**CONTRACTS["rounded"], "unit": "hopper"}
    case = negzero.load(RECORDED / "chunk.case.safetensors")
    negzero.assert_permitted(RECORDED / "chunk.rounded.safetensors", case, contract=hopper, save_to=None)
    for variant in ("straight", "f16_fragment"):
        outputs = RECORDED / f"chunk.{variant}.safetensors"
        any_unit, one_unit = (
            negzero.judge(outputs, case, contract=contract, elements="all").failing
            for contract in (CONTRACTS["rounded"], hopper)
        )
        assert 0 < any_unit < one_unit


@pytest.mark.parametrize("fn, contract, tried, smallest", BREAKS)
def test_the_smallest_cases_that_were_recorded(fn, contract, tried, smallest):
    """What `check` shrank on a GPU: the contract refuses the implementation, and each keeps the one of its name."""
    name = f"{fn.__name__}_declared_{contract}"
    breaks = SMALLEST / f"{name}.{fn.__name__}.safetensors"
    case = negzero.load(SMALLEST / f"{name}.case.safetensors")
    extents = case.described["extents"]
    assert extents["m"] == extents["n"] == extents["batch"] == 1 and extents["k"] <= smallest
    with pytest.raises(negzero.NotPermitted):
        negzero.assert_permitted(breaks, case, contract=CONTRACTS[contract], save_to=None)
    for keeps in SMALLEST.glob(f"{name}.*.safetensors"):
        variant = keeps.name.split(".")[1]
        if variant in CONTRACTS:
            negzero.assert_permitted(keeps, case, contract=CONTRACTS[variant], save_to=None)


def run_check(kernel: str, folder: pathlib.Path) -> int:
    """Returns how `negzero check` ends on a GPU; skips where there is no program, no kernel or no GPU."""
    if not PROGRAM:
        pytest.skip("NEGZERO_PROGRAM is not set: there are no kernels")
    command = [PROGRAM, "check", kernel, "--executor", "cuda", "--shrink-time", "0s", "--save", folder]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, text=True)
    if done.returncode == 77 or "no kernel matches" in done.stderr:
        assert not os.environ.get("NEGZERO_REQUIRE_GPU"), done.stderr
        pytest.skip(done.stderr.strip().splitlines()[-1])
    return done.returncode


def test_on_a_gpu_the_kernels_keep_their_contracts(tmp_path):
    assert run_check("cute.state_update.*", tmp_path) == 0


@pytest.mark.parametrize("fn, contract, tried, smallest", BREAKS)
def test_on_a_gpu_they_break_the_other(fn, contract, tried, smallest, tmp_path):
    assert run_check(f"faulty.cute.{fn.__name__}_declared_{contract}", tmp_path) == 1
