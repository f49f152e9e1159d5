"""negzero.accept() is judge() that raises nothing."""

from __future__ import annotations

import negzero
import numpy as np
from support import gemm, spoiled


def test_it_says_what_judge_says() -> None:
    a, b, d = gemm()
    good, bad = negzero.accept(d, "gemm", a=a, b=b), negzero.accept(spoiled(d, (0, 1)), "gemm", a=a, b=b)
    assert good and not bad and bad.error is None
    assert bad.judgement is not None and bad.judgement.verdict == "fail"
    assert str(bad) == bad.reason and bad.reason.startswith("gemm: not permitted: 1 element") and "d[0, 1] = " in bad.reason
    assert negzero.accept(np.sum(a, axis=1), np.sum, a, axis=1)


def test_what_cannot_be_judged_is_not_accepted_and_raises_nothing() -> None:
    a, b, d = gemm()
    for observed, operation, operands in (
        (d[:1], "gemm", {"a": a, "b": b}),
        (d, "gem", {"a": a, "b": b}),
        (d, "gemm", {"a": a}),
        (object(), "gemm", {"a": a, "b": b}),
        (d, "gemm", {"a": a, "b": b, "contract": {"order": "up"}}),
    ):
        done = negzero.accept(observed, operation, **operands)  # type: ignore[arg-type]
        assert not done and done.error is not None and done.reason.startswith("not judged: ")
    # Nothing is decided of an output whose sets hold everything.
    wide = np.full((1, 4), 3e38, np.float32)
    done = negzero.accept(np.float32([0]), "reduce.sum", x=np.concatenate([wide, -wide], 1))
    assert bool(done) == (done.judgement is not None and done.judgement.verdict == "pass")
