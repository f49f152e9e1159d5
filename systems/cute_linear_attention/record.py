"""Records what the kernels of state_update.cu give on this GPU: `record.py PROGRAM`, a negzero that has them."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

import negzero
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from recordings import recorded
from state_updates import CONTRACTS, ROUNDED, SEQUENCES
from test_state_update import KERNELS, RECORDED

#: m, n and k of each case: k rows of the sequence, of which 64 are one chunk, and 16 one step of a tensor core.
SHAPES = {"four": (17, 9, 4), "step": (20, 12, 16), "chunk": (24, 40, 64), "sequence": (24, 20, 200)}


def save_cases() -> None:
    """Saves the cases: K and V of N(0, 1), and a state as large as what is added to it."""
    RECORDED.mkdir(exist_ok=True)
    random = np.random.default_rng(2214)
    for name, (m, n, k) in SHAPES.items():
        rows, values = (random.standard_normal(shape).astype(np.float16) for shape in ((k, m), (k, n)))
        state = (k**0.5 * random.standard_normal((m, n))).astype(np.float32)
        negzero.case("gemm", a=rows.T, b=values, c=state).save(RECORDED / f"{name}.case.safetensors")


def save_outputs(program: str) -> None:
    """Runs each kernel on the cases that lie within its limits, and saves what it gave."""
    for variant, kernel in KERNELS.items():
        for case in sorted(RECORDED.glob("*.case.safetensors")):
            if (case.name == "sequence.case.safetensors") != (variant in SEQUENCES):
                continue
            with tempfile.TemporaryDirectory() as folder:
                command = [program, "replay", case, "--kernel", kernel, "--executor", "cuda", "--save-outputs", folder]
                subprocess.run(command, check=False, timeout=120, capture_output=True)
                (saved,) = pathlib.Path(folder).glob("*.safetensors")
                name = case.name.partition(".")[0]
                (RECORDED / f"{name}.{variant}.safetensors").write_bytes(saved.read_bytes())


def show(contracts: "dict[str, negzero.Contract]", variants: "list[str]") -> None:
    """Prints how many elements of each recording each of the contracts refuses."""
    print(f"{'refused by':29}" + "".join(f"{name:20}" for name in contracts).rstrip())
    for variant in variants:
        for case, outputs in recorded(RECORDED, variant):
            said = [negzero.judge(outputs, case, contract=contract, elements="all") for contract in contracts.values()]
            counts = "".join(f"{each.failing:5} of {each.of:5}      " for each in said).rstrip()
            print(f"{variant:18} {outputs.name.partition('.')[0]:9} {counts}")


if __name__ == "__main__":
    save_cases()
    if len(sys.argv) > 1:
        save_outputs(sys.argv[1])
    one_chunk = [variant for variant in KERNELS if variant not in SEQUENCES]
    show({**CONTRACTS, "rounded on Hopper": {**ROUNDED, "unit": "hopper"}}, one_chunk)
    show(SEQUENCES, list(SEQUENCES))
