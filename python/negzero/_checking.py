"""One check of a function: the cases it begins with, what the ledger accepts, and what is said in the end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
import warnings
from typing import Any
from collections.abc import Iterable, Mapping

from . import _library, _safetensors
from ._assert import NothingDecided
from ._calling import Caller
from ._case import case_named, write_file
from ._checked import Checked, Counterexample
from ._claims import Claims
from ._flight import Record
from ._ledger import is_quarantine
from ._parameters import full_name_of, place_of
from ._paste import snippet
from ._preparation import Preparation
from ._reference import Reference
from ._ranges import scalars_outside, values_outside
from ._requests import outside
from ._saved import Saved, collect, key_of, make_folder, remember
from ._tracebacks import is_raised_here


class Checking:
    """One check. `plugin` are the settings of negzero_pytest; None outside of pytest."""

    def __init__(
        self,
        caller: Caller,
        reference: "Reference | None",
        preparation: "Preparation | None",
        options: "dict[str, Any]",
        claims: Claims,
        folder: "str | None",
        plugin: Any,
        allows_not_judged: bool,
    ) -> None:
        self.caller, self.reference, self.preparation, self.options = caller, reference, preparation, options
        self.claims, self.folder, self.plugin = claims, folder, plugin
        self.allows_not_judged = allows_not_judged
        self.test = plugin.test if plugin is not None else ""
        self.function = f"{getattr(caller.fn, '__module__', '')}.{full_name_of(caller.fn)}"
        self.saved = None if folder is None else Saved(folder, key_of(self.test, self.function))
        ledger = plugin.ledger if plugin is not None else None
        names = [name for name in (self.test, self.function, options["name"]) if name]
        self.accepted = ledger.of(names, caller.images.place) if ledger is not None else []

    def run(self) -> Checked:
        """Checks, and returns or raises what check() promises."""
        for accepted in filter(is_quarantine, self.accepted):
            self.plugin.about.append(accepted.entry)
            self.plugin.skip(f"negzero: not run, as its crash is known: {accepted}")
        if self.folder is not None:
            for line in collect(self.folder):
                warnings.warn(f"negzero: {line}", stacklevel=4)
        first = self._first()
        options = {**self.options, "known": [dict(accepted.kind) for accepted in self.accepted]}
        record = self.caller.record = Record(self.folder, self.function, self.test)
        if record.problem:
            warnings.warn(
                f"negzero: the case in flight is not kept ({record.problem}); give save_to= another folder",
                stacklevel=4,
            )
        begin = time.perf_counter()
        try:
            with self.caller.interruptible():
                report, found = _library.check(
                    options,
                    (self.caller.launch, self.caller.memory),
                    _called(self.reference),
                    _called(self.preparation),
                    [data for _, data in first],
                )
        finally:
            record.close()
            self.caller.progress.close()
        seconds = time.perf_counter() - begin
        path = self._keep(found) if found else ""
        helpers = [each for each in (self.reference, self.preparation) if each is not None]
        stopped_by = self.caller.stopped_by or next((each.stopped_by for each in helpers if each.stopped_by), None)
        for each in helpers:
            if each.raised is not None:
                raise RuntimeError(each.problem) from (None if is_raised_here(each.raised) else each.raised)
        if report["stopped"] and stopped_by is None:
            stopped_by = KeyboardInterrupt()
        if self.plugin is not None:
            self.plugin.note(
                self.test or self.function, self.function, self.caller.images.place, self.accepted, report["known"],
                is_whole=not found and stopped_by is None,
            )  # fmt: skip
        if stopped_by is not None and not (found and self.caller.is_lost):
            self._say_interrupted(path)
            raise stopped_by
        if found:
            cause = self.caller.raised if report["found"]["rule"] in ("run.raised", "run.refused") else None
            raise self._counterexample(report, found, path) from cause
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
        signature = self.caller.signature
        try:
            case = case_named(data, path)
            described = case.described
        except ValueError as error:
            return str(error)
        if case.operation != signature.identity:
            return f"it is a case of {case.operation}, and this is {signature.identity}"
        formats = signature.filled(described["formats"])
        if formats not in map(signature.formats_of, self.options["formats"]):
            named = signature.named(formats)
            shown = [named[slot] for slot in (*signature.slots, *signature.usual) if slot in named]
            return f"its formats {', '.join(shown)} are none of those that are checked now"
        tensors, metadata = _safetensors.read(data, path)
        return (
            outside(self.options, signature, described["extents"], json.loads(metadata["layout"]), case.configuration)
            or scalars_outside(self.options, signature.kinds, json.loads(metadata.get("scalars", "{}")))
            or values_outside(self.options, tensors)
        )

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
        elif self.caller.interrupted_at and self.folder is not None:
            with contextlib.suppress(OSError):
                path = os.path.abspath(os.path.join(self.folder, "interrupted.safetensors"))
                make_folder(self.folder)
                write_file(path, self.caller.interrupted_at)
                remember(self.folder, path)
                print(
                    f"negzero: interrupted inside {name}; its case is {path}, and negzero.last_case() returns it",
                    file=sys.stderr,
                )

    def _unchecked(self) -> "tuple[str, ...]":
        lines = []
        output = self.caller.signature.outputs[0].name
        in_place = self.options.get("in_place", {})
        if in_place.get("always"):
            lines.append(f"elements of {output} that are not written, as {in_place['input']} lies there")
        elif not self.caller.parameters.outputs:
            lines.append(
                f"writes beside the output and elements that are not written, as {self.options['name']} returns its "
                f"result (let it take {output} and write into it)"
            )
        if not self.caller.images.has_views:
            lines.append(f"strides and writes to inputs, as arrays of {self.caller.images.name} are copies")
        return tuple(lines)

    def _counterexample(self, report: "Mapping[str, Any]", found: bytes, path: str) -> Counterexample:
        finding = report["found"]
        case = case_named(found, path or "the case")
        taken = self.caller.parameters.inputs
        untaken = [name for name in self.caller.signature.addends if name not in taken]
        lines = [_without(str(finding["text"]).rstrip(), untaken)]
        place = place_of(self.caller.fn)
        if place:
            lines.append(f"  function   {self.options['name']} ({place}), {self.caller.images.where()}")
        if finding["claim"]:
            lines.append(f"  claimed    {self.claims.name_of(finding['claim'])}")
        lines.append(f"  shrunk     {_shrunk_text(finding, self.caller.is_lost)}")
        lines += [f"  unchecked  {each}" for each in self._unchecked()]
        lines += [f"  accepted   {each}" for each in self._accepted(report)]
        if report["warnings"]:
            lines.append(f"  warning    {_warning(report)}")
        if report["assumed"]:
            lines.append("  assumed    that contract, as none was given; contract= takes another")
        if path:
            lines.append(f"  saved      {path}")
        lines += ["  to see it", *snippet(case, self.caller, finding, path)]
        return Counterexample("\n".join(lines), case, {**report, **finding}, path)

    def _accepted(self, report: "Mapping[str, Any]") -> "tuple[str, ...]":
        counts = zip(self.accepted, report["known"])
        return tuple(f"{each}: {count:,} case{'' if count == 1 else 's'}" for each, count in counts if count)

    def _checked(self, report: "Mapping[str, Any]", seconds: float) -> Checked:
        name, operation = str(self.options["name"]), self.caller.signature.name
        if report["errors"]:
            raise _library.LibraryError(
                f"{report['errors']} cases of {operation} could not be judged; the first: {report['error']}"
            )
        if not report["passed"] and report["not_judged"] and self.reference is not None:
            raise NothingDecided(
                None,
                f"{name}: no case was decided: {report['not_judged']:,} ran clean, and their values could not be judged: "
                f"{report['warning']}; give a reference that is good to its error, or a larger error; this is no pass",
            )
        if not report["passed"] and report["not_judged"] and not self.allows_not_judged:
            raise NothingDecided(
                None,
                f"{name}: {report['not_judged']:,} cases ran clean, and their values were not judged: {operation} has "
                "no definition; give reference= and error=, or allow_not_judged=True where memory, exceptions and "
                "claims are all that is asked; this is no pass",
            )
        if not report["passed"] and not report["not_judged"] and not any(report["known"]):
            raise NothingDecided(
                None,
                f"{name}: no case was decided: {report['empty']:,} have no element of output, and on "
                f"{report['vacuous']:,} nothing could fail under this contract; give larger extents or a stricter "
                "contract; this is no pass",
            )
        if self.claims.properties and not report["held"]:
            raise NothingDecided(
                None,
                f"{name}: no case met what {', '.join(self.claims.names)} asks for; it is looked at on "
                f"{', '.join(self.claims.properties)} (docs/explanation/numerics.md section 8); this is no pass",
            )
        return Checked(
            name, operation, report["passed"], report["not_judged"], report["vacuous"] + report["empty"],
            report["held"], report["launches"], seconds, int(self.options["seed"]), report["contract_text"],
            self.caller.signature.declared, self._unchecked(),
            self._accepted(report), _warning(report),
        )  # fmt: skip


def _without(text: str, tensors: "Iterable[str]") -> str:
    """Leaves out of a case what it says of tensors that the function does not take, and that nothing may read."""
    for name in tensors:
        unread = re.compile(rf"^ +{name} \w+\[[\d, ]*\] \(not to be read .*\)\n", re.MULTILINE)
        text, count = unread.subn("", text)
        if count:
            text = re.sub(rf"^ +layout of {name}: .*\n", "", text, flags=re.MULTILINE)
    return text


def _warning(report: "Mapping[str, Any]") -> str:
    count = report["warnings"]
    return f"{report['warning']} ({count:,} case{'' if count == 1 else 's'} with one)" if count else ""


def _called(function: "Reference | Preparation | None") -> "_library.Called | None":
    return None if function is None else (function.launch, function.memory)


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
