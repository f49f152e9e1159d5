"""Tensors of PyTorch that have no elements to read: each is an error with its class, its argument and a cure."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import pytest
from support import framework, has_gpu, refused

FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


@pytest.fixture(autouse=True)
def _torch_is_there() -> None:
    torch()


def torch() -> Any:
    return framework("torch")


def device() -> str:
    return "cuda" if has_gpu("torch") else "cpu"


def ones(dtype: str = "float32", *shape: int, **words: Any) -> Any:
    return torch().ones(shape or (3, 4), **{"device": device(), **words}).to(getattr(torch(), dtype))


def fake(dtype: str) -> Any:
    mode = importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode
    with mode():
        return ones(dtype)


def freed(tensor: Any, held: int = 0) -> Any:
    """The tensor, whose memory (which others may share) has gone or has no more than `held` bytes."""
    tensor.untyped_storage().resize_(held)
    return tensor


def wrapper() -> Any:
    """A wrapper as libraries make them: it has a shape, and its elements are in other tensors."""

    class Scaled(torch().Tensor):  # type: ignore[misc]
        @staticmethod
        def __new__(cls: Any, inner: Any) -> Any:
            return torch().Tensor._make_wrapper_subclass(cls, inner.shape, dtype=torch().float32)

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        @classmethod
        def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise RuntimeError(f"dispatched {function}")

        def __repr__(self, **_: Any) -> str:
            raise RuntimeError("shown")

    return Scaled(ones())


def distributed() -> Any:
    """A DTensor of a mesh of one process."""
    dist = importlib.import_module("torch.distributed")
    if not dist.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    tensor = importlib.import_module("torch.distributed.tensor")
    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    mesh = importlib.import_module("torch.distributed.device_mesh").init_device_mesh("cpu", (1,))
    return tensor.distribute_tensor(torch().ones(3, 4), mesh, [tensor.Shard(0)])


def quantised(dtype: str, per_channel: bool = False) -> Any:
    module, values = torch(), torch().ones(3, 4)
    if per_channel:
        return module.quantize_per_channel(values, module.ones(3), module.zeros(3), 0, getattr(module, dtype))
    return module.quantize_per_tensor(values, 0.1, 0, getattr(module, dtype))


def sparse(layout: str, dtype: str = "float32") -> Any:
    words = {"blocksize": (1, 2)} if layout.startswith("sparse_bs") else {}
    return getattr(ones(dtype), f"to_{layout}")(**words) if layout != "sparse_coo" else ones(dtype).to_sparse()


def uncoalesced() -> Any:
    places = torch().tensor([[0, 0], [1, 1]], device=device())
    return torch().sparse_coo_tensor(places, torch().ones(2, device=device()), (3, 4))


def nested(layout: str) -> Any:
    rows = [ones("float32", 2), ones("float32", 3)]
    return torch().nested.nested_tensor(rows, layout=getattr(torch(), layout))


def masked() -> Any:
    made = importlib.import_module("torch.masked").masked_tensor
    return made(torch().ones(3, 4), torch().ones(3, 4).bool())


#: Name: (how it is made, what the message says of it and of the cure).
NO_ELEMENTS: "dict[str, tuple[Callable[[], Any], tuple[str, ...]]]" = {
    **{f"meta {each}": (lambda each=each: ones(each, device="meta"), ("meta device",)) for each in (*FLOATS, "int64")},
    **{f"fake {each}": (lambda each=each: fake(each), ("FakeTensor", "FakeTensorMode")) for each in (*FLOATS, "int64")},
    **{
        f"{layout} {each}": (lambda layout=layout, each=each: sparse(layout, each), (f"torch.{layout}", ".to_dense()"))
        for layout in ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
        for each in ("float32", "float16", "int64")
    },
    "sparse, uncoalesced": (uncoalesced, (".to_dense()",)),
    "mkldnn": (lambda: torch().ones(3, 4).to_mkldnn(), (".to_dense()",)),
    **{
        f"quantised {each}": (lambda each=each: quantised(each), (f"torch.{each}", ".dequantize()"))
        for each in ("qint8", "quint8", "qint32")
    },
    "quantised by channels": (lambda: quantised("qint8", True), (".dequantize()",)),
    "nested": (lambda: nested("strided"), ("different lengths", ".unbind()")),
    "nested, jagged": (lambda: nested("jagged"), ("different lengths", ".unbind()")),
    "masked": (masked, ("MaskedTensor", ".to_tensor(")),
    "wrapper": (wrapper, ("Scaled", ".dequantize()")),
    "distributed": (distributed, ("DTensor", "mesh of devices", ".full_tensor()")),
    **{f"freed {each}": (lambda each=each: freed(ones(each)), ("freed", "clone()")) for each in (*FLOATS, "int64")},
    "freed, of one element": (lambda: freed(ones("float32", 1)), ("freed",)),
    "freed and expanded": (lambda: freed(ones("float32", 1).expand(3, 4)), ("freed",)),
    "freed view": (lambda: freed(ones("float32", 5, 5)[1:4, 1:]), ("freed",)),
    "freed gradient": (lambda: freed(ones().requires_grad_().detach()), ("freed",)),
    "made smaller": (lambda: freed(ones(), 47), ("47 bytes", "48")),
    "made smaller, a view": (lambda: freed(ones("float32", 8, 4)[5:8], 64), ("64 bytes", "128")),
    "no memory yet": (lambda: torch().nn.LazyLinear(4).weight, ("UninitializedParameter",)),
    **{
        each: (lambda each=each: ones().to(getattr(torch(), each)), ("complex", "by themselves"))
        for each in ("complex64", "complex128", "complex32")
    },
    "conjugate view": (lambda: ones("complex64").conj(), ("complex", "by themselves")),
    "two numbers an element": (
        lambda: ones("uint8").view(torch().float4_e2m1fn_x2),
        ("float4_e2m1fn_x2", "unpack"),
    ),
    "bits": (lambda: ones("uint8").view(torch().bits8), ("Tensor",)),
    "quantised bits": (lambda: ones("uint8").view(torch().bits1x8), ("Tensor",)),
    "float8_e4m3fnuz": (lambda: ones("float8_e4m3fnuz"), ("float8_e4m3fnuz", "conver")),
    "float8_e5m2fnuz": (lambda: ones("float8_e5m2fnuz"), ("float8_e5m2fnuz", "conver")),
    "float8_e8m0fnu": (lambda: ones("float8_e8m0fnu"), ("float8_e8m0fnu", "conver")),
    "bool": (lambda: ones("bool"), ("bool", ".astype(numpy.")),
    "dtype": (lambda: torch().float32, ("give an array",)),
    "size": (lambda: torch().Size([3, 4]), ("give an array",)),
    "storage": (lambda: torch().ones(3).untyped_storage(), ("give an array",)),
    "module": (lambda: torch().nn.Linear(4, 3), ("give an array",)),
    "list of tensors": (lambda: [ones(), ones()], ("give an array",)),
    "packed sequence": (
        lambda: torch().nn.utils.rnn.pack_sequence([torch().ones(2), torch().ones(1)]),
        ("give an array",),
    ),
    "the class": (lambda: torch().Tensor, ("give an array",)),
}
INTEGERS = ("int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("argument", ["observed", "a", "c", "index"])
@pytest.mark.parametrize("what", NO_ELEMENTS)
def test_tensors_without_elements_are_refused(what: str, argument: str) -> None:
    make, says = NO_ELEMENTS[what]
    refused(TypeError, argument, make(), *says)


@pytest.mark.parametrize("argument", ["observed", "a", "x"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_where_numbers_are_taken_are_refused(dtype: str, argument: str) -> None:
    refused(TypeError, argument, ones(dtype), dtype, ".astype(numpy.float32)")


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_where_places_are_taken_are_refused(dtype: str) -> None:
    refused(TypeError, "index", ones(dtype, 4), dtype, ".astype(numpy.int32)")


TRANSFORMS = {
    "vmap": lambda judged: torch().vmap(judged)(ones()),
    "grad": lambda judged: torch().func.grad(judged)(ones()),
    "jvp": lambda judged: torch().func.jvp(judged, (ones(),), (ones(),)),
    "vjp": lambda judged: torch().func.vjp(judged, ones()),
    "jacrev": lambda judged: torch().func.jacrev(judged)(ones()),
    "hessian": lambda judged: torch().func.hessian(judged)(ones()),
    "functionalize": lambda judged: torch().func.functionalize(judged)(ones()),
    "grad of vmap": lambda judged: torch().func.grad(lambda x: torch().vmap(judged)(x).sum())(ones()),
}


@pytest.mark.parametrize("argument", ["observed", "a", "index"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_tensors_inside_transforms_are_refused(transform: str, argument: str) -> None:
    seen = []

    def judged(x: Any) -> Any:
        seen.append(refused(TypeError, argument, x, "torch.func", "outside"))
        return x.sum()

    TRANSFORMS[transform](judged)
    assert seen


@pytest.mark.parametrize("argument", ["a", "index"])
def test_tensors_that_are_exported_or_traced_are_refused(argument: str) -> None:
    seen = []

    def judged(x: Any) -> Any:
        seen.append(refused(TypeError, argument, x, "outside"))
        return x + 1

    make_fx = importlib.import_module("torch.fx.experimental.proxy_tensor").make_fx
    make_fx(judged, tracing_mode="fake")(ones())
    assert seen


@pytest.mark.parametrize("argument", ["observed", "a"])
def test_real_tensors_under_a_fake_mode_are_refused(argument: str) -> None:
    mode = importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode
    real = ones()
    with mode():
        refused(TypeError, argument, real)
    with mode(allow_non_fake_inputs=True):
        refused(TypeError, argument, real)


@pytest.mark.parametrize("argument", ["observed", "a", "x", "index"])
@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 20, 1 << 20), (3, 1 << 33)])
def test_tensors_larger_than_a_case_are_refused(shape: "tuple[int, ...]", argument: str) -> None:
    one = ones("int64" if argument == "index" else "float32", 1)
    refused(ValueError, argument, one.expand(shape), "elements")


@pytest.mark.parametrize("argument", ["observed", "a", "b", "x", "index"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 4), (3, 0), (1, 1, 1, 1, 1)])
def test_empty_and_odd_shapes_are_refused(shape: "tuple[int, ...]", argument: str) -> None:
    dtype = {"index": "int64", "a": "float16", "b": "float16"}.get(argument, "float32")
    tensor = torch().zeros(shape, device=device()).to(getattr(torch(), dtype))
    refused(ValueError, argument, tensor)
