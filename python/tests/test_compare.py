"""Kernels in Python under `negzero compare`: two of one module, a list of pairs, and one that cannot run here."""

from __future__ import annotations

from workers import module, needs_program, run

pytestmark = needs_program

SUMS = """
def add(name, function, **rest):
    limits = {"columns": (1, 64)}
    negzero.kernel("reduce.sum", name=name, formats=("F32", "F32"), contract="f32", limits=limits, **rest)(function)


def from_left(x):
    return np.cumsum(x, axis=-1, dtype=np.float32)[:, -1]


add("sum.left", from_left)
add("sum.left.again", lambda x: from_left(x))
add("sum.right", lambda x: from_left(x[:, ::-1]))
add("sum.loses", lambda x: from_left(np.where(np.arange(x.shape[1]) == 1, np.float32(0), x)))
add("sum.gpu", lambda x: x.sum(-1), arrays="torch", device="cuda")
"""
WORDS = ("--executor", "host", "--cases", "40", "--shrink-time", "1s", "--jobs", "2", "--kernels", "mine.py", "--json")


def test_two_kernels_of_a_module(folder):
    module(folder, SUMS)
    same = run(folder, "compare", "sum.left", "sum.left.again", *WORDS)
    assert same.code == 0, same.err
    assert same.json()["identical"] == same.json()["cases"] == 40
    wrong = run(folder, "compare", "sum.left", "sum.loses", *WORDS)
    assert wrong.code == 1, wrong.err
    assert "compare.second_wrong" in {each["rule"] for each in wrong.json()["differences"]}


def test_pairs_of_a_module(folder):
    module(folder, SUMS)
    (folder / "pairs.txt").write_text("sum.left sum.left.again\nsum.left@host sum.right@host\n")
    ran = run(folder, "compare", "--list", "pairs.txt", *WORDS)
    assert ran.code == 0, ran.err
    same, other = ran.json()["pairs"]
    assert (same["outcome"], same["identical"]) == ("identical", 40)
    assert other["outcome"] == "permitted" and other["both_permitted"] > 0, "another order rounds otherwise"
    assert other["identical"] + other["both_permitted"] == 40


def test_one_that_needs_a_gpu_is_no_pass_where_there_is_none(folder):
    module(folder, SUMS)
    (folder / "pairs.txt").write_text("sum.left sum.left.again\nsum.left@host sum.gpu@cuda\n")
    ran = run(folder, "compare", "--list", "pairs.txt", *WORDS, CUDA_VISIBLE_DEVICES="")
    assert ran.code == 77, ran.err
    assert "pairs.txt, line 2: sum.gpu@cuda: --executor cuda: " in ran.json()["error"]["message"]
    (folder / "pairs.txt").write_text("sum.left sum.left.again\nsum.left sum.gpu\n")
    ran = run(folder, "compare", "--list", "pairs.txt", *WORDS, CUDA_VISIBLE_DEVICES="")
    assert ran.code == 2, ran.err
    assert "line 2: kernel 'sum.gpu' has no build for the host executor" in ran.json()["error"]["message"]
