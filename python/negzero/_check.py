"""Checks a function on adversarial cases, and shrinks what fails."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable
from collections.abc import Mapping, Sequence

from ._calling import Caller
from ._case import contract_option, path_of
from ._checked import Checked
from ._checking import Checking
from ._claims import claims_of
from ._contract import Contract
from ._images import images_of
from ._judge import number, whole
from ._operations import signature_of
from ._parameters import name_of, parameters_of, scalar_limits
from ._preparation import Preparation
from ._progress import Progress
from ._reference import Reference, reference_option
from ._requests import configuration_of, formats_option, limits_options
from ._tracing import untraced


@untraced
def check(
    fn: "Callable[..., Any]",
    operation: str,
    *,
    formats: object = None,
    arrays: str = "numpy",
    device: "str | None" = None,
    contract: "str | Contract | None" = None,
    claims: "str | Sequence[str]" = (),
    reference: "Callable[..., Any] | None" = None,
    error: object = None,
    specials: "Mapping[str, Any] | None" = None,
    allow_not_judged: bool = False,
    limits: "Mapping[str, Any] | None" = None,
    values: "Mapping[str, Any] | None" = None,
    prepare: "Callable[..., Any] | None" = None,
    cases: "int | None" = None,
    seed: "int | None" = None,
    shapes: "int | None" = None,
    finite: bool = False,
    shrink_seconds: float = 20.0,
    save_to: "str | os.PathLike[str] | None" = ".negzero",
) -> Checked:
    """Makes adversarial cases of an operation, calls `fn` on them, judges what it gives, and shrinks what fails.

        negzero.check(my_gemm, "gemm", formats=("F16", "F16", "F32"), arrays="torch", device="cuda")

    operation   a name of negzero.operations(), or a line that declares one and says nothing of what it computes:
                "softmax: y[rows, columns] <- x[rows, columns] each rows" (docs/how-to/your_operation.md). Its values are
                judged by a reference alone
    fn          takes what it names: the operation's operands (see negzero.operations()) as arrays, its scalars as
                Python floats, or as the int or bool that a line says (first int, largest bool). It must take a line's
                parameters, extents that no tensor has, and may take other extents of a line; each is an int. A `batch`
                is there only where `limits` name it, so that gemm's a is (m, k). `c`, `alpha`
                and `beta` vary where fn names them; else alpha is 1 and beta 0. Where fn names the output, it writes
                into it: memory that is poisoned and lies between guard zones. Else its result is taken.
    formats     of the operation's operands in the order of its line, inputs and then the output, or a list of such
                combinations: ("F16", "F16", "F32"). F32 where it is missing. What is added (c), indices and counts may
                follow, in the output's format and I32 where they do not: ("F16", "F16", "F16", "F32") has c in F32
    arrays      "numpy", "torch", "jax" or "cupy"; and the device, "cuda" where PyTorch has one, "cpu" where not
    contract    as in negzero.judge(); where it is missing, what is assumed of such operands
    claims      "deterministic", "batch_invariant", "nan_stays_in_its_row", "padding_does_not_matter", one or several
    reference   gives what is right, of an operation that a line declares: it takes NumPy's arrays in float64 by the
                same names and returns such arrays, integers as they are. NothingDecided is raised without one, unless
                `allow_not_judged`: memory, races, exceptions and claims are looked at, and values are not
    error       how far values may be from the reference's: ulps of the output's format (4), or a float, relative to a
                scale that the reference returns too, as y_scale behind y; {"ulps": 1, "relative": 1e-6}; by output
                {"values": 0, "at": "any"}
    specials    NaN where the reference has NaN, or {"nan": "any"}: anything there; {"zero_signs": True}: zeros have the
                reference's signs
    limits      what fn takes: {"m": (1, 64), "k": (0, 256, 16)} for the least and the greatest extent and what divides
                it, {"n": 32} for one value, {"k": {"greatest": 256, "power_of_two": True}}; {("m", "n"): 4096} under
                "products" for the most that a product may be, ("m", "n") under "equal" for extents that are equal;
                ["k <= n", "n = o + k - 1"] under "relations" for such formulas of extents;
                {"inputs": "packed", "output": "packed"} for strides ("any", "row_or_column_major", "row_major",
                "column_major", "packed"), of one tensor {"b": "column_major"} or {"b": {"shared": ["batch"],
                "alignment": 16}} with the fields of docs/reference/worker_protocol.md; {"alpha": "one", "beta": "zero"} ...;
                {"configuration": {"algorithm": [0, 1, 2]}} for options, which fn takes as ints by their names: their
                values, the default first;
                {"epsilon": (1e-6, 1.0)} for a scalar of a declared operation, {"first": (0, 15), "largest": True} for
                whole ones
    values      that elements of inputs have, and what an output holds before: {"x": (-1e4, 1e4), "p": (0, None)}, None
                for no end. Numbers alone, unless {"least": 0, "inf": "positive", "nan": True} says so; inf may be True,
                "positive" or "negative". Of a scalar of a declared operation it is its limit
    prepare     changes drawn inputs before fn and reference see them, where values have relations that no range says:
                lambda lo, hi: (np.minimum(lo, hi), np.maximum(lo, hi)). It takes inputs, scalars and extents by their names,
                inputs as NumPy's arrays; it changes them in place and returns None, or returns a dict of inputs by
                name, or all inputs that it takes, in its order. Each smaller case is prepared too; a case file holds
                what came of it, and is taken as it is
    cases       that are drawn; 300 where it is missing, or what pytest's --negzero-cases says
    seed        of the stream of cases, from 1; 1 where it is missing, or what pytest's --negzero-seed says
    shapes      that all cases share, for functions that are compiled for each: 16 for JAX; 0: any number
    finite      whether no value is an infinity or a NaN
    save_to     the folder of failing cases, with which the next check of the same function begins; None: nowhere

    Inputs are views with the case's strides where the framework has views, in larger memory that is poisoned; what fn
    writes there is a finding, as an exception is, and other bits in a second run where the contract promises
    determinism. Raises Counterexample, an AssertionError; NothingDecided where no case could have failed; TypeError or
    ValueError for arguments that are wrong; LibraryError where negzero itself fails. While fn runs, the case is on
    disk: see negzero.last_case().
    """
    given = getattr(sys.modules.get("negzero_pytest"), "settings", None)
    signature = signature_of(operation)
    parameters = parameters_of(fn, signature, configuration=configuration_of(signature, limits))
    images = images_of(arrays, device)
    asked = claims_of(claims, signature)
    options = {
        "operation": signature.identity,
        "name": name_of(fn),
        "formats": formats_option(signature, formats, images.lacks, images.name),
        **limits_options(signature, limits, scalar_limits(signature, parameters), values),
        "contract": contract_option(contract) or "default",
        "promises": asked.promises,
        "claims": list(asked.properties),
        "cases": whole(cases if cases is not None else getattr(given, "cases", None) or 300, "cases", 1, 10**9),
        "seed": whole(seed if seed is not None else getattr(given, "seed", None) or 1, "seed", 1, 2**64 - 1),
        "shapes": whole(shapes if shapes is not None else 16 if images.compiles else 0, "shapes", 0, 100_000),
        "finite": _truth(finite, "finite"),
        "shrink_seconds": number(shrink_seconds, "shrink_seconds"),
    }
    held_to = None
    if reference is not None:
        wrapping: "set[str]" = set()
        options["reference"] = reference_option(signature, name_of(reference), error, specials, wrapping)
        held_to = Reference(reference, signature, options["reference"], wrapping)
    elif error is not None or specials is not None:
        raise TypeError(
            f"{'error' if error is not None else 'specials'}: of no reference; give reference=, or leave it out"
        )
    prepares = None if prepare is None else Preparation(prepare, signature, "batch" in (limits or {}))
    folder = None if save_to is None else path_of(getattr(given, "folder", None) or save_to, "save_to")
    progress = Progress(name_of(fn), options["cases"])
    caller = Caller(fn, signature, parameters, images, "batch" in (limits or {}), progress)
    allows = _truth(allow_not_judged, "allow_not_judged")
    return Checking(caller, held_to, prepares, options, asked, folder, given, allows).run()


def _truth(value: object, argument: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{argument}: a {type(value).__name__}; give True or False")
    return value
