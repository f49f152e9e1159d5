"""Serves a module's kernels to negzero, by the worker protocol:

    PYTHON -m negzero._worker MODULE.py --negzero-worker describe | NAME host | NAME cuda GPU

`negzero check|fuzz|replay --kernels MODULE.py` starts it. docs/reference/worker_protocol.md has the protocol.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import sysconfig
import traceback
from typing import Any, NoReturn

from . import _wire
from ._calling import Call, Function, Lost, Refused, exception_line
from ._images import Images, images_of
from ._kernels import Kernel, registered

FLAG = "--negzero-worker"


def main(words: "list[str]") -> NoReturn:
    """Describes or serves until negzero wants no more. Ends the process with status 0, or 2 for words that are none."""
    if len(words) < 3 or words[1] != FLAG or (words[2] != "describe" and len(words) < 4):
        print("negzero: this module is started by `negzero check --kernels MODULE.py`", file=sys.stderr)
        _end(2)
    path, _, name, *place = words
    try:
        channel = _wire.Channel()
    except OSError as error:
        print(f"negzero: descriptor 3 is no socket ({error}); start `negzero check --kernels {path}`", file=sys.stderr)
        _end(2)
    _show_gpus(place)
    trouble = _imported(path)
    if name == "describe":
        if not trouble and not registered:
            trouble = f"{path} registers no kernel; write @negzero.kernel('gemm') above a function"
        if trouble:
            channel.send(_wire.FAILED, trouble.encode("utf-8", "replace"))
        else:
            channel.send(_wire.KERNELS, json.dumps(declaration(path)).encode())
        _end(0)
    served = None
    if not trouble:
        served, trouble = _function(name, place, path)
    if served is None:
        channel.send(_wire.FAILED, trouble.encode("utf-8", "replace"))
        _end(0)
    channel.send(_wire.READY, b"")
    try:
        _serve(channel, served)
    except _wire.Ended:
        _end(0)


def declaration(path: str) -> "dict[str, Any]":
    """Returns what a module declares, and the files that it depends on: itself, what it imports from its folder, and
    this package."""
    folders = [os.path.dirname(os.path.realpath(each)) for each in (path, __file__)]
    libraries = (sysconfig.get_path("stdlib"), "site-packages", "dist-packages")
    files = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            continue
        real = os.path.realpath(file)
        is_own = _is_below(real, folders[0]) and not any(_is_library(real, folders[0], each) for each in libraries)
        if is_own or os.path.dirname(real) == folders[1]:
            files.add(real)
    kernels = [kernel.declared for kernel in registered.values()]
    return {"version": _wire.VERSION, "kernels": kernels, "files": sorted(files)}


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _is_library(path: str, folder: str, library: "str | None") -> bool:
    """Says whether a path below the folder is of a library there, as of an environment inside a project."""
    if not library:
        return False
    return f"/{library}/" in path[len(folder) :] if "/" not in library else _is_below(path, os.path.realpath(library))


def _show_gpus(place: "list[str]") -> None:
    """Shows every framework the one GPU that negzero named, or none. Must come before a framework is imported."""
    if len(place) < 2:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return
    shown = [each for each in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if each]
    gpu = int(place[1])
    os.environ["CUDA_VISIBLE_DEVICES"] = shown[gpu] if gpu < len(shown) else str(gpu)


def _imported(path: str) -> str:
    """Imports the module. Returns what is wrong with it, or nothing."""
    sys.argv = [path]
    # In the place of the folder that this process was started in, which is first unless PYTHONSAFEPATH is set.
    sys.path[: 0 if getattr(sys.flags, "safe_path", False) else 1] = [os.path.dirname(path)]
    name = os.path.splitext(os.path.basename(path))[0]
    if name in sys.modules:
        name = f"_kernels_of_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        return f"{path} is no Python module; its name must end in .py"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        traceback.print_exc()
        cure = ""
        if isinstance(error, ModuleNotFoundError):
            cure = f"; install it for {sys.executable}, or name another Python by NEGZERO_PYTHON"
        return f"{path} cannot be imported: {_import_line(error, path)}{cure}"
    return ""


def _import_line(error: BaseException, path: str) -> str:
    """Returns "TypeError: words (kernels.py:12)" with the innermost line of the module's folder."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({os.path.basename(error.filename)}:{error.lineno})"
    return exception_line(error, None, os.path.dirname(path))


def _function(name: str, place: "list[str]", path: str) -> "tuple[Function | None, str]":
    """Makes what runs the kernel of that name, or says why there is nothing."""
    kernel = registered.get(name)
    if kernel is None:
        return None, f"{path} registers no kernel {name}"
    try:
        images = images_of(kernel.arrays, _device(kernel))
    except Exception as error:  # what a framework raises where it cannot be used is its own to choose
        return None, (
            f"{kernel.arrays} cannot be used for {name}: {exception_line(error, None)}; install it for "
            f"{sys.executable}, or name another Python by NEGZERO_PYTHON"
        )
    lacking = {each for row in kernel.declared["formats"] for each in row.values()} & images.lacks
    if lacking:
        return None, f"{kernel.arrays} has no arrays of {', '.join(sorted(lacking))} here, which {name} declares"
    images.keeps_inputs = True
    return Function(kernel.function, kernel.signature, kernel.parameters, images, kernel.has_batch), ""


def _device(kernel: Kernel) -> "str | None":
    if kernel.arrays in ("numpy", "cupy"):
        return None
    # One GPU is shown, whose number is 0.
    return (kernel.device or "cuda").split(":")[0] if kernel.on_gpu else kernel.device or "cpu"


def _serve(channel: _wire.Channel, function: Function) -> NoReturn:
    """Answers requests. Raises Ended when there are no more."""
    images: Images = function.images
    while True:
        has_moved, plans = channel.request()
        if has_moved:
            images.adopt(memoryview(channel.memory)[_wire.IMAGE_AT :])  # type: ignore[arg-type]
        outcomes: list[bytes] = []
        for number, data in enumerate(plans):
            try:
                prepared = function.prepare(_wire.plan_of(data))
            except Lost:
                # An earlier launch has lost the device. A fresh process runs this plan.
                if outcomes:
                    channel.answer(outcomes)
                _end(0 if outcomes else 1)
            channel.at_plan(number)
            outcome, is_last = _outcome(function, prepared)
            channel.at_none()
            outcomes.append(outcome)
            if is_last:
                channel.answer(outcomes)
                _end(0)
        channel.answer(outcomes)


def _outcome(function: Function, prepared: Call) -> "tuple[bytes, bool]":
    """Calls the function. Returns what became of it, and whether the process must end then."""
    try:
        function.call(prepared)
    except BaseException as error:
        line = exception_line(error, function.fn)
        # After an error of the device every later call fails too.
        fault = "refused" if isinstance(error, Refused) else "raised"
        is_last = fault == "raised" and function.images.place == "cuda" and "cuda" in line.lower()
        return _wire.outcome("failed", fault, line, is_last=is_last), is_last
    changed = function.changed(prepared)
    return _wire.outcome("failed", "changed", changed) if changed else _wire.outcome("done"), False


def _end(status: int) -> NoReturn:
    """Ends the process at once: what a framework does at exit may wait for threads and processes of its own."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    # A module that imports negzero must find the registry of this process, and not that of `__main__`.
    main(sys.argv[1:])
