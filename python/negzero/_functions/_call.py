"""What a call of a framework's function means: an operation, its operands, a contract, and how results are seen."""

from __future__ import annotations

import inspect
import math
import operator
import sys
from dataclasses import dataclass, field, replace
from typing import Any
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .._arrays import packed
from .._formats import FLOATS, INDICES, format_of
from .._operations import signature_of

#: Makes an ndarray of what a caller gave as an argument: as_array(), with the notes of the call.
ToArray = Callable[..., np.ndarray]
#: The source of what no document says.
UNDOCUMENTED = "not documented"


@dataclass(frozen=True)
class Promise:
    """One sentence about a function's numerics, with the fields of a contract that say it."""

    fields: "Mapping[str, Any]"
    says: str
    source: str  #: where it is documented; UNDOCUMENTED where that is the weakest that users rely on


@dataclass(frozen=True)
class Result:
    """How a caller sees one output of an operation."""

    shape: "tuple[int, ...]"  #: what the function returns
    own: "tuple[int, ...]"  #: what the operation returns: the same elements, `axis` last
    axis: "int | None" = None

    def taken(self, array: np.ndarray, who: str, giver: str) -> np.ndarray:
        """Returns what was observed as the operation has it. Raises ValueError where the shape is another one."""
        if array.shape != self.shape:
            raise ValueError(
                f"{who} has shape {array.shape}, and {giver} gives {self.shape} for its operands; pass that"
            )
        return array.reshape(self.own) if self.axis is None else np.moveaxis(array, self.axis, -1)

    def to_caller(self, array: np.ndarray) -> np.ndarray:
        """Returns an array of the operation's shape as the caller sees it."""
        return array.reshape(self.shape) if self.axis is None else np.moveaxis(array, -1, self.axis)

    def index(self, element: int) -> "tuple[int, ...]":
        """Returns the caller's index of the operation's element number `element`."""
        if not self.shape:
            return ()
        place = [int(i) for i in np.unravel_index(element, self.shape if self.axis is None else self.own)]
        if self.axis is not None:
            place.insert(self.axis, place.pop())
        return tuple(place)


@dataclass(frozen=True)
class Call:
    """One call of a function, taken apart."""

    operation: str
    operands: "Mapping[str, Any]"  #: by the operation's names
    said: "Mapping[str, str]"  #: the function's own word for each of them
    results: "Mapping[str, Result]"  #: by the operation's names, in the order in which the function returns them
    dtypes: "Mapping[str, Any]"  #: of the outputs whose dtype the operands decide
    promises: "tuple[Promise, ...]"
    switches: "Mapping[str, Any]" = field(default_factory=dict)  #: of the framework, as they were at the call
    undecided: str = ""  #: why no contract is known for this call
    #: Fields that replace those of the contract where it refuses: another way in which all elements may be computed.
    otherwise: "Mapping[str, Any]" = field(default_factory=dict)
    #: The operand that stays where nothing is added to it, as a value: payloads of NaN and signs of zero may change.
    initial: str = ""

    @property
    def contract(self) -> "dict[str, Any]":
        """The fields of all promises."""
        return {name: value for promise in self.promises for name, value in promise.fields.items()}


@dataclass(frozen=True)
class Function:
    """A framework's function by name."""

    name: str  #: "torch.sum"
    operation: str  #: what it stands for
    #: Has a ToArray and then the function's own parameters. Raises TypeError or ValueError where they mean nothing.
    take: "Callable[..., Call]"
    framework: "Callable[[], str]"  #: its version: "PyTorch 2.11.0"
    aliases: "tuple[str, ...]" = ()  #: other names of the same function

    def call(self, array: ToArray, arguments: "Sequence[Any]", keywords: "Mapping[str, Any]") -> Call:
        """Takes a call apart; errors begin with the function's name."""
        signature = inspect.signature(self.take)
        try:
            bound = signature.bind(array, *arguments, **keywords)
        except TypeError as error:
            shown = ", ".join(list(signature.parameters)[1:])
            raise TypeError(f"{self.name}: {error}; negzero knows {self.name}({shown})") from None
        try:
            call = self.take(*bound.args, **bound.kwargs)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from error
        if call.operation in _ADDS and any(is_f8(np.dtype(each)) for each in call.dtypes.values()):
            call = replace(call, promises=(*call.promises, OVERFLOW_OF_F8))
        if not flushes() or any(_is_on_gpu(each) for each in (*arguments, *keywords.values())):
            return call
        switches = {**call.switches, "flush_denormal": True}
        return replace(call, promises=(*call.promises, FLUSHES_HERE), switches=switches)


#: Operations that round their own results.
_ADDS = ("gemm", "reduce.sum", "reduce.mean", "scan.inclusive", "scatter.add")
OVERFLOW_OF_F8 = Promise(
    {"overflow": "either"}, "What is too large for FP8 becomes the largest number, NaN or infinity.", UNDOCUMENTED
)
#: What torch.set_flush_denormal(True) and its like do to a process.
FLUSHES_HERE = Promise(
    {"subnormal_inputs": "either", "subnormal_results": "either"},
    "This process flushes subnormal numbers, as torch.set_flush_denormal(True) makes it.",
    "https://docs.pytorch.org/docs/stable/generated/torch.set_flush_denormal.html",
)


def is_f8(dtype: np.dtype) -> bool:
    """Says whether numbers of a dtype, of those that have a format, have 8 bits."""
    return dtype.itemsize == 1


def flushes() -> bool:
    """Says whether this thread's floating-point environment takes subnormal numbers for zeros."""
    return sys.float_info.min * 0.5 == 0


def _is_on_gpu(value: object) -> bool:
    return getattr(getattr(value, "device", None), "type", "") == "cuda"


def observed_of(call: Call, observed: object, name: str, to_array: ToArray) -> "dict[str, np.ndarray]":
    """Returns the outputs that a function returned, by the operation's names and in its shapes."""
    names = list(call.results)
    if len(names) == 1:
        given = [observed]
    elif isinstance(observed, tuple) and len(observed) == len(names):
        given = list(observed)
    elif isinstance(observed, Mapping) and set(observed) == set(names):
        given = [observed[each] for each in names]
    else:
        raise TypeError(
            f"observed: {name} gives {len(names)} arrays; give them as it returns them, or a dict of {', '.join(names)}"
        )
    found = {}
    signature = signature_of(call.operation)
    takes = {tensor.name: signature.takes(tensor) for tensor in signature.outputs}
    for output, value in zip(names, given):
        who = "observed" if len(names) == 1 else f"observed {output}"
        wanted = np.dtype(call.dtypes[output])
        array = call.results[output].taken(to_array(value, who, takes[output]), who, name)
        # Places may have any width.
        if takes[output] != INDICES and array.dtype.newbyteorder("=") != wanted:
            raise TypeError(
                f"{who} has {array.dtype.name}, and {name} gives {wanted.name} for these arguments; pass what it gave, "
                f'or judge by the operation, "{call.operation}"'
            )
        found[output] = _as_it_was(array, call.operands[call.initial]) if call.initial else array
    return found


def _as_it_was(array: np.ndarray, initial: np.ndarray) -> np.ndarray:
    """Returns what was observed, with the initial bits where both are a zero, and one NaN for all."""
    if array.shape == initial.shape and array.dtype == initial.dtype:
        array = np.where(_are_zeros(array) & _are_zeros(initial), initial, array)
    return canonical_nans(array)


def _are_zeros(array: np.ndarray) -> np.ndarray:
    """Says where zeros are, by their bits: a process that flushes subnormals takes those for zeros."""
    native = packed(array)
    bits = native.view(f"u{native.dtype.itemsize}")
    zeros: np.ndarray = (bits << bits.dtype.type(1)) == 0
    return zeros


def canonical_nans(array: np.ndarray) -> np.ndarray:
    """Returns an array whose NaN all have the same bits; a copy where there are any."""
    is_nan = np.isnan(array)
    return np.where(is_nan, np.array(np.nan, array.dtype), array) if is_nan.any() else array


def float_format(array: np.ndarray, argument: str) -> str:
    """Returns the format of an array of floating-point numbers."""
    found = format_of(array.dtype, argument)
    if found not in FLOATS:
        raise TypeError(f"{argument}: dtype {array.dtype} is no floating-point format; give floats")
    return found


def axis_of(axis: object, dimensions: int, argument: str) -> int:
    """Returns one axis, counted from the front."""
    try:
        index = operator.index(axis)  # type: ignore[arg-type]
    except TypeError:
        shown = repr(axis) if isinstance(axis, (str, float)) else f"a {type(axis).__name__}"
        raise TypeError(f"{argument}: {shown} is no axis; give an integer") from None
    most = max(dimensions, 1)
    if not -most <= index < most:
        raise ValueError(f"{argument} = {index} is out of range of {dimensions} dimensions")
    return index % most


def reduced(
    x: np.ndarray, axes: "object", keep: bool, argument: str, none_is_all: bool = False
) -> "tuple[np.ndarray, Result]":
    """Returns x with the axes that are reduced as its last one, and how the result is seen. None: all axes.

    An empty tuple of axes is none, or all of them where `none_is_all`.
    """
    if axes is None or (none_is_all and isinstance(axes, (tuple, list)) and not axes):
        places = list(range(x.ndim))
    elif isinstance(axes, (tuple, list)):
        places = [axis_of(axis, x.ndim, argument) for axis in axes]
    else:
        places = [axis_of(axes, x.ndim, argument)]
    if len(set(places)) != len(places):
        raise ValueError(f"{argument} = {axes} names one axis twice")
    places = [place for place in places if place < x.ndim]  # a number has axis 0 and no dimension
    rest = [i for i in range(x.ndim) if i not in places]
    own = tuple(x.shape[i] for i in rest)
    shape = tuple(1 if i in places else size for i, size in enumerate(x.shape)) if keep else own
    columns = math.prod(x.shape[i] for i in places)
    return np.transpose(x, [*rest, *sorted(places)]).reshape(*own, columns), Result(shape, own)


def along(x: np.ndarray, axis: object, argument: str, of_number: "tuple[int, ...]" = ()) -> "tuple[np.ndarray, Result]":
    """Returns x with one axis as its last, and how a result of x's shape is seen; of one number it has `of_number`."""
    if x.ndim == 0:
        axis_of(axis, 0, argument)
        return x.reshape(1), Result(of_number, (1,))
    place = axis_of(axis, x.ndim, argument)
    moved = np.moveaxis(x, place, -1)
    return moved, Result(x.shape, moved.shape, None if place == x.ndim - 1 else place)


def product(a: np.ndarray, b: np.ndarray, names: "tuple[str, str]") -> "tuple[np.ndarray, np.ndarray, Result]":
    """Returns the operands of numpy.matmul as matrices, and how its result is seen. Vectors are a row and a column."""
    for array, name in ((a, names[0]), (b, names[1])):
        if array.ndim == 0:
            raise ValueError(f"{name} is one number, and a product of matrices needs at least one dimension")
    if a.dtype != b.dtype:
        raise TypeError(f"{names[0]} has {a.dtype.name} and {names[1]} {b.dtype.name}; give both in one dtype")
    left, right = (a[None, :] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            f"{names[0]} of shape {a.shape} and {names[1]} of shape {b.shape} have no product: "
            f"{left.shape[-1]} columns and {right.shape[-2]} rows"
        )
    try:
        lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the leading dimensions of {names[0]}, {a.shape[:-2]}, and {names[1]}, {b.shape[:-2]}, do not agree"
        ) from None
    own = (*lead, left.shape[-2], right.shape[-1])
    shape = (*lead, *left.shape[-2 : -1 if a.ndim > 1 else -2], *right.shape[-1 : None if b.ndim > 1 else -1])
    return left, right, Result(shape, own)


def converted(x: np.ndarray, target: "np.dtype | None", argument: str) -> Call:
    """Returns the call of a conversion to another dtype."""
    if target is None:
        raise TypeError("dtype is None; give a dtype")
    result, undecided, otherwise = {"y": Result(x.shape, x.shape)}, "", {}
    if target == np.int32 and x.dtype != np.int32:
        says = "A number is cut towards zero to an integer."
        promises = [Promise({"output_rounding": "toward_zero"}, says, UNDOCUMENTED)]
        with np.errstate(invalid="ignore"):
            fits = (x.astype(np.float64) > -(2.0**31) - 1) & (x.astype(np.float64) < 2.0**31)
        if not fits.all():
            undecided = "what becomes of NaN and of numbers beyond int32 is not documented"
    else:
        says = "A number is rounded to the nearest of the new dtype, ties to even."
        promises = [Promise({"output_rounding": "nearest_even"}, says, UNDOCUMENTED)]
    if is_f8(target):
        promises.append(OVERFLOW_OF_F8)
    if x.dtype == np.float64 and target.itemsize < 4:
        says = "A number of float64 may be rounded to float32 on its way, all of them or none."
        promises.append(Promise({}, says, UNDOCUMENTED))
        otherwise = {"intermediate": ["F32"]}
    return Call("convert", {"x": x}, {"x": argument}, result, {"y": target}, tuple(promises), {}, undecided, otherwise)


def widened(x: np.ndarray, dtype: "np.dtype | None", argument: str) -> np.ndarray:
    """Returns x in a dtype that holds each of its numbers. A narrower dtype would round first, in a way of its own."""
    if dtype is None or dtype == x.dtype:
        return x
    float_format(np.empty(0, dtype), "dtype")
    precision = {"F64": 53, "F32": 24, "F16": 11, "BF16": 8, "F8_E4M3": 4, "F8_E5M2": 3}
    old, new = float_format(x, argument), format_of(dtype, "dtype")
    if precision[new] < precision[old] or {old, new} == {"F16", "BF16"} or new.startswith("F8"):
        raise ValueError(f"dtype = {dtype.name} does not hold every number of {argument}; convert it, then judge that")
    return x.astype(dtype)
