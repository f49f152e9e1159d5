"""One check of a function: its launches, what is kept beside them, and what is said in the end."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import time
import traceback
import warnings
from typing import Any, Callable
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from . import _library
from ._assert import NothingDecided
from ._case import case_named, write_file
from ._checked import Checked, Counterexample
from ._claims import Claims
from ._flight import Record
from ._formats import dtype_of
from ._images import Images, result_on_host
from ._library import CHANGED, RAISED, RAN, STOP, Launch
from ._operations import Signature
from ._parameters import Parameters, full_name_of, place_of
from ._paste import snippet
from ._progress import Progress
from ._saved import Saved, collect, key_of, make_folder, remember


class Checking:
    """One check: the launches, what is kept beside them, and what is said in the end."""

    def __init__(
        self,
        fn: "Callable[..., Any]",
        signature: Signature,
        parameters: Parameters,
        images: Images,
        options: "dict[str, Any]",
        claims: Claims,
        folder: "str | None",
        test: str,
        has_batch: bool,
    ) -> None:
        self.fn, self.signature, self.parameters, self.images = fn, signature, parameters, images
        self.options, self.claims, self.folder, self.test = options, claims, folder, test
        self.squeezed = (
            frozenset()
            if has_batch
            else frozenset(
                tensor.name for tensor in (*signature.inputs, *signature.outputs) if tensor.shape[:1] == ("batch",)
            )
        )
        self.module_name = f"{getattr(fn, '__module__', '')}.{full_name_of(fn)}"
        self.saved = None if folder is None else Saved(folder, key_of(test, self.module_name))
        self.progress = Progress(str(options["name"]), int(options["cases"]))
        self.stopped_by: "BaseException | None" = None
        self.raised: "Exception | SystemExit | None" = None
        self.interrupted_at = b""  # the case inside which the function was interrupted
        self.takes_initial = [t.name for t in signature.inputs if t.role == "initial" and t.name in parameters.inputs]
        self.outputs = tuple(tensor.name for tensor in signature.outputs)

    def run(self) -> Checked:
        """Checks, and returns or raises what check() promises."""
        __tracebackhide__ = True
        if self.folder is not None:
            for line in collect(self.folder):
                warnings.warn(f"negzero: {line}", stacklevel=4)
        first = self._first()
        self.record = Record(self.folder, self.module_name, self.test)
        begin = time.perf_counter()
        try:
            report, found = _library.check(self.options, self._launch, self._memory, [data for _, data in first])
        finally:
            self.record.close()
            self.progress.close()
        seconds = time.perf_counter() - begin
        path = self._keep(found) if found else ""
        if self.stopped_by is not None and not (found and isinstance(self.stopped_by, _Lost)):
            self._say_interrupted(path)
            raise self.stopped_by
        if found:
            raise self._counterexample(report, found, path) from self._cause(report)
        if self.saved is not None:
            _drop(path for path, _ in first)
        return self._checked(report, seconds)

    # Before

    def _first(self) -> "list[tuple[str, bytes]]":
        """The cases to begin with. Those that no longer fit are dropped, with a line."""
        kept = []
        for path, data in self.saved.cases() if self.saved is not None else []:
            why = self._misfit(data, path)
            if why:
                _drop([path])
                warnings.warn(f"negzero: {path} failed before and is dropped: {why}", stacklevel=5)
            else:
                kept.append((path, data))
        return kept

    def _misfit(self, data: bytes, path: str) -> str:
        try:
            case = case_named(data, path)
            operation = case.described
        except ValueError as error:
            return str(error)
        if case.operation != self.signature.name:
            return f"it is a case of {case.operation}, and this is {self.signature.name}"
        slots = [operation["formats"][slot] for slot in self.signature.slots]
        if slots not in self.options["formats"]:
            return f"its formats {', '.join(slots)} are none of those that are checked now"
        for extent, limit in self.options["extents"].items():
            value, multiple = operation["extents"][extent], limit[2] if len(limit) > 2 else 1
            if not limit[0] <= value <= limit[1] or value % multiple:
                return f"its {extent} is {value}, outside of the limits now"
        return ""

    # Each launch

    def _memory(self, size: int) -> int:
        try:
            return self.images.allocate(size)
        except Exception as error:
            self.stopped_by = error
            return 0

    def _launch(self, launch: Launch) -> int:
        """Runs the function once. Raises nothing: what is raised in it becomes a finding, or ends the check."""
        try:
            return self._launched(launch)
        except BaseException as error:
            self.stopped_by = error
            return STOP

    def _launched(self, launch: Launch) -> int:
        plan = json.loads(launch.plan)
        self.progress.at(plan["phase"], plan["index"])
        images, begin, end = self.images, plan["begin"], plan["end"]
        buffers = plan["buffers"]
        for name in self.squeezed:
            buffer = buffers.get(name)
            if buffer is not None:
                del buffer["shape"][0], buffer["strides"][0]
        try:
            images.load(begin, end)
        except Exception as error:  # a GPU that an earlier launch has lost
            raise _Lost(str(error)) from error
        values = {name: images.array(buffers[name]) for name in self.parameters.inputs if name in buffers}
        copies = {}
        for name in self.takes_initial:
            copies[name] = images.on_host(buffers[self.outputs[0]]).copy()
            values[name] = images.copy(copies[name])
        for name in self.parameters.scalars:
            values[name] = _scalar_of(*plan["scalars"][name])
        for name in self.parameters.outputs:
            values[name] = images.array(buffers[name])
        given = dict(values)
        self.record.begin(launch.case, launch.case_size)
        try:
            with np.errstate(all="ignore"):  # of overflow and NaN, which cases are made of
                result = self.parameters.call(self.fn, values)
            images.store(begin, end)
            if not self.parameters.outputs:
                self._take(result, buffers)
        except (Exception, SystemExit) as error:
            self.raised = error
            _say(launch, _exception_line(error, self.fn))
            return RAISED
        except KeyboardInterrupt:
            self.interrupted_at = ctypes.string_at(launch.case, launch.case_size)
            raise
        finally:
            self.record.end()
        for name, before in copies.items():
            after = result_on_host(images, given[name], name)
            if after.tobytes() != before.tobytes():
                _say(launch, f"{name}, of which the function was given a copy, was changed")
                return CHANGED
        return RAN

    def _take(self, result: object, buffers: "Mapping[str, Any]") -> None:
        """Puts what the function returned where the output lies. Raises TypeError or ValueError for what is none."""
        outputs = self.outputs
        if len(outputs) == 1:
            results: "Sequence[object]" = (result,)
        elif isinstance(result, Mapping):
            results = [result.get(name) for name in outputs]
        else:
            results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(outputs) or any(each is None for each in results):
            said = "None" if result is None else f"a {type(result).__name__}"
            raise TypeError(
                f"fn returned {said}, and {self.signature.name} gives {', '.join(outputs)}; return "
                f"{'an array' if len(outputs) == 1 else 'a tuple of arrays'}, or take {outputs[0]} and write into it"
            )
        for name, each in zip(outputs, results):
            array = result_on_host(self.images, each, f"fn's result {name}")
            target = self.images.on_host(buffers[name])
            if array.shape != target.shape:
                raise ValueError(f"fn returned {name} of shape {array.shape}, and the operands make it {target.shape}")
            if array.dtype != target.dtype:
                raise TypeError(
                    f"fn returned {name} in {array.dtype.name}, and the formats make it {target.dtype.name}"
                )
            target[...] = array

    # In the end

    def _keep(self, found: bytes) -> str:
        if self.saved is None:
            return ""
        try:
            return self.saved.keep(found)
        except OSError as error:
            print(f"negzero: the case cannot be saved ({error}); give save_to= another folder", file=sys.stderr)
            return ""

    def _say_interrupted(self, path: str) -> None:
        name = self.options["name"]
        if path:
            print(f"negzero: {name}: interrupted while shrinking; the case so far is {path}", file=sys.stderr)
        elif self.interrupted_at and self.saved is not None:
            with contextlib.suppress(OSError):
                path = os.path.abspath(os.path.join(self.saved.folder, "interrupted.safetensors"))
                make_folder(self.saved.folder)
                write_file(path, self.interrupted_at)
                remember(self.saved.folder, path)
                print(
                    f"negzero: interrupted inside {name}; its case is {path}, and negzero.last_case() returns it",
                    file=sys.stderr,
                )

    def _unchecked(self) -> "tuple[str, ...]":
        lines = []
        if not self.parameters.outputs:
            lines.append(
                f"writes beside the output and elements that are not written, as {self.options['name']} returns its "
                f"result (let it take {self.outputs[0]} and write into it)"
            )
        if not self.images.has_views:
            lines.append(f"strides and writes to inputs, as arrays of {self.images.name} are copies")
        return tuple(lines)

    def _counterexample(self, report: "Mapping[str, Any]", found: bytes, path: str) -> Counterexample:
        finding = report["found"]
        case = case_named(found, path or "the case")
        lines = [str(finding["text"]).rstrip()]
        place = place_of(self.fn)
        if place:
            lines.append(f"  function   {self.options['name']} ({place}), {self.images.where()}")
        if finding["claim"]:
            lines.append(f"  claimed    {self.claims.name_of(finding['claim'])}")
        lines.append(f"  shrunk     {_shrunk_text(finding, isinstance(self.stopped_by, _Lost))}")
        lines += [f"  unchecked  {each}" for each in self._unchecked()]
        if report["assumed"]:
            lines.append("  assumed    that contract, as none was given; contract= takes another")
        if path:
            lines.append(f"  saved      {path}")
        lines += ["  to see it", *snippet(case, self.signature, self.parameters, self.images, self.fn, finding, path)]
        return Counterexample("\n".join(lines), case, {**report, **finding}, path)

    def _cause(self, report: "Mapping[str, Any]") -> "Exception | SystemExit | None":
        return self.raised if report["found"]["rule"] == "run.raised" else None

    def _checked(self, report: "Mapping[str, Any]", seconds: float) -> Checked:
        if report["errors"]:
            raise _library.LibraryError(
                f"{report['errors']} cases of {self.signature.name} could not be judged; the first: {report['error']}"
            )
        if not report["passed"]:
            raise NothingDecided(
                None,
                f"{self.options['name']}: no case was decided: {report['empty']:,} have no element of output, "
                f"and on {report['vacuous']:,} nothing could fail under this contract; give larger extents or a "
                "stricter contract; this is no pass",
            )
        if self.claims.properties and not report["held"]:
            raise NothingDecided(
                None,
                f"{self.options['name']}: no case met what {', '.join(self.claims.names)} asks for; it is looked at on "
                f"{', '.join(self.claims.properties)} (docs/numerics.md section 8); this is no pass",
            )
        return Checked(
            str(self.options["name"]), self.signature.name, report["passed"],
            report["vacuous"] + report["empty"], report["held"],
            report["launches"], seconds, int(self.options["seed"]), report["contract_text"], self._unchecked(),
        )  # fmt: skip


class _Lost(RuntimeError):
    """Nothing can be launched any more in this process."""


def _shrunk_text(finding: "Mapping[str, Any]", is_lost: bool) -> str:
    if is_lost:
        return "not at all: the GPU's context is lost; only a new process can use the GPU again"
    if not finding["came_again"]:
        return f"not at all: the case did not fail again in {finding['runs']} runs"
    text = f"in {finding['evaluations']:,} runs; {finding['hits']} of {finding['runs']} runs of this case fail"
    return f"{text}; time ran out, so there may be smaller ones" if finding["is_cut"] else text


def _drop(paths: "Iterable[str]") -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _scalar_of(format_name: str, bits: str) -> float:
    dtype = dtype_of(format_name)
    return float(np.frombuffer(int(bits, 16).to_bytes(dtype.itemsize, "little"), dtype)[0])


def _say(launch: Launch, text: str) -> None:
    data = text.encode("utf-8", "replace")[: launch.message_size - 1]
    ctypes.memmove(launch.message, data, len(data))


def _exception_line(error: "Exception | SystemExit", fn: object) -> str:
    """Returns "TypeError: words (file.py:12)" with the innermost line of the function's own file."""
    own = place_of(fn).rpartition(":")[0]
    here = os.path.dirname(__file__)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if os.path.dirname(frame.filename) != here]
    mine = [frame for frame in frames if frame.filename == own] or frames
    words = " ".join(str(error).split())[:300]
    where = f" ({os.path.basename(mine[-1].filename)}:{mine[-1].lineno})" if mine else ""
    return f"{type(error).__name__}: {words}{where}"
