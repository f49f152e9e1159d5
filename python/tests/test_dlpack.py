"""Arrays by DLPack and the array interfaces, from exporters that nothing else is known of: right, odd and hostile."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from typing import Any, Callable

import negzero
import numpy as np
import pytest
import support
from support import FLOATS, FRAMEWORKS, framework, has_gpu, put, refused, spoiled, gemm

from negzero import _arrays
from negzero._dlpack import _Versioned

_CODES = {"F64": 2, "F32": 2, "F16": 2, "BF16": 4, "F8_E4M3": 10, "F8_E5M2": 12}
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.PyDLL(None).PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


#: Exporters, whose capsules may die after the last word about them: a capsule calls its exporter's destructor then.
_ALIVE: "list[Exporter]" = []


class Exporter:
    """Speaks DLPack as it is told: the fields of its DLTensor are those of `array` where `fields` has no others."""

    def __init__(self, array: np.ndarray, is_versioned: bool = True, **fields: Any) -> None:
        self.array, self.is_versioned, self.fields, self.freed = array, is_versioned, fields, 0
        self.device: Any = fields.pop("device", (1, 0))
        self.name = fields.pop("name", b"dltensor_versioned" if is_versioned else b"dltensor")
        self.managed = _Versioned(major=fields.pop("major", 1), minor=1)
        tensor = self.managed.tensor
        shape, steps = array.shape, [step // array.dtype.itemsize for step in array.strides]
        self.kept = [(ctypes.c_int64 * array.ndim)(*shape), (ctypes.c_int64 * array.ndim)(*steps)]
        tensor.data, tensor.ndim, tensor.device_type, tensor.lanes = array.ctypes.data, array.ndim, 1, 1
        tensor.code, tensor.bits = 2, 8 * array.dtype.itemsize
        tensor.shape, tensor.strides = (ctypes.cast(each, ctypes.POINTER(ctypes.c_int64)) for each in self.kept)
        for name, value in fields.items():
            if isinstance(value, (list, tuple)):
                self.kept.append((ctypes.c_int64 * len(value))(*value))
                value = ctypes.cast(self.kept[-1], ctypes.POINTER(ctypes.c_int64))
            setattr(tensor, name, value)
        self.destructor = _DESTRUCTOR(lambda _: setattr(self, "freed", self.freed + 1))
        _ALIVE.append(self)

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        begin = self.managed if self.is_versioned else self.managed.tensor
        return _new_capsule(ctypes.addressof(begin), self.name, ctypes.cast(self.destructor, ctypes.c_void_p))


class Old(Exporter):
    """An exporter from before DLPack 1.0."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        return super().__dlpack__()


@pytest.mark.parametrize("kind", [Exporter, Old])
@pytest.mark.parametrize("is_versioned", [True, False])
@pytest.mark.parametrize("format_name", list(FLOATS))
def test_every_bit_arrives(format_name: str, is_versioned: bool, kind: Any) -> None:
    dtype = np.dtype(FLOATS[format_name])
    bits = np.random.default_rng(3).integers(0, 256, 512 * dtype.itemsize, np.uint8).view(f"u{dtype.itemsize}")
    out = np.float64 if dtype == np.float64 else np.float32
    right = negzero.case("convert", x=bits.view(dtype), out_dtype=out)
    assert negzero.case("convert", x=kind(bits, is_versioned, code=_CODES[format_name]), out_dtype=out) == right


def test_strides_and_offsets() -> None:
    a, b, d = gemm(dtype=np.float32)
    wide = np.full((6, 12), 99, np.float32)
    wide[::-2, ::-3] = a
    forms = {
        "backwards": Exporter(wide[::-2, ::-3]),
        "offset": Exporter(
            np.concatenate([[np.float32(9)] * 4, a.ravel()]).reshape(4, 4), byte_offset=16, shape=[3, 4]
        ),
        "no strides": Exporter(a, strides=None),
    }
    for name, form in forms.items():
        judgement = negzero.judge(d, "gemm", a=form, b=b)
        assert judgement.permitted, name
        assert len(judgement.notes) == (name == "backwards")
    assert "(-96, -12)" in negzero.judge(d, "gemm", a=forms["backwards"], b=b).notes[0]
    repeated = Exporter(b[:1].copy(), shape=[4, 2], strides=[0, 1])
    assert negzero.judge(a @ np.tile(b[:1], (4, 1)), "gemm", a=a, b=repeated).permitted


@pytest.mark.parametrize("is_versioned", [True, False])
def test_memory_lives_as_long_as_its_views_and_is_freed_once(is_versioned: bool) -> None:
    exporter = Exporter(np.arange(6, dtype=np.float32).reshape(2, 3), is_versioned)
    array = _arrays.as_array(exporter, "x")
    view = array[1:, ::-1]
    del array
    gc.collect()
    assert exporter.freed == 0 and view.tolist() == [[5, 4, 3]]
    del view
    gc.collect()
    assert exporter.freed == 1


class Only:
    """Another array that shows nothing but DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **words: Any) -> Any:
        return self.array.__dlpack__(**words)


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("format_name", list(FLOATS))
def test_what_frameworks_export(name: str, format_name: str) -> None:
    if name == "numpy" and format_name in ("BF16", "F8_E4M3", "F8_E5M2"):
        return  # which NumPy exports to nobody
    a, b, d = gemm(dtype=FLOATS[format_name], out=np.float64 if format_name == "F64" else np.float32)
    if has_gpu(name) and name == "jax":
        pytest.skip("JAX copies nothing to the host by DLPack")
    exporter = Only(put(name, a))
    try:
        exporter.__dlpack__()
    except Exception as error:
        pytest.skip(f"this {name} exports no {format_name}: {error}")
    assert negzero.judge(d, "gemm", a=exporter, b=b).permitted
    assert negzero.judge(d, "gemm", a=Only(put(name, spoiled(a, (1, 1)))), b=b).verdict == "fail"


X = np.ones((3, 4), np.float32)


class Saying:
    """Gives for each protocol what it is told, or raises it."""

    def __init__(self, device: Any = (1, 0), capsule: Any = None) -> None:
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self) -> Any:
        return _said(self.device)

    def __dlpack__(self, **_: Any) -> Any:
        return _said(self.capsule)


def _said(value: Any) -> Any:
    if isinstance(value, BaseException):
        raise value
    return value


def interface(kind: str, value: Any) -> Any:
    return type("Interfaced", (), {kind: property(lambda self: _said(value))})()


def fields(**changes: Any) -> Any:
    changed = {"shape": (3, 4), "typestr": "<f4", "data": (X.ctypes.data, True), "version": 3, **changes}
    return {name: value for name, value in changed.items() if value is not ...}


HOSTILE: "dict[str, Callable[[], Any]]" = {
    "another name": lambda: Exporter(X, name=b"tensor"),
    "used": lambda: Exporter(X, name=b"used_dltensor_versioned"),
    "another version": lambda: Exporter(X, major=2),
    "version 0": lambda: Exporter(X, major=0),
    "negative dimensions": lambda: Exporter(X, ndim=-1),
    "too many dimensions": lambda: Exporter(X, ndim=1 << 20),
    "65 dimensions": lambda: Exporter(X, ndim=65, shape=[1] * 65, strides=[1] * 65),
    "no shape": lambda: Exporter(X, shape=None),
    "negative extent": lambda: Exporter(X, shape=[-3, 4]),
    "no memory": lambda: Exporter(X, data=None),
    "no memory, offset": lambda: Exporter(X, data=None, byte_offset=64),
    "lanes": lambda: Exporter(X, lanes=4),
    "no lanes": lambda: Exporter(X, lanes=0),
    "handles": lambda: Exporter(X, code=3),
    "unknown code": lambda: Exporter(X, code=200),
    "no bits": lambda: Exporter(X, bits=0),
    "128 bits": lambda: Exporter(X, bits=128),
    "float of 8 bits": lambda: Exporter(X, bits=8),
    "FP6": lambda: Exporter(X, code=15, bits=6),
    "FP4": lambda: Exporter(X, code=17, bits=4),
    "int4": lambda: Exporter(X, code=0, bits=4),
    "FNUZ": lambda: Exporter(X.view(np.uint8), code=11, bits=8),
    "E5M2 FNUZ": lambda: Exporter(X.view(np.uint8), code=13, bits=8),
    "E4M3B11 FNUZ": lambda: Exporter(X.view(np.uint8), code=9, bits=8),
    "E8M0": lambda: Exporter(X.view(np.uint8), code=14, bits=8),
    "E4M3, IEEE": lambda: Exporter(X.view(np.uint8), code=8, bits=8),
    "E3M4": lambda: Exporter(X.view(np.uint8), code=7, bits=8),
    "complex": lambda: Exporter(X, code=5, bits=64, shape=[3, 2], strides=[2, 1]),
    "bool": lambda: Exporter(np.ones((3, 4), bool), code=6),
    "memory of a device": lambda: Exporter(X, device_type=2),
    "on a device, old": lambda: Old(X, device=(2, 0)),
    "on an unknown device, old": lambda: Old(X, device=(99, 0)),
    "on Metal, old": lambda: Old(X, device=(8, 0)),
    "on a device, gives its memory": lambda: Exporter(X, device=(2, 0), device_type=2),
    "managed memory": lambda: Exporter(X, device=(13, 0), device_type=13),
    "gives None": lambda: Saying(),
    "gives an array": lambda: Saying(capsule=X),
    "gives a number": lambda: Saying(capsule=3),
    "gives itself": lambda: Saying(capsule=Saying),
    "raises BufferError": lambda: Saying(capsule=BufferError("no")),
    "raises TypeError": lambda: Saying(capsule=TypeError("no")),
    "raises ValueError": lambda: Saying(capsule=ValueError("a: no; not a word of ours")),
    "raises MemoryError": lambda: Saying(capsule=MemoryError("no")),
    "raises many lines": lambda: Saying(capsule=RuntimeError("line\n" * 1000)),
    "device None": lambda: Saying(device=None),
    "device of words": lambda: Saying(device=("cpu", 0)),
    "device of nothing": lambda: Saying(device=()),
    "device of NaN": lambda: Saying(device=(float("nan"), 0)),
    "device huge": lambda: Saying(device=(1 << 80, 0)),
    "device raises": lambda: Saying(device=RuntimeError("no")),
}
for protocol in ("__array_interface__", "__cuda_array_interface__"):
    HOSTILE.update(
        {
            f"{protocol}: {what}": (lambda protocol=protocol, value=value: interface(protocol, value))
            for what, value in {
                "None": None,
                "a list": [],
                "empty": {},
                "no data": fields(data=...),
                "no shape": fields(shape=...),
                "no typestr": fields(typestr=...),
                "null": fields(data=(0, True)),
                "negative": fields(shape=(-3, 4)),
                "text for shape": fields(shape="34"),
                "typestr of nothing": fields(typestr="?4"),
                "typestr of objects": fields(typestr="|O8"),
                "typestr of text": fields(typestr="<U1"),
                "data of text": fields(data=("x", True)),
                "one stride": fields(strides=(4,)),
                "raises": RuntimeError("no"),
                "raises AttributeError": AttributeError("no"),
            }.items()
        }
    )
HOSTILE["__cuda_array_interface__: right"] = lambda: interface("__cuda_array_interface__", fields())


@pytest.mark.parametrize("argument", ["a", "observed", "index"])
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_exporters_are_refused(what: str, argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cupy", "torch"):  # which would be asked to copy from an address that is none of a GPU's
        monkeypatch.setitem(sys.modules, name, None)
    refused(TypeError, argument, HOSTILE[what]())


@pytest.mark.parametrize("argument", ["a", "observed", "index"])
@pytest.mark.parametrize("shape", [[1 << 40, 1], [1 << 20, 1 << 20], [1 << 62, 1], [(1 << 31) + 1, 1]])
def test_exporters_of_more_than_a_case_are_refused(shape: Any, argument: str) -> None:
    code, array = (0, np.ones((3, 4), np.int64)) if argument == "index" else (2, X)
    refused(ValueError, argument, Exporter(array, code=code, shape=shape, strides=[0, 0]), "elements")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=["interrupt", "exit"])
def test_an_interrupt_is_no_error_of_the_argument(error: BaseException) -> None:
    for hostile in (Saying(capsule=error), Saying(device=error), interface("__array_interface__", error)):
        with pytest.raises(type(error)):
            negzero.judge(X, "convert", x=hostile)


def test_an_interface_of_the_object_itself_is_taken() -> None:
    class Plain:
        pass

    a, b, d = gemm(dtype=np.float32)
    plain = Plain()
    plain.__array_interface__ = a.__array_interface__  # type: ignore[attr-defined]
    assert negzero.judge(d, "gemm", a=plain, b=b).permitted
    assert negzero.judge(d + 50, "gemm", a=plain, b=b).verdict == "fail"


def test_an_array_is_taken_where_dlpack_fails() -> None:
    class Both(Saying):
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return X

    y = X.sum(-1)
    assert negzero.judge(y, "reduce.sum", x=Both(capsule=BufferError("no"))).permitted
    assert negzero.judge(y + 9, "reduce.sum", x=Both(device=RuntimeError("no"))).verdict == "fail"


def test_frameworks_are_not_imported() -> None:
    script = "import sys, negzero, numpy as n; x = n.ones((2, 2), n.float32); negzero.judge(x * 2, 'gemm', a=x, b=x)\n"
    script += "assert not {'torch', 'jax', 'cupy', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], timeout=60, check=True)


def test_a_required_framework_that_is_missing_is_no_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(support, "_REQUIRED", [])
    with pytest.raises(pytest.skip.Exception):
        framework("cupy")
    monkeypatch.setattr(support, "_REQUIRED", ["cupy"])
    with pytest.raises(pytest.fail.Exception, match="NEGZERO_REQUIRE_FRAMEWORKS has cupy"):
        framework("cupy")
