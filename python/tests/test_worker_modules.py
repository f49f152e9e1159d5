"""Which Python runs a module, what is wrong with one, and what is kept of it."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time

import pytest

from test_readme import ROOT, fits
from workers import CHECK, module, needs_program, run

pytestmark = needs_program


def test_an_error_of_a_module_is_one_line_with_file_line_and_cure(folder):
    for text, said in (
        ("import no_such_package\n", "No module named 'no_such_package' (mine.py:2); install it for "),
        ("\nnegzero.kernel('gem')\n", "ValueError: operation: 'gem' is none; give one of "),
        ("", "registers no kernel; write @negzero.kernel('gemm') above a function"),
        ("import os; os._exit(9)\n", "it ended with exit status 9"),
    ):
        path = module(folder, text)
        ran = run(folder, "check", "--kernels", "mine.py", "--json")
        assert ran.code == 3, ran.err
        assert ran.err.startswith(f"negzero: {path}") and ran.err.count("\n") == 1 and said in ran.err, ran.err
        assert said in ran.json()["error"]["message"]


def test_a_module_with_a_first_line_and_the_right_to_execute_is_one_too(folder):
    path = folder / "mine.py"
    path.write_text(f"#!{sys.executable}\nimport negzero\nnegzero.kernel('reduce.sum', name='s')(lambda x: x)\n")
    path.chmod(0o755)
    assert run(folder, "list", "kernels", "--kernels", "mine.py").out.startswith("s\n")


def test_a_module_imports_from_its_own_folder_and_this_python(folder):
    (folder / "helper.py").write_text("def total(x): return x.sum(-1)\n")
    path = module(folder, "import helper\nnegzero.kernel('reduce.sum', name='s', contract='f32')(helper.total)\n")
    (folder / "elsewhere").mkdir()
    ran = run(folder / "elsewhere", "check", "--kernels", path, "--cases", "5", *CHECK)
    assert ran.code == 0, ran.err


def test_what_a_module_declares_is_kept_until_a_file_of_it_changes(folder):
    (folder / "helper.py").write_text("NAME = 'first'\n")
    path = module(
        folder,
        "import helper, os\nprint('imported')\n"
        "negzero.kernel('reduce.sum', name=helper.NAME + os.environ.get('ADDED', ''))(lambda x: x)\n",
    )

    def names(**environment: str) -> str:
        return run(folder, "list", "kernels", "--kernels", path, **environment).out.split("\n")[0]

    for each in (path, folder / "helper.py"):
        os.utime(each, (1, 1))
    assert names() == "first"
    (kept,) = (folder / "caches" / "negzero").iterdir()
    assert names(ADDED="_more") == "first", "the module is not imported again"
    (folder / "helper.py").write_text("NAME = 'second'\n")
    os.utime(folder / "helper.py", (1, 1))
    assert names() == "second", "a file that it imports has changed"
    path.write_text(path.read_text().replace("+ os", "+ '_3' + os"))
    os.utime(path, (1, 1))
    assert names() == "second_3"
    good = kept.read_text()
    for damaged in (
        "",
        "[",
        "{}",
        good[:-1],
        good.replace('"version":1', '"version":2'),
        good.replace(str(path), "/x"),
    ):
        kept.write_text(damaged)
        assert names() == "second_3", damaged
    assert kept.read_text() == good, "and is mended"
    kept.write_text(good.replace("second_3", "from_the_cache"))
    assert names() == "from_the_cache"
    # Nor is anything believed that another user could have written.
    kept.parent.chmod(0o777)
    assert names() == "second_3"
    kept.parent.chmod(0o700)
    assert names() == "from_the_cache"
    kept.chmod(0o666)
    assert names() == "second_3"
    # Nothing is kept of a module that has changed while it was asked, or where there is no place for it.
    path.write_text(path.read_text() + "os.utime\n")
    later = time.time() + 60
    os.utime(path, (later, later))
    assert names() == "second_3" and names(ADDED="_more") == "second_3_more"
    assert names(XDG_CACHE_HOME="/proc/no/such/place") == "second_3"


def test_the_readme_shows_what_the_program_prints(folder):
    document = (ROOT / "python" / "README.md").read_text()
    text, command, shown = re.search(
        r"```python\n(# my_kernels\.py\n.*?)```\n```console\n\$ \./negzero\.sh (.*?)\n(.*?)```\n", document, re.DOTALL
    ).groups()
    assert shown
    (folder / "my_kernels.py").write_text(text)
    ran = run(folder, *command.split(), "--executor", "host", NEGZERO_COMMAND="./negzero.sh")
    assert fits(shown, ran.out.replace(str(folder), "/home/you/kernels")), ran.out


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not there")
def test_jax_compiles_in_a_worker(folder):
    (folder / "jax.py").unlink()
    path = module(
        folder,
        "import jax\n"
        "@negzero.kernel('reduce.max', name='j', arrays='jax', contract='f32', limits={'rows': 2, 'columns': 5})\n"
        "@jax.jit\ndef j(x): return x.max(-1)\n",
    )
    ran = run(folder, "check", "--kernels", path, "--cases", "20", "--timeout", "60s", *CHECK[:4], "--json")
    kernel = ran.kernel("j")
    assert kernel["error"] == 0 and kernel["pass"] > 10, ran.out
    assert not {"crash", "hang"} & {each["class"] for each in kernel["findings"]}, ran.out


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not there")
def test_pytorch_takes_arrays_without_elements(folder):
    path = module(
        folder,
        "import torch\n"
        "@negzero.kernel('scatter.add', name='t', formats=('F32',), arrays='torch', device='cpu',\n"
        "                limits={'updates': (0, 1), 'destinations': (0, 1)})\n"
        "def t(x, index, init): return torch.index_add(init, 0, index, x)\n",
    )
    kernel = run(folder, "check", "--kernels", path, "--cases", "60", "--timeout", "60s", *CHECK[:4], "--json").kernel("t")
    assert kernel["pass"] == 60, kernel
