"""Recorded results of the systems: made on a GPU by record.py, judged anywhere.

A folder of recordings has a case, `NAME.case.safetensors`, and the outputs of each variant for it,
`NAME.VARIANT.safetensors`.
"""

from __future__ import annotations

import pathlib

import negzero


def record(folder: pathlib.Path, name: str, variant: str, judgement: negzero.Judgement) -> None:
    """Saves what was judged, whatever the verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    judgement.case.save(folder / f"{name}.case.safetensors")
    (folder / f"{name}.{variant}.safetensors").write_bytes(judgement.recorded)


def recorded(folder: pathlib.Path, variant: str) -> "list[tuple[negzero.Case, pathlib.Path]]":
    """Returns every case of which the variant was recorded, with the file of its outputs; never none."""
    paths = sorted(folder.glob(f"*.{variant}.safetensors"))
    if not paths:
        raise FileNotFoundError(f"{folder}: no recording of {variant}; run record.py on a machine with a GPU")
    return [(negzero.load(folder / f"{path.name.partition('.')[0]}.case.safetensors"), path) for path in paths]
