"""kernel(): what a module declares, and its worker as negzero sees it, with the bytes of docs/reference/worker_protocol.md."""

from __future__ import annotations

import json
import mmap
import os
import socket
import struct
import subprocess
import sys
from typing import Any

import ml_dtypes
import negzero
import numpy as np
import pytest

from negzero import _kernels, _wire

MODULE = """
import os, negzero, numpy as np

@negzero.kernel("gemm", name="my.gemm", formats=[("F16", "F16", "F32"), ("BF16", "BF16", "BF16")], contract="f32",
                limits={"k": (0, 64, 8), "n": 4, "inputs": "packed"}, about="one line")
def gemm(a, b, c, alpha, beta):
    assert not a.flags.writeable
    return (alpha * (a.astype(np.float32) @ b.astype(np.float32)) + beta * c).astype(c.dtype)

@negzero.kernel("reduce.sum")
def my_sum(x, y):
    np.sum(x, -1, out=y)

@negzero.kernel("reduce.sum", name="copies", formats=("F32", "F32"))
def copies(x):
    return x[:, 0]

@negzero.kernel("reduce.sum", name="raises")
def raises(x):
    if x.shape[0] == 2:
        raise ValueError("no table\\nfor this shape")
    return x.sum(-1)

@negzero.kernel("reduce.sum", name="other")
def other(x):
    return {"shape": x.sum(), "dtype": x.sum(-1, dtype=np.float64), "none": None}[os.environ["RESULT"]]

@negzero.kernel("scatter.add", name="scatter", formats=[("F32",), ("F32", "I32"), ("F32", "I64")])
def scatter(x, index, init):
    np.add.at(init, index, x)
    return init
"""


class Worker:
    """A worker that is started without a program, and what negzero would say to it."""

    def __init__(self, path: str, *words: str, **environment: str) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        command = [sys.executable, "-u", "-m", "negzero._worker", path, "--negzero-worker", *words]
        folder = os.path.dirname(os.path.dirname(negzero.__file__))
        search = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        # The descriptor must be 3, whichever it is here.
        moved = f"import os, sys; os.dup2({theirs.fileno()}, 3); os.execv(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-c", moved, *command],
            pass_fds=[theirs.fileno()], env={**os.environ, "PYTHONPATH": search, **environment}, cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        theirs.close()

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, f"it ended: {self.process.communicate()[0].decode()}"
            data += part
        return data

    def frame(self) -> "tuple[int, bytes]":
        magic, version, kind, size = struct.unpack("<2sBBI", self.receive(8))
        assert (magic, version) == (b"nz", 1)
        return kind, self.receive(size)

    def send(self, kind: int, body: bytes, descriptors: "tuple[int, ...]" = ()) -> None:
        socket.send_fds(self.socket, [struct.pack("<2sBBI", b"nz", 1, kind, len(body)) + body], descriptors)

    def serve(self, size: int = 1 << 16) -> mmap.mmap:
        """Waits until it is ready, and gives it memory."""
        assert self.frame() == (_wire.READY, b"")
        file = os.memfd_create("image")
        os.ftruncate(file, size)
        memory = mmap.mmap(file, size)
        self.send(_wire.MEMORY, struct.pack("<QQQ", size, 0, 0), (file,))
        os.close(file)
        return memory

    def launch(self, *plans: bytes) -> "list[tuple[str, str, str]]":
        sized = b"".join(struct.pack("<I", len(plan)) + plan for plan in plans)
        self.send(_wire.LAUNCH, struct.pack("<I", len(plans)) + sized + b"\0")
        kind, body = self.frame()
        assert kind == _wire.LAUNCHED
        request = _wire.Reader(body)
        outcomes = []
        for _ in range(request.number("I")):
            outcome = _wire.Reader(request.bytes())
            outcomes.append((outcome.text(), outcome.text(), outcome.bytes().decode()))
        return outcomes

    def end(self) -> int:
        self.socket.close()
        return self.process.wait(60)


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode()


def plan(
    operation: str,
    buffers: "dict[str, Any]",
    scalars: "dict[str, Any] | None" = None,
    configuration: "dict[str, int] | None" = None,
) -> bytes:
    """A plan whose buffers are {name: (format, shape, strides, use, at)}."""
    data = text(operation) + b"\0\0" + bytes([len(scalars or {})])
    for name, value in (scalars or {}).items():
        data += text(name) + text("F32") + struct.pack("<f4x", value)
    data += bytes([len(buffers)])
    for name, (format_name, shape, strides, use, at) in buffers.items():
        data += text(name) + text(format_name) + bytes([len(shape)])
        data += struct.pack(f"<{2 * len(shape) + 1}q", *shape, *strides, 0) + text(use) + struct.pack("<Q", at)
    data += text("nan") + text("forward") + struct.pack("<BQQBQ", 0, 0, 6, 0, 0) + bytes([len(configuration or {})])
    for option, value in (configuration or {}).items():
        data += text(option) + struct.pack("<q", value)
    return data + b"the rest"


def view(memory: mmap.mmap, dtype: Any, shape: "tuple[int, ...]", strides: "tuple[int, ...]", at: int) -> np.ndarray:
    size = np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, memory, 4096 + at, [step * size for step in strides])


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "my_kernels.py"
    path.write_text(MODULE)
    return str(path)


def described(path: str, **environment: str) -> "tuple[int, bytes]":
    worker = Worker(path, "describe", **environment)
    answer = worker.frame()
    worker.end()
    return answer


def test_a_module_describes_its_kernels(module):
    kind, body = described(module)
    assert kind == _wire.KERNELS, body
    declared = json.loads(body)
    assert declared["version"] == 1
    kernels = {each["name"]: each for each in declared["kernels"]}
    assert list(kernels) == ["my.gemm", "my_sum", "copies", "raises", "other", "scatter"]
    assert kernels["my.gemm"] == {
        "name": "my.gemm", "operation": "gemm", "shows": "values", "contract": "f32", "about": "one line",
        "formats": [{"a": "F16", "b": "F16", "d": "F32"}, {"a": "BF16", "b": "BF16", "d": "BF16"}],
        "limits": {
            "extents": {"batch": {"least": 1, "greatest": 1}, "k": {"least": 0, "greatest": 64, "multiple": 8},
                        "n": {"least": 4, "greatest": 4}},
            "inputs": {"order": "packed"}},
        "executor": "host", "file": module, "line": 4,
    }  # fmt: skip
    assert kernels["scatter"]["limits"] == {"extents": {}}
    assert kernels["scatter"]["formats"] == [{"x": "F32"}, {"x": "F32"}, {"x": "F32", "index": "I64"}]
    assert module in declared["files"]
    assert any(file.endswith("/_wire.py") for file in declared["files"])
    assert not any("numpy/" in file for file in declared["files"])


def test_describing_imports_no_framework(module):
    with open(module, "a") as file:
        file.write("negzero.kernel('reduce.sum', name='t', arrays='torch', device='cuda')(lambda x: x)\n")
        file.write("negzero.kernel('reduce.sum', name='c', arrays='cupy')(lambda x: x)\n")
        file.write("import sys; assert not {'torch', 'cupy', 'jax'} & set(sys.modules)\n")
    kind, body = described(module)
    assert kind == _wire.KERNELS, body
    executors = {each["name"]: each["executor"] for each in json.loads(body)["kernels"]}
    assert (executors["t"], executors["c"], executors["my.gemm"]) == ("cuda", "cuda", "host")


def test_under_tritons_interpreter_a_kernel_says_so_and_keeps_the_gpus_contract_to_itself(module):
    with open(module, "a") as file:
        file.write("known = {'contract': 'f32', 'arrays': 'torch', 'device': 'cuda'}\n")
        file.write("negzero.kernel('reduce.sum', name='t', **known)(lambda x: x)\n")
        file.write("negzero.kernel('reduce.sum', name='u', interpreter_contract='f64', **known)(lambda x: x)\n")
    for interprets in ("0", "1"):
        _, body = described(module, TRITON_INTERPRET=interprets)
        kernels = {each["name"]: each for each in json.loads(body)["kernels"]}
        words = ("executor", "interpreter", "contract_of", "contract")
        said = {name: tuple(kernels[name].get(word) for word in words) for name in ("t", "u", "my.gemm")}
        assert said["my.gemm"] == ("host", None, None, "f32"), "NumPy's arrays are none of Triton's"
        if interprets == "0":
            assert said["t"] == said["u"] == ("cuda", None, None, "f32")
        else:
            assert said["t"] == ("host", "Triton", None, "f32")
            assert said["u"] == ("host", "Triton", "interpreter", "f64")


@pytest.mark.parametrize(
    "words, said",
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (bad.py:1); install it for "),
        ("\n\n1 / 0", "ZeroDivisionError: division by zero (bad.py:3)"),
        ("def f(:", "SyntaxError: invalid syntax (bad.py:1)"),
        ("import negzero\nnegzero.kernel('gem')", "ValueError: operation: 'gem' is none"),
        ("x = 1", "registers no kernel; write @negzero.kernel('gemm') above a function"),
        ("raise SystemExit(3)", "SystemExit: 3 (bad.py:1)"),
        ("import helper", "KeyError: 'words' (helper.py:2)"),
    ],
)
def test_a_module_that_cannot_be_used_says_why(tmp_path, words, said):
    (tmp_path / "bad.py").write_text(words)
    (tmp_path / "helper.py").write_text("\n{}['words']\n")
    kind, body = described(str(tmp_path / "bad.py"))
    assert kind == _wire.FAILED
    assert body.decode().startswith(str(tmp_path / "bad.py")) and said in body.decode()


def test_launches_are_views_of_the_image_bit_for_bit(module):
    worker = Worker(module, "my.gemm", "host")
    memory = worker.serve()
    for dtype, name, out in ((np.float16, "F16", np.float32), (ml_dtypes.bfloat16, "BF16", ml_dtypes.bfloat16)):
        a = view(memory, dtype, (1, 2, 8), (0, 1, 2), 4096)  # column-major
        b = view(memory, dtype, (1, 8, 4), (0, 4, 1), 12288)
        c = view(memory, out, (1, 2, 4), (0, 4, 1), 20480)
        d = view(memory, out, (1, 2, 4), (0, 8, 1), 28672)  # rows with a gap
        a[...] = np.arange(16).reshape(1, 2, 8)
        b[...], c[...], memory[4096 + 28672 : 4096 + 28672 + 64] = 1, 5, b"\xaa" * 64
        buffers = {
            "a": (name, (1, 2, 8), (0, 1, 2), "input", 4096), "b": (name, (1, 8, 4), (0, 4, 1), "input", 12288),
            "c": ("F32" if out is np.float32 else name, (1, 2, 4), (0, 4, 1), "input", 20480),
            "d": ("F32" if out is np.float32 else name, (1, 2, 4), (0, 8, 1), "output", 28672),
        }  # fmt: skip
        assert worker.launch(plan("gemm", buffers, {"alpha": 2, "beta": 1})) == [("done", "", "")]
        assert d.astype(np.float32).tolist() == [[[61] * 4, [189] * 4]]
        assert memory[4096 + 28672 + 4 * d.itemsize : 4096 + 28672 + 8 * d.itemsize] == b"\xaa" * 4 * d.itemsize
    assert struct.unpack_from("<QQ", memory, 8) == (0, 0)
    assert worker.end() == 0


def sum_plan(rows: int = 3, columns: int = 2) -> bytes:
    return plan(
        "reduce.sum",
        {"x": ("F32", (rows, columns), (columns, 1), "input", 4096), "y": ("F32", (rows,), (1,), "output", 12288)},
    )


def test_the_bytes_of_a_plan_are_those_of_its_elements():
    buffers = {
        "x": ("F32", (9,), (1,), "input", 8192), "index": ("I64", (9,), (1,), "input", 16384),
        "out": ("F32", (5,), (1,), "output", 12288),
    }  # fmt: skip
    read = _wire.plan_of(plan("scatter.add", buffers))
    assert (read["begin"], read["end"]) == (8192 - _wire.IMAGE_AT, 16384 + 9 * 8 + _wire.IMAGE_AT)
    assert read["buffers"]["index"] == {"format": "I64", "shape": [9], "strides": [1], "at": 16384, "use": "input"}


def test_payloads_of_nan_stay(module):
    worker = Worker(module, "copies", "host")
    memory = worker.serve()
    bits = np.array([0x7FC12345, 0xFFC54321, 0x7F812345], np.uint32)
    view(memory, np.uint32, (3,), (2,), 4096)[...] = bits
    assert worker.launch(sum_plan()) == [("done", "", "")]
    assert (view(memory, np.uint32, (3,), (1,), 12288) == bits).all()
    assert worker.end() == 0


def test_an_exception_is_a_fault_with_its_line_and_the_next_plan_runs(module):
    worker = Worker(module, "raises", "host")
    memory = worker.serve()
    view(memory, np.float32, (3, 2), (2, 1), 4096)[...] = 1
    outcomes = worker.launch(sum_plan(), sum_plan(rows=2), sum_plan())
    assert outcomes == [
        ("done", "", ""),
        ("failed", "raised", "ValueError: no table for this shape (my_kernels.py:21)"),
        ("done", "", ""),
    ]
    assert worker.end() == 0


@pytest.mark.parametrize(
    "result, said",
    [("shape", "shape ()"), ("dtype", "in float64"), ("none", "fn returned None, and reduce.sum gives y")],
)
def test_what_is_no_result_is_a_fault(module, result, said):
    worker = Worker(module, "other", "host", RESULT=result)
    worker.serve()
    ((status, fault, message),) = worker.launch(sum_plan())
    assert (status, fault) == ("failed", "raised") and said in message
    assert worker.end() == 0


def test_inputs_cannot_be_written_and_outputs_can(module):
    with open(module, "a") as file:
        file.write("@negzero.kernel('reduce.sum', name='scribbles')\ndef scribbles(x):\n    x[0] = 1\n    return x\n")
    worker = Worker(module, "scribbles", "host")
    worker.serve()
    ((status, fault, message),) = worker.launch(sum_plan())
    assert (status, fault) == ("failed", "raised") and "read-only" in message
    assert worker.end() == 0
    worker = Worker(module, "my_sum", "host")
    memory = worker.serve()
    view(memory, np.float32, (3, 2), (2, 1), 4096)[...] = 2
    assert worker.launch(sum_plan()) == [("done", "", "")]
    assert view(memory, np.float32, (3,), (1,), 12288).tolist() == [4, 4, 4]
    # Memory that has grown: the worker goes on in the new one.
    file = os.memfd_create("image")
    os.ftruncate(file, 1 << 18)
    grown = mmap.mmap(file, 1 << 18)
    view(grown, np.float32, (3, 2), (2, 1), 4096)[...] = 3
    worker.send(_wire.MEMORY, struct.pack("<QQQ", 1 << 18, 0, 0), (file,))
    assert worker.launch(sum_plan()) == [("done", "", "")]
    assert view(grown, np.float32, (3,), (1,), 12288).tolist() == [6, 6, 6]
    assert worker.end() == 0


def test_a_copy_of_initial_values_that_is_changed_is_a_fault(module):
    worker = Worker(module, "scatter", "host")
    memory = worker.serve()
    view(memory, np.float32, (2,), (1,), 4096)[...] = 1
    buffers = {
        "x": ("F32", (2,), (1,), "input", 4096), "index": ("I32", (2,), (1,), "input", 12288),
        "out": ("F32", (3,), (1,), "initialised_output", 20480),
    }  # fmt: skip
    ((status, fault, message),) = worker.launch(plan("scatter.add", buffers))
    assert (status, fault) == ("failed", "changed") and "was changed" in message
    assert worker.end() == 0


def test_a_kernel_that_is_not_there_or_whose_framework_is_not_cannot_serve(module):
    worker = Worker(module, "no.such", "host")
    assert worker.frame() == (_wire.FAILED, f"{module} registers no kernel no.such".encode())
    worker.end()
    with open(module, "a") as file:
        file.write("negzero.kernel('reduce.sum', name='c', arrays='cupy')(lambda x: x)\n")
        file.write("import sys; sys.modules['cupy'] = None\n")
    worker = Worker(module, "c", "cuda", "0")
    kind, body = worker.frame()
    assert kind == _wire.FAILED and b"cupy cannot be used for c" in body
    worker.end()


@pytest.mark.parametrize(
    "options, said",
    [
        ({"name": "my gemm"}, "name: 'my gemm'"),
        ({"name": ""}, "name: ''"),
        ({"arrays": "tensorflow"}, "arrays: 'tensorflow' is none"),
        ({"arrays": "cupy", "formats": ("BF16", "BF16", "BF16")}, "cupy has no arrays of BF16"),
        ({"formats": ("F16", "F16")}, "formats: F16, F16 are 2, and gemm has a, b, d"),
        ({"limits": {"q": 1}}, "limits: 'q' is nothing of gemm"),
        ({"device": "cuda"}, "device: 'cuda' is none of numpy"),
        ({"about": "two\nlines"}, "about"),
    ],
)
def test_wrong_arguments_name_the_cure(options, said):
    with pytest.raises((TypeError, ValueError), match=said.replace("(", r"\(")):
        negzero.kernel("gemm", **{"name": "wrong", **options})(lambda a, b: a @ b)
    assert "wrong" not in _kernels.registered


def test_limits_of_tensors_and_relations_are_declared(monkeypatch):
    monkeypatch.setattr(_kernels, "registered", {})
    limits = {
        "a": "column_major", "b": {"order": "packed", "shared": ("batch",)}, "k": {"power_of_two": True},
        "products": {("m", "n"): 4096}, "equal": [("m", "n")],
    }  # fmt: skip
    negzero.kernel("gemm", name="related", limits=limits)(lambda a, b, c, alpha, beta: a @ b)
    assert _kernels.registered["related"].declared["limits"] == {
        "extents": {"batch": {"least": 1, "greatest": 1}, "k": {"power_of_two": True}},
        "tensors": {"a": {"order": "column_major"}, "b": {"order": "packed", "shared": ["batch"]}},
        "products": [{"of": ["m", "n"], "greatest": 4096}],
        "equal": [["m", "n"]],
    }


def test_a_second_kernel_of_one_name_is_refused(monkeypatch):
    monkeypatch.setattr(_kernels, "registered", {})

    @negzero.kernel("reduce.sum")
    def once(x):
        return x.sum(-1)

    assert once(np.ones((2, 3))).tolist() == [3, 3], "the function stays what it is"
    with pytest.raises(ValueError, match="'once' is a kernel already"):
        negzero.kernel("reduce.sum", name="once")(once)
