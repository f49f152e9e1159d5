"""Calls a function on the cases that the library lays out, and says what became of each call."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import threading
import traceback
from dataclasses import dataclass
from typing import Any, Callable
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ._arrays import as_parts
from ._flight import Record
from ._formats import HALVES, dtype_of, number_of, only_stores, pack_halves
from ._images import Images, result_on_host
from ._library import CHANGED, RAISED, RAN, REFUSED, STOP, Launch
from ._operations import Signature, TensorOf
from ._parameters import Parameters, place_of
from ._progress import Progress
from ._wider import directed, is_wanted, narrowed, widened


class Lost(RuntimeError):
    """Nothing can be launched any more in this process."""


class Refused(Exception):
    """Raised by a function that check() or negzero.kernel() runs, for a request that it does not take.

        raise negzero.Refused("no tile for n = 7")

    Inside the function's limits that is a finding of class refused_legal_request, rule run.refused, with the text as
    its reason. Every other exception is one of class crash, rule run.raised.
    """

    __module__ = "negzero"


def numbers_of(plan: "Mapping[str, Any]", signature: Signature, parameters: Parameters) -> "dict[str, Any]":
    """Returns the scalars that a function takes, as float, int or bool, and the extents that it names, as int."""
    numbers: dict[str, Any] = {}
    for name in parameters.scalars:
        format_name, bits = plan["scalars"][name]
        as_python = {"int": int, "bool": bool}.get(signature.kinds.get(name, ""), float)
        numbers[name] = as_python(number_of(bits, dtype_of(format_name)))
    if parameters.extents:
        extents = dict(plan.get("extents", {}))
        for tensor in (*signature.inputs, *signature.outputs):
            if tensor.name in plan["buffers"]:
                extents.update(extents_of(tensor, plan["buffers"][tensor.name]))
        numbers.update((name, int(extents[name])) for name in parameters.extents)
    return numbers


def extents_of(tensor: TensorOf, buffer: "Mapping[str, Any]") -> "dict[str, int]":
    """Returns the extents that the array of a tensor shows: bytes show no last one where two elements share a byte."""
    shown = zip(tensor.shape, buffer["shape"])
    return dict(list(shown)[:-1] if buffer["format"] in HALVES else shown)


class Function:
    """A function of an operation, called on plans over the memory of its framework's images."""

    called = "fn"  #: what messages call it

    def __init__(
        self,
        fn: "Callable[..., Any]",
        signature: Signature,
        parameters: Parameters,
        images: Images,
        has_batch: bool,
    ) -> None:
        self.fn, self.signature, self.parameters, self.images = fn, signature, parameters, images
        self._outputs = tuple(tensor.name for tensor in signature.outputs)
        self._optional = [t.name for t in signature.inputs if t.optional and t.name in parameters.inputs]
        self._initial = [t.name for t in signature.inputs if t.role == "initial" and t.name in parameters.inputs]
        # A batch that is reduced (reduce.sum_batch) is no leading one: it is always there.
        tensors = () if has_batch or signature.leading != "batch" else (*signature.inputs, *signature.outputs)
        self.without_batch = [tensor.name for tensor in tensors if signature.has_leading(tensor)]

    def prepare(self, plan: "dict[str, Any]") -> "Call":
        """Makes the arguments of one call. Raises Lost where the device takes no more."""
        images, buffers = self.images, plan["buffers"]
        for name in self.without_batch:
            buffer = buffers.get(name)
            if buffer is not None:
                del buffer["shape"][0], buffer["strides"][0]
        try:
            images.load(plan["begin"], plan["end"])
        except Exception as error:  # a GPU that an earlier launch has lost
            raise Lost(str(error)) from error
        # What lies in the output's memory is there to be updated.
        inputs = [name for name in self.parameters.inputs if name in buffers]
        updated = {name for name in inputs if buffers[name]["use"] == "in_output"}
        # An optional input that the case is without.
        values: dict[str, Any] = {name: None for name in self._optional if name not in buffers}
        values |= {name: (images.array if name in updated else images.input)(buffers[name]) for name in inputs}
        copies = {}
        for name in self._initial:
            copies[name] = images.on_host(buffers[self._outputs[0]]).copy()
            values[name] = images.copy(copies[name])
        values.update(numbers_of(plan, self.signature, self.parameters))
        for name in self.parameters.options:
            values[name] = plan["configuration"][name]
        for name in self.parameters.outputs:
            values[name] = images.array(buffers[name])
        return Call(plan, values, copies)

    def call(self, prepared: "Call") -> None:
        """Calls the function, and puts what it returns where the output lies. Raises what it raises, and TypeError or
        ValueError for a result that is none."""
        plan, values = prepared.plan, prepared.values
        with np.errstate(all="ignore"):  # of overflow and NaN, which cases are made of
            if is_wanted(plan):
                wide = widened(values)
                with directed(plan["rounding"]):
                    result = narrowed(self.parameters.call(self.fn, dict(wide)))
                for name in self.parameters.outputs:
                    values[name][...] = wide[name]
            else:
                result = self.parameters.call(self.fn, dict(values))
        self.images.store(plan["begin"], plan["end"])
        is_in_place = any(buffer["use"] == "in_output" for buffer in plan["buffers"].values())
        if not self.parameters.outputs and not (result is None and is_in_place):
            self._take(result, plan["buffers"])

    def wanted(self) -> str:
        """Says what the function must return, or write, behind the words for what it returned."""
        outputs = self._outputs
        return (
            f"and {self.signature.name} gives {', '.join(outputs)}; return "
            f"{'an array' if len(outputs) == 1 else 'a tuple of arrays'}, or take {outputs[0]} and write into it"
        )

    def changed(self, prepared: "Call") -> str:
        """Says which copy of initial values the function has changed; empty where it has none."""
        for name, before in prepared.copies.items():
            after = result_on_host(prepared.values[name], name)
            if after.tobytes() != before.tobytes():
                return f"{name}, of which the function was given a copy, was changed"
        return ""

    def as_stored(self, name: str, result: object, format_name: str, target: np.ndarray) -> object:
        """Returns a result as memory holds its format: bytes that are given as such, elements two a byte, and complex
        numbers in two parts."""
        if type(result) is not np.ndarray:
            return result
        if result.dtype.kind == "c":
            return as_parts(result, target.ndim)
        if not only_stores(format_name):
            return result
        if format_name in HALVES:
            return pack_halves(result) if result.dtype == dtype_of(format_name) else result
        return result.view(target.dtype) if result.dtype == np.uint8 else result

    def _take(self, result: object, buffers: "Mapping[str, Any]") -> None:
        """Puts what the function returned where the output lies. Raises TypeError or ValueError for what is none."""
        outputs = self._outputs
        if len(outputs) == 1:
            results: "Sequence[object]" = (result,)
        elif isinstance(result, Mapping):
            results = [result.get(name) for name in outputs]
        else:
            results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(outputs) or any(each is None for each in results):
            said = "None" if result is None else f"a {type(result).__name__}"
            raise TypeError(f"{self.called} returned {said}, {self.wanted()}")
        for name, each in zip(outputs, results):
            target = self.images.on_host(buffers[name])
            each = self.as_stored(name, each, buffers[name]["format"], target)
            places = target.dtype if target.dtype.kind in "iu" else None
            array = result_on_host(each, f"{self.called}'s result {name}", places)
            if array.shape != target.shape:
                raise ValueError(
                    f"{self.called} returned {name} of shape {array.shape}, and the operands make it {target.shape}"
                )
            if array.dtype != target.dtype:
                raise TypeError(
                    f"{self.called} returned {name} in {array.dtype.name}, and the formats make it {target.dtype.name}"
                )
            target[...] = array


@dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    plan: "dict[str, Any]"
    values: "dict[str, Any]"
    copies: "dict[str, np.ndarray]"  #: of initial values, as the function was given them


class CalledBack(Function):
    """A function that the library calls, in memory that it asks for."""

    stopped_by: "BaseException | None" = None  #: what ended the check
    raised: "Exception | SystemExit | None" = None  #: by the function, the last time that it did

    def answer(self, launch: Launch, work: "Callable[[], None]") -> int:
        """Does the work of a launch, and returns what the library is told of it. Raises nothing."""
        try:
            work()
        except (Exception, SystemExit) as error:
            self.raised = error
            say(launch, exception_line(error, self.fn))
            return RAISED
        except BaseException as error:
            self.stopped_by = error
            return STOP
        return RAN

    def memory(self, size: int) -> int:
        """Returns the address of memory for images; 0 where there is none."""
        try:
            return self.images.allocate(size)
        except Exception as error:
            self.stopped_by = error
            return 0


class Caller(CalledBack):
    """The calls of one function that is being checked here, and what is to be known of them afterwards."""

    def __init__(
        self,
        fn: "Callable[..., Any]",
        signature: Signature,
        parameters: Parameters,
        images: Images,
        has_batch: bool,
        progress: Progress,
    ) -> None:
        super().__init__(fn, signature, parameters, images, has_batch)
        self.progress = progress
        self.record: "Record | None" = None  #: keeps the case in flight
        self.interrupted_at = b""  #: the case inside which the function was interrupted
        self._runs = self._is_interrupted = False

    @property
    def is_lost(self) -> bool:
        """Whether the device takes no more launches."""
        return isinstance(self.stopped_by, Lost)

    @contextlib.contextmanager
    def interruptible(self) -> "Iterator[None]":
        """Makes Ctrl-C end the check at its next launch, and at once where the function runs.

        Python raises KeyboardInterrupt between any two instructions. Raised in a call back, outside of every try, it
        would be lost. Only the main thread has signals.
        """
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            yield
            return

        def handle(number: int, frame: Any) -> None:
            if self._runs:
                before(number, frame)
            else:
                self._is_interrupted = True

        signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if self._is_interrupted and self.stopped_by is None:
            self.stopped_by = KeyboardInterrupt()

    def launch(self, launch: Launch) -> int:
        """Calls the function once. Raises nothing: what is raised in it becomes a finding, or ends the check."""
        if self._is_interrupted:
            self.stopped_by = KeyboardInterrupt()
            return STOP
        try:
            return self._launched(launch)
        except BaseException as error:
            self.stopped_by = error
            return STOP

    def _launched(self, launch: Launch) -> int:
        plan = json.loads(launch.plan)
        self.progress.at(plan["phase"], plan["index"])
        prepared = self.prepare(plan)
        if self.record is not None:
            self.record.begin(launch.case, launch.case_size)
        try:
            self._runs = True
            self.call(prepared)
        except (Exception, SystemExit) as error:
            self.raised = error
            say(launch, exception_line(error, self.fn))
            return REFUSED if isinstance(error, Refused) else RAISED
        except KeyboardInterrupt:
            self.interrupted_at = ctypes.string_at(launch.case, launch.case_size)
            raise
        finally:
            self._runs = False
            if self.record is not None:
                self.record.end()
        changed = self.changed(prepared)
        if changed:
            say(launch, changed)
            return CHANGED
        return RAN


def say(launch: Launch, text: str) -> None:
    """Puts words where the library looks for what a launch says."""
    data = text.encode("utf-8", "replace")[: launch.message_size - 1]
    ctypes.memmove(launch.message, data, len(data))


def exception_line(error: BaseException, fn: object, folder: "str | None" = None) -> str:
    """Returns "TypeError: words (file.py:12)" with the innermost line of the function's own file, or of a folder."""
    own = place_of(fn).rpartition(":")[0]
    here = os.path.dirname(__file__)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.dirname(frame.filename) != here and not frame.filename.startswith("<frozen")
    ]
    mine = [frame for frame in frames if frame.filename == own or os.path.dirname(frame.filename) == folder] or frames
    try:
        words = " ".join(str(error).replace("\0", "\\0").split())[:300]
    except Exception:  # a stranger's __str__
        words = "its text cannot be had"
    where = f" ({os.path.basename(mine[-1].filename)}:{mine[-1].lineno})" if mine else ""
    return f"{type(error).__name__}: {words}{where}"
