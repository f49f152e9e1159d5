"""What is made of the library's list and of the functions' promises is as they are now; unknown names are answered."""

from __future__ import annotations

import pathlib
import typing
from typing import Any

import generated
import negzero
import numpy as np
import pytest

X = np.zeros((2, 2), np.float32)
CURE = "python python/tests/generated.py writes it"


def test_the_type_is_what_the_library_lists() -> None:
    module = generated.ROOT / "python/negzero/_contract.py"
    assert module.read_text() == generated.contract_module(), CURE
    hints = typing.get_type_hints(negzero.Contract)
    rows = {row["name"]: row for row in generated.listing()["fields"]}
    assert list(hints) == ["preset", *rows]
    assert not negzero.Contract.__required_keys__
    for name, row in rows.items():
        if isinstance(row["takes"], list):
            assert list(_words(hints[name])) == row["takes"], name
        assert f"\n    {name}: " in (negzero.Contract.__doc__ or ""), name


def _words(hint: Any) -> "list[Any]":
    """The words of a Literal, or of an Optional of one."""
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint))
    return [word for part in typing.get_args(hint) for word in ([None] if part is type(None) else _words(part))]


def test_the_tables_are_what_the_package_says() -> None:
    document = generated.ROOT / "docs/reference/functions.md"
    assert document.read_text() == generated.texts()[document], CURE


def test_every_function_has_a_line_and_every_promise_a_source() -> None:
    text = (generated.ROOT / "docs/reference/functions.md").read_text()
    for name, operation in negzero.functions().items():
        assert f"| `{name}` | `{operation}` | " in text
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 4 and cells[0].isdigit():
            assert all((cells[1], cells[3])), line


def test_a_document_without_a_place_is_refused() -> None:
    with pytest.raises(AssertionError, match="no place for fields"):
        generated.between("text", "fields", "made")
    marked = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
    assert generated.between(marked, "x", "new") == "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n"


def test_every_word_of_the_list_is_taken_by_the_library() -> None:
    for row in generated.listing()["fields"]:
        for word in row["takes"] if isinstance(row["takes"], list) else [row["default"]]:
            try:
                negzero.judge(X, "gemm", a=X, b=X, contract={row["name"]: word})  # type: ignore[misc]
            except ValueError as error:  # a field may contradict another one, or need it
                assert "is not one of" not in str(error) and "is unknown" not in str(error), error


@pytest.mark.parametrize(
    ("contract", "says"),
    [
        ({"accumulator": "F32"}, 'field "accumulator" is unknown; did you mean "accumulate"? known: preset, '),
        ({"tolerance": 1e-3}, 'field "tolerance" is unknown; known: preset, multiplicand, '),
        ({"order": "asc"}, '"asc" is not one of: any, ascending, model; did you mean "ascending"?'),
        ({"accumulate": "fp32"}, 'did you mean "F32"?'),
        ({"preset": "fp16_acc_f16"}, 'did you mean "f16_acc_f16"?'),
        ("float32", 'contract "float32": no such preset; known: f32, '),
        ("bf16", 'contract "bf16": no such preset; did you mean "bf16_acc_f32"? known: f32, '),
        ({"wider": "no"}, '"no" is not true or false; '),
        ({"nan": "ignored"}, "is not one of: propagate, ignore"),
    ],
)
def test_what_is_unknown_is_answered_with_what_is_known(contract: Any, says: str) -> None:
    for call in (negzero.judge, negzero.assert_permitted):
        with pytest.raises(ValueError) as caught:
            call(X, "gemm", a=X, b=X, contract=contract)
        assert says in str(caught.value) and "; " in str(caught.value)


def test_the_package_is_typed() -> None:
    assert (pathlib.Path(negzero.__file__).parent / "py.typed").exists()
