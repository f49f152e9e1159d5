"""Options of a launch: what a function that takes them is given, and what a case, a module and messages say of them."""

from __future__ import annotations

import json
import re

import negzero
import numpy as np
import pytest

from test_kernels import Worker, described, plan, view

OPTIONS = {"configuration": {"algorithm": [0, 1, 2], "workspace": [4096, 0]}}


def sum_by(x, algorithm, workspace):
    """Is wrong by algorithm 2 alone, from three columns on."""
    assert type(algorithm) is int and type(workspace) is int
    kept = x[:, :-1] if algorithm == 2 and x.shape[1] > 2 else x
    return kept.sum(1)


def found(**options):
    with pytest.raises(negzero.Counterexample) as caught:
        negzero.check(sum_by, "reduce.sum", limits=OPTIONS, **options)
    return caught.value


def test_the_case_says_the_option_that_matters_and_no_other(tmp_path):
    example = found(save_to=tmp_path)
    assert example.case.configuration == {"algorithm": 2}
    assert example.case.described["extents"] == {"rows": 1, "columns": 3}
    assert "\n             configuration: algorithm 2\n" in str(example)
    assert "y = sum_by(x=x, algorithm=2, workspace=4096)" in str(example), "the call with all options"
    assert negzero.load(example.path).configuration == {"algorithm": 2}


def test_every_value_of_every_option_is_drawn_and_right_ones_pass():
    seen = set()

    def right(x, workspace, algorithm):
        seen.add((algorithm, workspace))
        return x.sum(1)

    checked = negzero.check(right, "reduce.sum", limits=OPTIONS, cases=100)
    assert checked.passed > 50
    assert seen == {(a, w) for a in (0, 1, 2) for w in (4096, 0)}


def test_a_case_without_options_has_none():
    assert negzero.case("reduce.sum", x=np.zeros((2, 3), np.float32)).configuration == {}


def test_a_saved_case_whose_value_is_gone_is_dropped(tmp_path):
    found(save_to=tmp_path)
    fewer = {"configuration": {"algorithm": [0, 1], "workspace": [4096, 0]}}
    with pytest.warns(UserWarning, match="is dropped: its algorithm is 2, none of the option's values now"):
        assert negzero.check(sum_by, "reduce.sum", limits=fewer, save_to=tmp_path, cases=50).passed > 20


@pytest.mark.parametrize(
    "error, says, configuration",
    [
        (TypeError, "sum_by does not take split, an option of limits", {**OPTIONS["configuration"], "split": [1, 2]}),
        (TypeError, "configuration is [0, 1]; give the values of each option", [0, 1]),
        (TypeError, "the option algorithm is 3; give a list of whole numbers", {"algorithm": 3}),
        (TypeError, "the option algorithm is [0.5]", {"algorithm": [0.5]}),
        (TypeError, "the option algorithm is [True]", {"algorithm": [True]}),
        (ValueError, "the option algorithm is []; give at least one value", {"algorithm": []}),
        (ValueError, "the option algorithm is [1, 1]; give at least one value, and none twice", {"algorithm": [1, 1]}),
        (ValueError, "the option algorithm has the value 9223372036854775808; give numbers of 64 bits, signed",
         {"algorithm": [0, 1 << 63]}),  # fmt: skip
        (ValueError, "the option 'Algorithm'; a name is 1 to 32 of", {"Algorithm": [1]}),
        (ValueError, "the option x is something of reduce.sum", {"x": [1]}),
        (ValueError, "the option rows is something of reduce.sum", {"rows": [1]}),
        (ValueError, "option algorithm has 4097 values; at most 4096",
         {"algorithm": range(4097), "workspace": [0]}),
    ],
)  # fmt: skip
def test_wrong_options_are_named_with_a_cure(error, says, configuration):
    with pytest.raises(error, match=re.escape(says)):
        negzero.check(sum_by, "reduce.sum", limits={"configuration": configuration})


def test_an_option_that_limits_do_not_name_is_a_parameter_of_nothing():
    with pytest.raises(TypeError, match="takes workspace, which is nothing of reduce.sum"):
        negzero.check(sum_by, "reduce.sum", limits={"configuration": {"algorithm": [0, 1]}})


MODULE = """
import negzero

@negzero.kernel("reduce.sum", name="by", limits={"configuration": {"algorithm": range(3), "scale": [1, -4]}})
def by(x, y, algorithm, scale):
    y[...] = x.sum(1) * scale + algorithm
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "configured.py"
    path.write_text(MODULE)
    return str(path)


def test_a_module_declares_its_options(module):
    _, body = described(module)
    (kernel,) = json.loads(body)["kernels"]
    assert kernel["limits"]["configuration"] == {"algorithm": [0, 1, 2], "scale": [1, -4]}


def test_a_kernel_is_called_with_the_values_of_the_plan(module):
    worker = Worker(module, "by", "host")
    memory = worker.serve()
    x, y = view(memory, np.float32, (2, 3), (3, 1), 4096), view(memory, np.float32, (2,), (1,), 12544)
    x[...] = [[1, 2, 3], [4, 5, 6]]
    buffers = {"x": ("F32", (2, 3), (3, 1), "input", 4096), "y": ("F32", (2,), (1,), "output", 12544)}
    for algorithm, scale in ((0, 1), (2, -4)):
        said = {"algorithm": algorithm, "scale": scale}
        assert worker.launch(plan("reduce.sum", buffers, configuration=said)) == [("done", "", "")]
        assert y.tolist() == [6 * scale + algorithm, 15 * scale + algorithm]
    worker.end()
