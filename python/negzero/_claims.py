"""The claims that people ask for by name, in the contract's words and the properties of docs/explanation/numerics.md section 8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from collections.abc import Mapping, Sequence

from ._operations import Signature

#: By name: the fields of a contract that say it, and the properties that show it.
_CLAIMS: "Mapping[str, tuple[Mapping[str, Any], tuple[str, ...]]]" = {
    # The same call gives the same bits.
    "deterministic": ({"determinism": "run_to_run"}, ()),
    # A row's bits depend neither on how many other rows there are nor on where it lies.
    "batch_invariant": (
        {"determinism": "run_to_run", "position_invariant": True},
        ("other_rows", "permute_rows", "pad_rows", "batch"),
    ),
    # A NaN in a row of the input reaches no other row of the output.
    "nan_stays_in_its_row": ({"determinism": "run_to_run"}, ("nan_row",)),
    # Neither memory between the elements nor rows, columns and zeros beside them change a bit.
    "padding_does_not_matter": (
        {"determinism": "run_to_run", "position_invariant": True},
        ("embed", "pad_rows", "pad_columns", "pad_k"),
    ),
}
#: Of a declared operation these rest on `each`.
_OF_EACH = ("batch_invariant", "nan_stays_in_its_row")


@dataclass(frozen=True)
class Claims:
    """What is claimed of a function."""

    names: "tuple[str, ...]"
    promises: "Mapping[str, Any]"  #: fields of the contract
    properties: "tuple[str, ...]"  #: that cases are held to

    def name_of(self, claimed: str) -> str:
        """Returns the claim that a property belongs to, with the property: "batch_invariant (other_rows)"."""
        owner = next((name for name in self.names if claimed in _CLAIMS[name][1]), "")
        return f"{owner} ({claimed})" if owner else claimed


def claims_of(names: object, signature: Signature) -> Claims:
    """Reads the names of claims. Raises TypeError or ValueError, which list them, or name one that the operation's line
    has nothing for."""
    given = (names,) if isinstance(names, str) else names
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"claims: a {type(names).__name__}; give names out of {', '.join(_CLAIMS)}")
    promises: dict[str, Any] = {}
    properties: list[str] = []
    for name in given:
        if name not in _CLAIMS:
            raise ValueError(f"claims: {name!r} is none; give names out of {', '.join(_CLAIMS)}")
        if name in _OF_EACH and signature.declared and " each " not in signature.definition:
            raise ValueError(
                f"claims: {name} is about problems that are each by itself, and the line names none; "
                f"end it with 'each' and their extent: {signature.identity} each {signature.extents[0]}"
            )
        promises.update(_CLAIMS[name][0])
        properties += [each for each in _CLAIMS[name][1] if each not in properties]
    return Claims(tuple(given), promises, tuple(properties))
