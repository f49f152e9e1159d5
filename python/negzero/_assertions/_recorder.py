"""Keeps passing assertions until a test is over, then repeats them within the time that they may take."""

from __future__ import annotations

import contextlib
import inspect
import os
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from .._elements import Elements
from .._framework_elements import NoElements
from ._call import Call, found, is_truth, kept, quiet
from ._hook import Hook, Watched, is_library, unwatched
from ._known import KNOWN, Assertion, approx, of_the_project
from ._operations import Seen, current_operation
from ._repeat import repeat
from ._rows import Row
from ._site import Places, written_at

#: How often a change is tried at a row.
_TIMES = 3
#: Most bytes of copies that wait for their test's end.
_MOST_BYTES = 1 << 29
#: Most elements of all values that are kept until the end, for changes that there was no time for.
_MOST_KEPT = 1 << 24
#: Seconds that it takes to copy a byte and to call an assertion on it, about.
_COPYING = 4e-9


def _age() -> float:
    """Returns how many seconds ago this process began (proc(5), stat, starttime); 0 where nothing says so."""
    try:
        with open("/proc/self/stat", encoding="ascii") as file:
            started = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, AttributeError, IndexError):
        return 0.0


class Account:
    """Holds what is done here to the time that the process takes by itself, from its start."""

    def __init__(self) -> None:
        self._start = time.perf_counter() - _age()
        self._spent = 0.0
        self._since: "float | None" = None

    @property
    def spent(self) -> float:
        """Seconds that were taken here."""
        return self._spent + (time.perf_counter() - self._since if self._since is not None else 0.0)

    @property
    def own(self) -> float:
        """Seconds that the suite has taken without what is done here."""
        return time.perf_counter() - self._start - self.spent

    def share(self) -> float:
        """Returns the seconds that one call may take: half of what is left."""
        return max(0.0, self.own - self.spent) / 2

    @contextlib.contextmanager
    def work(self) -> "Iterator[None]":
        """Counts what happens inside as spent."""
        start = self._since = time.perf_counter()
        try:
            yield
        finally:
            self._since = None
            self._spent += time.perf_counter() - start


class Recorder:
    """Sees assertions from its making until close()."""

    def __init__(
        self, root: str, also: "Sequence[str]" = (), record: "Sequence[str]" = (), needed: "Sequence[str]" = ()
    ):
        """Watches KNOWN, pytest.approx(), and what is named.

        also    assertions of the project, "tests.utils:check_close"
        record  functions of negzero.functions() whose results are remembered
        needed  changes that are tried at each row, whatever time they take

        Raises ValueError for what names no function.
        """
        assertions = [*(of_the_project(each) for each in also), *KNOWN, *approx()]
        self.rows: "dict[tuple[Any, ...], Row]" = {}
        self.account = Account()
        self.test, self.test_file = "", ""  #: the one that runs
        self.waits = False  #: whether calls wait for flush()
        self._places = Places(root)
        self._needed = frozenset(needed)
        self._waiting: "list[tuple[Row, Call]]" = []
        self._bytes = 0
        self._unfinished: "dict[tuple[Any, ...], tuple[Row, Call]]" = {}  #: of which not all was tried
        self._seen = Seen(record)
        self._also = len(also)
        watched = [Watched(each.module, each.name, self._teller(each)) for each in assertions]
        self._hook = Hook([*watched, *self._seen.watched])

    def close(self) -> None:
        """Lets all functions be what they were, and tries what there was no time for."""
        self.flush()
        self._waiting = [each for each in self._unfinished.values() if each[0].repeated < _TIMES]
        self.flush()
        self._hook.close()

    def missing(self) -> "list[str]":
        """Returns the names of a project's assertions that were not found, with what is known of them."""
        lines = []
        for each in (*self._hook.watched[: self._also], *self._seen.watched):
            if each.is_missing:
                lines.append(f"{each.module}:{each.name}: the module has no such function")
            elif not each.is_found:
                lines.append(f"{each.module}:{each.name}: no test imported the module")
        return lines

    def _teller(self, assertion: Assertion) -> Any:
        def told(function: Any, result: Any, arguments: Any, keywords: Any, frame: FrameType) -> None:
            with self.account.work():
                try:
                    self._passed(assertion, function, result, arguments, keywords, frame)
                except Exception as error:  # whatever happens here, the test goes on as if nothing had
                    self._fault(error)
            if not self.waits:
                self.flush()

        return told

    def _fault(self, error: Exception) -> None:
        print(f"negzero: an assertion was not recorded: {type(error).__name__}: {error}", file=sys.__stderr__)

    def _passed(
        self,
        assertion: Assertion,
        function: Any,
        result: Any,
        arguments: "Sequence[Any]",
        keywords: "Mapping[str, Any]",
        frame: FrameType,
    ) -> None:
        if inspect.isawaitable(result):
            return  # what it says is not known yet
        if assertion.is_question or is_truth(result):
            try:
                if result is NotImplemented or not bool(result):
                    return
            except Exception:  # a tracer's truth is not known
                return
            if is_library(frame.f_code.co_filename) and frame.f_code.co_filename != self.test_file:
                return  # a library's own decision, and nobody's assertion
        site = self._places.of(frame, self.test_file)
        if site is None:
            return  # a library's call by itself
        text = self._places.line_of(site)
        try:
            what = found(assertion, function, arguments, keywords)
        except NoElements as error:
            row = self._row(Row(site, text, assertion.label, "", {}, "-"))
            row.calls += 1
            row.skipped[f"the value is {error}"] += 1
            return
        elements, tolerance = what.elements, what.tolerance
        numbers = {"atol": tolerance.atol, "rtol": tolerance.rtol}
        row = self._row(Row(site, text, assertion.label, elements.format, numbers, tolerance.text))
        row.saw(elements.shape, self.test)
        if not self._wanted(row, elements):
            return
        try:
            call = kept(what, function, arguments, keywords)
        except MemoryError:
            row.skipped["there is no memory for a copy"] += 1
            return
        call.operation = current_operation() or self._seen.operation_of(arguments, keywords, frame.f_code)
        if call.operation is not None:
            call.operation.observed = written_at(frame, assertion.name, call.path)
        self._bytes += 2 * elements.size * elements.dtype.itemsize
        self._waiting.append((row, call))

    def _row(self, row: Row) -> Row:
        return self.rows.setdefault(row.key, row)

    def _wanted(self, row: Row, elements: Elements) -> bool:
        """Says whether a row wants another call: it was not tried often enough, and there is room and time."""
        if row.repeated + sum(1 for each, _ in self._waiting if each is row) >= _TIMES:
            return False
        if self._needed and not row.repeated:
            return True
        size = elements.size * elements.dtype.itemsize
        if self._bytes + 2 * size > _MOST_BYTES:
            row.skipped["copies of earlier calls fill the memory that is set aside"] += not row.repeated
            return False
        if self.account.share() < _COPYING * size:
            row.skipped["the suite's own time was spent"] += not row.repeated
            return False
        return True

    def flush(self) -> None:
        """Repeats what waits. Nothing of the test's own is changed: arrays, random numbers, what it has printed."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if not waiting:
            self._seen.forget()
            return
        # A script has other threads, whose output this would be.
        silent = quiet() if self.waits else contextlib.nullcontext()
        with self.account.work(), unwatched(), silent, np.errstate(all="ignore"), _random_state():
            for row, call in waiting:
                self._repeat(row, call)
        self._seen.forget()

    def _repeat(self, row: Row, call: Call) -> None:
        share = self.account.share()
        if share <= 0 and not self._needed:
            row.skipped["the suite's own time was spent"] += 1
            return

        def wanted(key: str) -> bool:
            return row.reach is None if key == "reach" else row.tried[key] < _TIMES

        def needed(key: str) -> bool:
            return key in self._needed and not row.tried[key]

        try:
            tried = repeat(call, wanted, needed, time.perf_counter() + share)
            row.take(tried)
            self._unfinished.pop(row.key, None)
            if not tried.is_whole and len(self._unfinished) * call.elements.size <= _MOST_KEPT:
                self._unfinished[row.key] = row, call
            if call.operation is not None and not row.known and not tried.why:
                row.known, row.paste = call.operation.judged(call)
        except Exception as error:
            row.skipped[f"it could not be repeated: {type(error).__name__}: {error}"[:200]] += 1


@contextlib.contextmanager
def _random_state() -> "Iterator[None]":
    """Gives Python's, NumPy's and PyTorch's random numbers back as they were."""
    torch: Any = sys.modules.get("torch")
    states = random.getstate(), np.random.get_state()
    on_host = torch.get_rng_state() if hasattr(torch, "get_rng_state") else None
    on_devices = torch.cuda.get_rng_state_all() if torch is not None and torch.cuda.is_initialized() else []
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if on_host is not None:
            torch.set_rng_state(on_host)
        if on_devices:
            torch.cuda.set_rng_state_all(on_devices)
