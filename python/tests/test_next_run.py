"""check(): what a run leaves for the next one, and the record of the case in flight."""

from __future__ import annotations

import ctypes
import pathlib
import pickle
import struct
import textwrap

import negzero
import numpy as np
import pytest

from checks import found, inputs_of, right


# The next run


def test_what_failed_is_tried_first_and_dropped_once_it_passes():
    state = {"fixed": False, "seen": []}

    def fn(a, b):
        state["seen"].append(a.shape)
        return a @ b if state["fixed"] else np.zeros((a.shape[0], b.shape[1]), np.float32)

    example = found(fn)
    state["seen"].clear()
    again = found(fn)
    assert state["seen"][0] == inputs_of(example.case)["a"].shape[1:]
    assert again.path == example.path
    state["fixed"] = True
    negzero.check(fn, "gemm", cases=5)
    state["seen"].clear()
    negzero.check(fn, "gemm", cases=5)
    assert len(state["seen"]) <= 12  # five cases, some of which run again


def test_cases_that_no_longer_fit_are_dropped_with_a_line():
    def fn(a, b):
        return np.zeros((a.shape[0], b.shape[1]), a.dtype)

    found(fn)
    with pytest.warns(UserWarning, match="is dropped: its formats F32, F32, F32 are none"):
        found(fn, formats=("F16", "F16", "F16"))
    with pytest.warns(UserWarning, match="is dropped: its k is 1, outside of the limits now"):
        found(fn, formats=("F16", "F16", "F16"), limits={"k": (2, 9)})


def test_cases_of_other_formats_than_usual_are_kept_where_they_fit():
    seen = []

    def fn(a, b, c):
        seen.append((c.dtype.name, c.shape))
        return np.zeros(c.shape, a.dtype)

    formats = ("F16", "F16", "F16", "F32")
    example = found(fn, formats=formats)
    seen.clear()
    assert found(fn, formats=[("F32", "F32", "F32"), formats]).path == example.path
    assert seen[0] == ("float32", inputs_of(example.case)["c"].shape[1:])
    with pytest.warns(UserWarning, match="is dropped: its formats F16, F16, F16, F32 are none"):
        found(fn, formats=("F16", "F16", "F16", "F16"))


@pytest.mark.parametrize(
    "limits, why",
    [
        ({"k": {"least": 4, "power_of_two": True}}, "its k is 3, outside of the limits now"),
        ({"equal": ("m", "k")}, "its m, k are not equal"),
        ({"relations": "k <= m"}, "its extents break k <= m, as limits"),
        ({"relations": ["n >= 1", "ceil_div(k, 2) = max(m, 3)"]}, r"its extents break ceil_div\(k, 2\) = max"),
        ({"products": {("m", "k"): 5}}, "its m x k is more than 5"),
        ({"b": {"shared": ["k"]}}, "its b is not the same along k, which it shares now"),
        ({"inputs": {"shared": ["k"]}}, "its a is not the same along k"),
    ],
)
def test_cases_outside_of_relations_or_of_what_is_shared_now_are_dropped(limits, why):
    def fn(a, b):
        return np.zeros((a.shape[0], b.shape[1]), a.dtype)

    found(fn, limits={"m": 2, "k": 3, "n": (1, 4), "inputs": "packed"})
    again = {"m": 2, "n": (1, 4), **limits}
    with pytest.warns(UserWarning, match=f"is dropped: {why}"):
        found(fn, limits=again)


def test_the_same_arguments_give_the_same_counterexample():
    def fn(a, b):
        return np.zeros((a.shape[0], b.shape[1]), np.float32)

    texts = {str(found(fn, save_to=None, seed=7)) for _ in range(3)}
    assert len(texts) == 1


def test_a_counterexample_can_be_pickled():
    def fn(a, b):
        return np.zeros((a.shape[0], b.shape[1]), np.float32)

    example = found(fn)
    copy = pickle.loads(pickle.dumps(example))
    assert str(copy) == str(example) and copy.report == example.report and copy.path == example.path


def test_the_lines_to_paste_show_the_failure():
    def fn(x):
        return x[:, 1:].sum(-1)

    text = str(found(fn, "reduce.sum"))
    scope = {"fn": fn}
    exec(textwrap.dedent(text[text.index("    import numpy as np") :]), scope)
    assert scope["y"][0] == 0 != scope["x"].sum()


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.0, 1e-45])
def test_special_values_are_pasted_bit_for_bit(value):
    from negzero._paste import numpy_text

    for dtype in (np.float16, np.float32, np.float64):
        array = np.array([[value, 1.5]], dtype)
        again = eval(numpy_text(array), {"np": np})
        assert again.dtype == dtype and again.tobytes() == array.tobytes()
    odd = np.array([0x7FC00123, 0xFFC00000], np.uint32).view(np.float32)
    assert eval(numpy_text(odd), {"np": np}).tobytes() == odd.tobytes()


# The record of the case in flight


def test_a_record_of_a_process_that_lives_is_not_left_behind(tmp_path):
    from negzero._flight import Record, left_behind

    record = Record(str(tmp_path), "fn", "test")
    data = ctypes.create_string_buffer(b"some case", 9)
    record.begin(ctypes.addressof(data), 9)
    assert list(left_behind(str(tmp_path))) == []
    record.end()
    record.close()
    assert list((tmp_path / "in_flight").iterdir()) == []


def test_records_of_dead_processes_are_read_whatever_they_hold(tmp_path):
    from negzero._flight import left_behind

    place = tmp_path / "in_flight"
    place.mkdir()
    text = b'{"function": "fn", "test": ""}'
    whole = struct.pack("<QQQ", 1, 4, len(text)) + b"case" + text
    ended = struct.pack("<QQQ", 0, 4, len(text)) + whole[24:]
    contents = {"1-0": b"", "2-0": b"short", "3-0": whole, "4-0": whole[:-3], "5-0": ended, "8-0.new": b""}
    contents["6-0"] = struct.pack("<QQQ", 1, 2**63, 2**63) + b"x"
    contents["7-0"] = whole.replace(b'"test"', b'"tost"')
    for name, data in contents.items():
        (place / name).write_bytes(data)
    left = [each for _, each in left_behind(str(tmp_path))]
    assert [each.data for each in left] == [b"case"] and left[0].function == "fn"


def test_checks_of_several_threads_keep_their_cases_apart():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as threads:
        every = list(threads.map(lambda seed: negzero.check(right, "gemm", seed=seed + 1), range(8)))
    assert all(checked.passed > 250 for checked in every)
    assert not list(pathlib.Path(".negzero/in_flight").iterdir())
