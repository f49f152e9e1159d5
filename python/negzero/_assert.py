"""Raises where recorded results are not permitted, with the counterexample as text and as files."""

from __future__ import annotations

import json
import os
import shlex
from typing import Any

from . import _library, _safetensors
from ._case import path_of, write_file
from ._contract import Contract
from ._judge import judge
from ._judgement import Judgement
from ._saved import make_folder, short_hash
from ._tracing import untraced


class _NotShown(AssertionError):
    def __init__(self, judgement: "Judgement | None", text: str) -> None:
        super().__init__(text)
        self.judgement = judgement

    def __reduce__(self) -> Any:  # pytest-xdist and multiprocessing send exceptions to other processes
        return type(self), (self.judgement, self.args[0])


class NotPermitted(_NotShown):
    """The contract does not permit what was observed. The text is the counterexample; `judgement` holds the parts."""

    __module__ = "negzero"  # the name that people import, in what pytest prints


class NothingDecided(_NotShown):
    """Nothing was decided: there is no verdict, or one that nothing could have failed. No pass, and no finding.

    `judgement` is None where it was a check() that decided nothing.
    """

    __module__ = "negzero"  # the name that people import, in what pytest prints


@untraced
def assert_permitted(
    observed: object,
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    save_to: "str | os.PathLike[str] | None" = ".negzero",
    **options: Any,
) -> Judgement:
    """Raises NotPermitted, an AssertionError, where the contract does not permit what was observed.

        negzero.assert_permitted(d, "gemm", a=a, b=b)
        negzero.assert_permitted(my_mm(a, b), torch.mm, a, b)

    Takes what negzero.judge() takes. The error's text has the worst elements, what is permitted of them, the rule with
    its source, contracts that would permit them, and one line REPRO that repeats the judgement in a shell. Case and
    outputs are saved in the folder `save_to` (None: nowhere) under names made of their content, so that the same
    failure is saved once. Raises NothingDecided, an AssertionError too, where the verdict means nothing (vacuous) or
    there is none. Returns the judgement, whose `blind` is the share of terms that could be dropped unnoticed.
    """
    folder = None if save_to is None else path_of(save_to, "save_to")
    judgement = judge(observed, operation, *arguments, contract=contract, **options)
    if judgement.permitted:
        return judgement
    if judgement.verdict != "fail":
        raise NothingDecided(judgement, judgement.text)
    lines = [judgement.text]
    if folder is not None:
        lines += _saved(judgement, folder)
    raise NotPermitted(judgement, "\n".join(lines))


def _saved(judgement: Judgement, folder: str) -> "list[str]":
    """Saves case and outputs, and returns lines about it. Whatever goes wrong becomes a line: the finding goes on."""
    try:
        case = _canonical_with_contract(judgement)
        name = f"{judgement.case.operation}-{short_hash(case)}"
        make_folder(folder)
        case_path = os.path.abspath(os.path.join(folder, f"{name}.safetensors"))
        outputs = judgement.recorded
        observed_path = os.path.abspath(os.path.join(folder, f"{name}.observed-{short_hash(outputs)}.safetensors"))
        for path, data in ((case_path, case), (observed_path, outputs)):
            if not os.path.exists(path):
                write_file(path, data)
    except Exception as error:
        return [f"not saved: {type(error).__name__}: {error}; give save_to= a folder that can be written"]
    words = ["negzero", "judge", case_path, "--observed", observed_path]
    return [f"case: {case_path}", f"outputs: {observed_path}", f"REPRO: {shlex.join(words)}"]


def _canonical_with_contract(judgement: Judgement) -> bytes:
    """The case with the contract that was judged by, so that it means the same wherever it is judged again."""
    tensors, metadata = _safetensors.read(judgement.case.data, "the case")
    metadata |= {"contract": json.dumps(judgement.contract), "contract_version": _library.contract_version()}
    return _library.canonical(_safetensors.write(tensors, metadata))
