"""The same judgements with arrays of every framework that is installed, on a GPU where there is one.

On a machine with a GPU: NEGZERO_REQUIRE_FRAMEWORKS=numpy,jax,torch,cupy python -m pytest test_frameworks.py
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import Any

import negzero
import numpy as np
import pytest
from support import FLOATS, FRAMEWORKS, framework, gemm, has_gpu, put, small, spoiled

EVERY = pytest.mark.parametrize("name", FRAMEWORKS)
TIGHT = "f32"


def both(name: str, observed: Any, operation: str, wrong_at: Any, **operands: Any) -> negzero.Judgement:
    """Judges right outputs and wrong ones; the judgement of the right ones."""
    arrays = {argument: put(name, array) for argument, array in operands.items()}
    right = negzero.judge(put(name, observed), operation, elements="all", **arrays)
    assert right.permitted, right.text
    judgement = negzero.judge(put(name, spoiled(observed, wrong_at)), operation, elements="all", **arrays)
    assert judgement.verdict == "fail" and [element.index for element in judgement.worst] == [wrong_at], judgement.text
    return right


@EVERY
@pytest.mark.parametrize("dtype", FLOATS.values(), ids=list(FLOATS))
def test_gemm(name: str, dtype: Any) -> None:
    a, b, d = gemm(dtype=dtype, out=np.float64 if dtype is np.float64 else np.float32)
    assert both(name, d, "gemm", (2, 1), a=a, b=b).notes == ()


@EVERY
@pytest.mark.parametrize("dtype", [np.float32, np.float16, FLOATS["BF16"]])
def test_sums_and_scans(name: str, dtype: Any) -> None:
    x = small((3, 5), dtype)
    both(name, x.astype(np.float32).sum(-1), "reduce.sum", (1,), x=x)
    both(name, x.astype(np.float32).cumsum(-1).astype(dtype), "scan.inclusive", (2, 3), x=x)
    both(name, x.astype(np.float32), "convert", (0, 4), x=x)


@EVERY
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_places(name: str, dtype: Any) -> None:
    x = np.float32([[1, 3, 2], [7, 5, 6]])
    right = negzero.judge(put(name, x.argmax(-1).astype(dtype)), "reduce.argmax", x=put(name, x))
    assert right.permitted and right.notes == ()
    wrong = negzero.judge(put(name, np.array([1, 2], dtype)), "reduce.argmax", x=put(name, x))
    assert [element.index for element in wrong.worst] == [(1,)]


@EVERY
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.uint8])
def test_scatter(name: str, dtype: Any) -> None:
    index = np.array([0, 2, 2, 1], dtype)
    judgement = both(
        name,
        np.float32([1, 5, 5]),
        "scatter.add",
        (1,),
        x=np.float32([1, 2, 3, 5]),
        index=index,
        init=np.zeros(3, np.float32),
    )
    assert len(judgement.notes) == (dtype not in (np.int64, np.int32))


@EVERY
@pytest.mark.parametrize("value", [2**31, 2**32, -(2**31) - 1, 2**63 - 1])
def test_places_beyond_int32_are_refused(name: str, value: int) -> None:
    index = put(name, np.array([0, value], np.int64))
    x = put(name, np.ones(2, np.float32))
    with pytest.raises(ValueError, match=rf"^index\[1\] is {value}, and destinations is 2; give .* 0 to 1$") as caught:
        negzero.judge(x, "scatter.add", x=x, index=index, init=x)
    assert type(caught.value) is ValueError


@EVERY
@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_counts(name: str, dtype: Any) -> None:
    a, b, rows = small((2, 3, 4), np.float32), small((2, 4, 5), np.float32), np.array([0, 3])
    right = negzero.case("gemm.grouped", a=a, b=b, rows=rows.astype(np.int64 if dtype == np.int64 else np.int32))
    assert negzero.case("gemm.grouped", a=a, b=b, rows=put(name, rows.astype(dtype))) == right
    with pytest.raises(ValueError, match=r"^rows\[1\] is 4, and capacity is 3; give"):
        negzero.case("gemm.grouped", a=a, b=b, rows=put(name, (rows + 1).astype(dtype)))


@EVERY
@pytest.mark.parametrize("format_name", list(FLOATS))
def test_every_bit_arrives(name: str, format_name: str) -> None:
    dtype = np.dtype(FLOATS[format_name])
    count = 1 << min(16, 8 * dtype.itemsize)
    bits = np.random.default_rng(7).integers(0, 256, (count, dtype.itemsize), np.uint8)
    if dtype.itemsize <= 2:  # every encoding
        bits = np.arange(count, dtype=f"u{dtype.itemsize}").view(np.uint8).reshape(count, dtype.itemsize)
    x = bits.view(dtype)[:, 0]
    out = np.float64 if dtype == np.float64 else np.float32
    assert negzero.case("convert", x=put(name, x), out_dtype=out) == negzero.case("convert", x=x, out_dtype=out)


@EVERY
def test_what_the_framework_computes(name: str) -> None:
    module = framework(name)
    functions = module.numpy if name == "jax" else module
    a, b = put(name, small((7, 16), np.float32, 3)), put(name, small((16, 5), np.float32, 4))
    assert negzero.judge(a @ b, "gemm", a=a, b=b).permitted
    assert negzero.judge((a @ b) + 1, "gemm", a=a, b=b).verdict == "fail"
    assert negzero.judge(a.sum(-1), "reduce.sum", x=a).permitted
    assert negzero.judge(functions.cumsum(a, 1), "scan.inclusive", x=a).permitted
    assert negzero.judge(a.argmax(-1), "reduce.argmax", x=a).permitted


@EVERY
def test_views_are_packed_and_that_is_said(name: str) -> None:
    a, b, d = gemm(dtype=np.float32)
    view = put(name, np.ascontiguousarray(a.T)).T
    judgement = negzero.judge(put(name, d), "gemm", a=view, b=put(name, b))
    assert judgement.permitted
    if name == "jax":  # has no views
        assert judgement.notes == ()
    else:
        assert judgement.notes == ("a was packed: its shape (3, 4) has strides (4, 12) in bytes",)
    assert "".join(f"\nnote: {note}" for note in judgement.notes) in judgement.text


@EVERY
def test_far_and_repeated_strides(name: str) -> None:
    a, b, d = gemm(dtype=np.float32)
    wide = np.full((3, 3 * 4), 99, np.float32)
    wide[:, ::3] = a
    judgement = negzero.judge(put(name, d), "gemm", a=put(name, wide)[:, ::3], b=put(name, b))
    assert judgement.permitted and len(judgement.notes) == (name != "jax")
    module = framework(name)
    ones = put(name, np.ones((1, 4), np.float32))
    repeated = (
        ones.expand(3, 4) if name == "torch" else (module.numpy if name == "jax" else module).broadcast_to(ones, (3, 4))
    )
    right = negzero.judge(put(name, np.tile(b.sum(0), (3, 1))), "gemm", a=repeated, b=put(name, b))
    assert right.permitted
    assert negzero.judge(put(name, d + 50), "gemm", a=repeated, b=put(name, b)).verdict == "fail"


@pytest.mark.parametrize("name", ["numpy", "cupy"])
def test_negative_strides(name: str) -> None:
    a, b, d = gemm(dtype=np.float32)
    reverse = put(name, np.ascontiguousarray(a[::-1, ::-1]))[::-1, ::-1]
    judgement = negzero.judge(put(name, d), "gemm", a=reverse, b=put(name, b))
    assert judgement.permitted
    assert judgement.notes == ("a was packed: its shape (3, 4) has strides (-16, -4) in bytes",)


def test_the_other_byte_order_is_packed_and_that_is_said() -> None:
    a, b, d = gemm(dtype=np.float32)
    judgement = negzero.judge(d, "gemm", a=a.astype(">f4"), b=b)
    assert judgement.permitted and judgement.notes == ("a was packed: its bytes are in the other order",)


def test_a_report_has_no_notes() -> None:
    a, b, d = gemm(dtype=np.float32)
    plain = negzero.judge(d, "gemm", a=a, b=b)
    assert dict(negzero.judge(d, "gemm", a=np.asfortranarray(a), b=b).report) == dict(plain.report)


# PyTorch


def torch_arrays() -> "tuple[Any, Any, Any, Any]":
    return (framework("torch"), *(put("torch", array) for array in gemm(dtype=np.float32)))


def test_gradients_are_left_behind() -> None:
    torch, a, b, d = torch_arrays()
    a.requires_grad_()
    product = a @ b
    assert product.requires_grad and negzero.judge(product, "gemm", a=a, b=torch.nn.Parameter(b)).permitted
    assert negzero.judge(product + 1, "gemm", a=a, b=b).verdict == "fail"
    product.sum().backward()
    assert a.grad is not None and a.requires_grad


def test_negative_views_are_resolved() -> None:
    torch, a, b, d = torch_arrays()
    view = torch.complex(a, -a).conj().imag  # -(-a), and a bit that says so
    assert view.is_neg() and (view == a).all()
    assert negzero.judge(d, "gemm", a=view, b=b).permitted
    assert negzero.judge(-d, "gemm", a=view, b=b).verdict == "fail"
    real = torch.complex(a, a).conj().real
    assert negzero.judge(d, "gemm", a=real, b=b).permitted


def test_zeros_without_memory_are_zeros() -> None:
    torch, a, b, d = torch_arrays()
    nothing = torch._efficientzerotensor((3, 4), device=a.device)
    assert negzero.judge(torch.zeros_like(d), "gemm", a=nothing, b=b).permitted
    assert negzero.judge(d + 1, "gemm", a=nothing, b=b).verdict == "fail"


def test_subclasses_are_their_elements() -> None:
    torch, a, b, d = torch_arrays()

    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_: Any, **__: Any) -> Any:
            raise RuntimeError("called")

    class Quiet(torch.Tensor):
        pass

    for kind in (Loud, Quiet):
        with torch._C.DisableTorchFunctionSubclass():
            wrapped, wrong = a.as_subclass(kind), (d + 1).as_subclass(kind)
        assert negzero.judge(d, "gemm", a=wrapped, b=b).permitted
        assert negzero.judge(wrong, "gemm", a=wrapped, b=b).verdict == "fail"


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "default device", "compiled", "autocast"])
def test_modes_change_nothing(mode: str) -> None:
    torch, a, b, d = torch_arrays()

    def judged() -> "list[str]":
        return [negzero.judge(each, "gemm", a=a.clone(), b=b).verdict for each in (d, d + 1)]

    if mode == "compiled":
        assert torch.compile(judged, backend="eager")() == ["pass", "fail"]
        return
    context = {
        "no_grad": torch.no_grad,
        "inference_mode": torch.inference_mode,
        "default device": lambda: torch.device("meta"),
        "autocast": lambda: torch.autocast(a.device.type, torch.bfloat16),
    }[mode]
    with context():
        if mode == "default device":
            assert negzero.judge(d, "gemm", a=a, b=b).permitted
        else:
            assert judged() == ["pass", "fail"]


def test_work_on_the_current_stream_is_waited_for() -> None:
    torch, a, b, d = torch_arrays()
    if not has_gpu("torch"):
        pytest.skip("PyTorch has no GPU here")
    for _ in range(3):
        stream = torch.cuda.Stream()
        late = torch.full_like(d, 99)
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            torch.cuda._sleep(400_000_000)  # a fifth of a second of cycles, which the copy must wait for
            late.copy_(d)
            judgement = negzero.judge(late, "gemm", a=a, b=b)
        assert judgement.permitted


def test_work_of_cupy_on_the_current_stream_is_waited_for() -> None:
    cupy = framework("cupy")
    slow = cupy.RawKernel(
        'extern "C" __global__ void slow(float* y, float v, long long cycles) {'
        " long long start = clock64(); while (clock64() - start < cycles) {} y[threadIdx.x] = v; }",
        "slow",
    )
    x, y = put("cupy", np.ones((6, 4), np.float32)), cupy.zeros(6, cupy.float32)
    with cupy.cuda.Stream(non_blocking=True):
        slow((1,), (6,), (y, np.float32(4), np.int64(400_000_000)))
        assert negzero.judge(y, "reduce.sum", x=x).permitted


# JAX


@pytest.fixture
def narrow_jax(monkeypatch: pytest.MonkeyPatch) -> Any:
    jax = framework("jax")
    jax.config.update("jax_enable_x64", False)
    yield jax
    jax.config.update("jax_enable_x64", True)


def test_float64_that_jax_narrows_is_named(narrow_jax: Any) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((40, 7))
    y = narrow_jax.numpy.asarray(x).sum(-1)
    assert y.dtype == np.float32
    judgement = negzero.judge(y, "reduce.sum", x=x)
    (note,) = judgement.notes
    assert note.startswith("x in float64 with a float32 output of JAX") and 'update("jax_enable_x64", True)' in note
    assert negzero.judge(y, "reduce.sum", x=x.astype(np.float32)).notes == ()
    assert negzero.judge(np.asarray(y), "reduce.sum", x=x).notes == ()
    with pytest.raises(ValueError, match="y has format F32, x has F64: .*; x in float64 with .*jax_enable_x64"):
        negzero.judge(narrow_jax.numpy.asarray(x).max(-1), "reduce.max", x=x)


def test_jax_with_x64_has_no_such_note() -> None:
    jax = framework("jax")
    x = small((3, 4), np.float64)
    assert negzero.judge(jax.numpy.asarray(x).sum(-1), "reduce.sum", x=x).notes == ()


@pytest.mark.parametrize("dtype", [np.float32, FLOATS["BF16"], np.float64])
def test_subnormals_that_xla_flushes_are_named(dtype: Any) -> None:
    jax = framework("jax")
    if has_gpu("jax"):
        pytest.skip("of XLA's CPU backend")
    x = (
        np.arange(1, 7, dtype={2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize])
        .view(dtype)
        .reshape(2, 3)
    )
    y = jax.numpy.asarray(x).sum(-1)
    assert not np.asarray(y).any()  # which the note says, and which a new jaxlib may change
    judgement = negzero.judge(y, "reduce.sum", x=x)
    assert judgement.verdict == "fail"
    (note,) = judgement.notes
    assert note.startswith("x and permitted results: some are subnormal") and "XLA's CPU backend flushes" in note
    contract = {"subnormal_inputs": "either", "subnormal_results": "either"}
    assert negzero.judge(y, "reduce.sum", x=x, contract=contract).permitted
    assert negzero.judge(np.asarray(y), "reduce.sum", x=x).notes == ()  # NumPy flushes nothing
    wrong = negzero.judge(jax.numpy.ones(2, dtype), "reduce.sum", x=np.ones_like(x))
    assert wrong.verdict == "fail" and wrong.notes == ()


def test_sharded_arrays_of_one_process_are_gathered() -> None:
    framework("jax")
    script = (
        "import jax, negzero, numpy as np; from jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n"
        "assert len(jax.devices()) == 2\n"
        "mesh = Mesh(np.array(jax.devices()), ('i',)); x = np.arange(8, dtype=np.float32).reshape(4, 2)\n"
        "spread = jax.device_put(x, NamedSharding(mesh, P('i')))\n"
        "assert negzero.judge(spread.sum(-1), 'reduce.sum', x=spread).permitted\n"
        "assert negzero.judge(spread.sum(-1) + 1, 'reduce.sum', x=spread).verdict == 'fail'\n"
    )
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", script], env={**os.environ, **flags}, timeout=120, check=True)


def test_arrays_of_other_processes_are_refused() -> None:
    framework("jax")
    script = (
        "import sys, jax, negzero, numpy as np; from jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n"
        "jax.distributed.initialize(sys.argv[1], 2, int(sys.argv[2]))\n"
        "mesh = Mesh(np.array(jax.devices()), ('i',)); sharding = NamedSharding(mesh, P('i'))\n"
        "x = jax.make_array_from_process_local_data(sharding, np.ones((1, 2), np.float32))\n"
        "assert x.shape == (2, 2) and not x.is_fully_addressable\n"
        "try: negzero.judge(np.ones(2, np.float32), 'reduce.sum', x=x)\n"
        "except TypeError as error: assert str(error).startswith('x: an array of JAX that is spread'), error\n"
        "else: raise AssertionError('judged')\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, address, str(i)], env=environment, stderr=subprocess.PIPE, text=True
        )
        for i in range(2)
    ]
    try:
        for each in both:
            _, said = each.communicate(timeout=120)
            assert each.returncode == 0, said[-2000:]
    finally:
        for each in both:
            each.kill()
