"""negzero judges recorded results of GPU arithmetic: bug or rounding?

    import negzero
    negzero.assert_permitted(d, "gemm", a=a, b=b)

Each result is held against the exact set of results that a contract permits: a format of accumulation, an order, what
becomes of NaN, infinities and -0. No tolerance is chosen. A pass says that what was judged is permitted, and no more:
Judgement.blind says what share of the terms could be dropped, one at a time, unnoticed.

sensitivity() says which wrong outputs would pass, by the sets and by an allclose; tolerance() is the least atol for
those who keep one; explain() says why one element is permitted or not; accept() asks and raises nothing; order_of()
finds the order in which a function adds; operation() tells `pytest --negzero-assertions` what an assertion is about;
assert_batch_invariant() compares a function's rows with themselves in other batches.

kernel() registers functions of a module for `negzero check|fuzz|replay --kernels MODULE.py`, each in a process of its
own.

Any number of threads may call at once; the GIL is released while a call computes. An interrupt (Ctrl-C) is seen when
the call is over.
"""

from ._accept import Acceptance, accept
from ._assert import NothingDecided, NotPermitted, assert_permitted
from ._assertions._operations import operation
from ._batch import BatchInvariance, NotInvariant, assert_batch_invariant
from ._calling import Refused
from ._case import Case, load
from ._check import check
from ._checked import Checked, Counterexample
from ._contract import Contract
from ._explain import ExplainedPath, Explanation, PermittingWord, explain
from ._functions import Promise, contract_of, functions
from ._judge import PermittedSet, judge, permitted
from ._judgement import Element, Judgement, Rule
from ._kernels import kernel
from ._library import LibraryError
from ._library import version as _version
from ._operations import operations
from ._order import FoundOrder, OrderAt, order_of
from ._prepare import case
from ._saved import last_case
from ._sensitivity import Mutant, Sensitivity, sensitivity
from ._tolerance import Tolerance, tolerance
from ._tracebacks import hide_frames_of as _hide_frames_of

__version__ = _version()
_hide_frames_of(__name__)

__all__ = [
    "Acceptance",
    "BatchInvariance",
    "Case",
    "Checked",
    "Contract",
    "Counterexample",
    "Element",
    "ExplainedPath",
    "Explanation",
    "FoundOrder",
    "Judgement",
    "LibraryError",
    "Mutant",
    "NotInvariant",
    "NotPermitted",
    "NothingDecided",
    "OrderAt",
    "PermittedSet",
    "PermittingWord",
    "Promise",
    "Refused",
    "Rule",
    "Sensitivity",
    "Tolerance",
    "accept",
    "assert_batch_invariant",
    "assert_permitted",
    "case",
    "check",
    "contract_of",
    "explain",
    "functions",
    "judge",
    "kernel",
    "last_case",
    "load",
    "operation",
    "operations",
    "order_of",
    "permitted",
    "sensitivity",
    "tolerance",
]
