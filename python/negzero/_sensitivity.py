"""Says which wrong outputs would pass: by what a contract permits, and by a tolerance that a caller has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _library, _safetensors
from ._case import Case
from ._contract import Contract
from ._formats import EVERY, format_named
from ._functions import function_of
from ._judge import contract_options, number, whole
from ._judgement import many
from ._mutants import mutants
from ._operations import signature_of
from ._prepare import unobserved
from ._sets import Contents, bits, contents_of, plausible, refused, sets_of
from ._tracing import untraced

#: Most products or elements of a case: each defect has sums of its own, and sets are computed anew for most of them.
_MOST_WORK = 1 << 24
#: Extents of generated cases.
_EXTENTS = {
    **{"batch": (1, 2), "groups": (1, 3), "capacity": (1, 8), "m": (1, 24), "n": (1, 24), "k": (1, 256)},
    **{"rows": (1, 24), "columns": (1, 512), "count": (1, 512), "updates": (1, 512), "destinations": (1, 48)},
}


@dataclass(frozen=True)
class Mutant:
    """One defect, over all cases that were tried."""

    name: str  #: "last term dropped"
    what: str  #: precisely what was done
    cases: int  #: in which it changes a bit of the output; the other numbers are of these cases alone
    changed: int  #: elements that it changes
    refused: int  #: elements that the permitted sets refuse
    refused_cases: int  #: cases in which they refuse one element or more
    close_cases: "int | None"  #: cases in which allclose lets it pass; None where no tolerance was given
    why: str  #: where `cases` is 0: "changes nothing", or why it does not apply

    @property
    def passes(self) -> bool:
        """Says whether allclose lets it pass, in one case or more."""
        return bool(self.close_cases)


@dataclass(frozen=True)
class Sensitivity:
    """What would pass. A defect that changes no bit is no pass: such rows have no cases."""

    operation: str
    cases: int  #: cases with a right output, which the permitted sets permit and from which the defects start
    elements: int  #: of their outputs
    largest: float  #: the largest finite magnitude of the right outputs
    atol: "float | None"
    rtol: "float | None"
    contract_text: str  #: what the permitted sets are made by; of the first of several cases
    rows: "tuple[Mutant, ...]"
    undecided: int = 0  #: generated cases of which the contract decides nothing; they are not among `cases`
    empty: int = 0  #: generated cases without elements; neither are they

    @property
    def passing(self) -> "tuple[str, ...]":
        """Names of the defects that allclose lets pass, in one case or more."""
        return tuple(row.name for row in self.rows if row.passes)

    @property
    def permitted(self) -> "tuple[str, ...]":
        """Names of the defects that the permitted sets refuse in no case."""
        return tuple(row.name for row in self.rows if row.cases and not row.refused_cases)

    @property
    def text(self) -> str:
        """A table for people, without a newline at the end."""
        several = self.cases != 1
        close = "" if self.atol is None else f"allclose(rtol={self.rtol:g}, atol={self.atol:g})"
        head = ("defect", "changes", "permitted sets", close)
        lines = [head, *(self._line(row, several) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(3)]
        shown = ["  ".join([*(word.ljust(width) for word, width in zip(line, widths)), line[3]]) for line in lines]
        cases = f"{self.cases:,} cases, " if several else ""
        left = [(self.undecided, "the contract decides nothing"), (self.empty, "the outputs have no elements")]
        more = "".join(f"{many(count, 'more case')} left out: {why}\n" for count, why in left if count)
        return (
            f"{self.operation}: {cases}{many(self.elements, 'element')}, the largest result is {self.largest:.3g}\n"
            f"contract: {self.contract_text}\n{more}" + "\n".join(line.rstrip() for line in shown)
        )

    def __str__(self) -> str:
        return self.text

    def _line(self, row: Mutant, several: bool) -> "tuple[str, str, str, str]":
        if not row.cases:
            return row.name, "nothing" if row.why == _NOTHING else "-", row.why if row.why != _NOTHING else "-", ""
        changes = many(row.changed, "element") + (f" in {many(row.cases, 'case')}" if several else "")
        if not row.refused_cases:
            sets = "permit it"
        elif several:
            sets = f"refuse {row.refused_cases:,} of {many(row.cases, 'case')}"
        else:
            sets = f"refuse {many(row.refused, 'element')}"
        if row.close_cases is None:
            return row.name, changes, sets, ""
        passes = f"PASSES {row.close_cases:,} of {many(row.cases, 'case')}" if several else "PASSES"
        return row.name, changes, sets, passes if row.close_cases else "refuses"


_NOTHING = "changes nothing"


@untraced
def sensitivity(
    operation: object,
    *arguments: Any,
    contract: "str | Contract | None" = None,
    atol: "float | None" = None,
    rtol: "float | None" = None,
    out_dtype: object = None,
    formats: "Sequence[object] | None" = None,
    cases: "int | None" = None,
    seed: int = 1,
    **operands: Any,
) -> Sensitivity:
    """Says what would pass: which wrong outputs the permitted sets refuse, and which ones a tolerance lets through.

        print(negzero.sensitivity("gemm", a=a, b=b, atol=0.05))
        print(negzero.sensitivity("gemm", formats=("F16", "F16", "F32"), cases=20, atol=0.05, rtol=0))

    Makes an output of these inputs that the contract permits (sums from the left in float64), and of it wrong ones: all
    zeros; terms that are dropped or doubled; narrower accumulators and inputs; rows, zeros and NaN that are lost ...
    Mutant.what says of each precisely what was done. Dropped and doubled terms, rounded and flushed inputs and other
    scalars are exact: outputs that the contract permits for the changed inputs.

    operation, arguments, contract, out_dtype and operands are those of negzero.permitted(); a Case will do too.
    atol, rtol  for each defect, whether numpy.allclose(wrong, right, rtol=rtol, atol=atol, equal_nan=True) would let it
                pass, in float64; where one is missing, NumPy's own default counts, 1e-05 for rtol and 1e-08 for atol
    formats     where no operands are given: the formats of adversarial cases that are drawn ("F16" or dtypes, as
                negzero.check() takes one combination); any where missing
    cases, seed how many are drawn (20 where missing), and from which stream. Results are sums over the cases

    A defect that changes no bit of an output, or that an operation cannot have, is listed as such and never passes.

    Raises what negzero.permitted() raises; ValueError for outputs without elements, more than 2^24 products, and cases
    of which the contract decides nothing.
    """
    tolerance = _tolerance(atol, rtol)
    has_inputs = isinstance(operation, Case) or bool(arguments) or any(value is not None for value in operands.values())
    if has_inputs:
        for name, value in (("formats", formats), ("cases", cases)):
            if value is not None:
                raise TypeError(f"{name}: of drawn cases alone; leave it out, or leave the operands out")
        chosen = iter([_given(operation, arguments, contract, out_dtype, operands)])
    else:
        if out_dtype is not None:
            raise TypeError("out_dtype: drawn cases have formats=; leave it out, or give operands")
        function = function_of(operation)
        if function is not None:
            raise TypeError(
                f"{function.name}: cases are drawn of operations alone; give its arguments, or {function.operation!r}"
            )
        count = 20 if cases is None else whole(cases, "cases", 1, 100_000)
        chosen = _drawn(operation, contract, formats, count, seed)
    with np.errstate(all="ignore"):  # NaN, infinities and what becomes of them are what is looked at
        return _summed([_tried(each, tolerance) for each in chosen], tolerance)


@dataclass(frozen=True)
class _Tried:
    """One case: the rows are in the order of mutants()."""

    operation: str
    elements: int
    largest: float
    contract_text: str
    rows: "tuple[Mutant, ...]"
    undecided: str = ""


def _given(operation: object, arguments: Any, contract: object, out_dtype: object, operands: Any) -> Contents:
    if isinstance(operation, Case):
        if arguments or operands or out_dtype is not None:
            raise TypeError("a case brings its operands and dtypes; leave others out, or name the operation")
        return contents_of(operation.data, contract_options(operation, contract))
    prepared = unobserved(operation, arguments, contract, out_dtype, operands)
    if prepared.call is not None and prepared.is_promised and prepared.call.undecided:
        raise ValueError(f"contract: {prepared.call.undecided}; give one")
    return contents_of(prepared.case.data, contract_options(prepared.case, contract))


def _drawn(operation: object, contract: object, formats: object, cases: int, seed: object) -> "Iterator[Contents]":
    signature = signature_of(operation)
    options: "dict[str, Any]" = {
        "operation": signature.name,
        "packed": True,
        "seed": whole(seed, "seed", 0, 2**64 - 1),
        "extents": {name: list(_EXTENTS[name]) for name in signature.extents if name in _EXTENTS},
    }
    if formats is not None:
        if isinstance(formats, str) or not isinstance(formats, Sequence):
            raise TypeError(f"formats: a {type(formats).__name__}; give a sequence, ('F16', 'F16', 'F32') for one")
        options["formats"] = [[format_named(each, "formats", EVERY) for each in formats]]
    judged_by = contract_options(Case(signature.name, b"", {}), contract)
    if judged_by["contract"] != "default":
        options["contract"] = judged_by["contract"]
    for index in range(cases):
        yield contents_of(_library.draw({**options, "index": index}), judged_by)


def _tried(contents: Contents, tolerance: "tuple[float, float] | None") -> _Tried:
    if contents.work > _MOST_WORK:
        raise ValueError(
            f"{contents.signature.name}: {contents.work:,} products or elements are more than {_MOST_WORK:,}; give a slice"
        )
    elements = sum(int(np.prod(contents.shape(each.name))) for each in contents.signature.outputs)
    if not elements:
        return _Tried(contents.signature.name, 0, 0.0, "", ())
    sets = sets_of(contents)
    right = plausible(contents, sets)
    options = {**contents.options, "elements": "all", "worst": 0}
    report = _library.judge(contents.data(), _safetensors.write(right, {}), options)
    if report["verdict"] == "undecided":
        return _Tried(contents.signature.name, elements, 0.0, report["contract_text"], (), report["reason"])
    if report["failing"]:
        raise _library.LibraryError(
            f"{contents.signature.name}: an output made of the permitted sets is not permitted; please report this"
        )
    rows = []
    for each in mutants(contents, sets, right):
        if each.outputs is None:
            rows.append(Mutant(each.name, each.what, 0, 0, 0, 0, None, f"does not apply: {each.why}"))
            continue
        changed = sum(_differing(right[name], each.outputs[name]) for name in right)
        if not changed:
            rows.append(Mutant(each.name, each.what, 0, 0, 0, 0, None, _NOTHING))
            continue
        wrong = refused(contents, sets, each.outputs)
        close = None if tolerance is None else int(all(_close(each.outputs[n], right[n], *tolerance) for n in right))
        rows.append(Mutant(each.name, each.what, 1, changed, wrong, int(wrong > 0), close, ""))
    finite = [np.abs(values.astype(np.float64)) for values in right.values()]
    largest = max((float(values[np.isfinite(values)].max(initial=0)) for values in finite), default=0.0)
    return _Tried(contents.signature.name, elements, largest, report["assumed"] or report["contract_text"], tuple(rows))


def _summed(tried: "list[_Tried]", tolerance: "tuple[float, float] | None") -> Sensitivity:
    decided = [each for each in tried if not each.undecided and each.elements]
    if not decided:
        reasons = {each.undecided or "the outputs have no elements, and nothing could be changed" for each in tried}
        raise ValueError(f"nothing was tried: {'; '.join(sorted(reasons))}; give other operands or another contract")
    rows = []
    for column in zip(*(each.rows for each in decided)):
        close = None if tolerance is None else sum(row.close_cases or 0 for row in column)
        cases = sum(row.cases for row in column)
        why = "" if cases else next((row.why for row in column if row.why != _NOTHING), _NOTHING)
        if not cases and any(row.why == _NOTHING for row in column):
            why = _NOTHING
        changed, wrong, wrong_cases = (
            sum(getattr(row, name) for row in column) for name in ("changed", "refused", "refused_cases")
        )
        first = column[0]
        rows.append(Mutant(first.name, first.what, cases, changed, wrong, wrong_cases, close if cases else None, why))
    rtol, atol = tolerance if tolerance is not None else (None, None)
    return Sensitivity(
        decided[0].operation,
        len(decided),
        sum(each.elements for each in decided),
        max(each.largest for each in decided),
        atol,
        rtol,
        decided[0].contract_text,
        tuple(rows),
        sum(1 for each in tried if each.undecided),
        sum(1 for each in tried if not each.undecided and not each.elements),
    )


def _differing(a: np.ndarray, b: np.ndarray) -> int:
    """Counts the elements whose bits differ; a NaN is every NaN."""
    differ = bits(a) != bits(b)
    if a.dtype.kind not in "iub":
        differ &= ~(np.isnan(a) & np.isnan(b))
    return int(differ.sum())


def _close(wrong: np.ndarray, right: np.ndarray, rtol: float, atol: float) -> bool:
    return bool(np.allclose(wrong.astype(np.float64), right.astype(np.float64), rtol, atol, equal_nan=True))


def _tolerance(atol: object, rtol: object) -> "tuple[float, float] | None":
    """Returns rtol and atol with NumPy's defaults; None where neither is given."""
    given = [None if value is None else number(value, name) for value, name in ((rtol, "rtol"), (atol, "atol"))]
    if given == [None, None]:
        return None
    return (1e-05 if given[0] is None else given[0], 1e-08 if given[1] is None else given[1])
