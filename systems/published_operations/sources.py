"""Files of other projects, each by its commit: downloaded, compiled as they are, and called by their own launchers."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import subprocess
import urllib.request

#: Where the files are kept: nothing of them is in this repository.
FOLDER = pathlib.Path(os.environ.get("NEGZERO_PUBLISHED", pathlib.Path.home() / ".cache" / "negzero" / "published"))
LLM_C = ("karpathy/llm.c", "f1e2ace651495b74ae22d45d1723443fd00ecd3a")


def fetched(project: "tuple[str, str]", path: str) -> pathlib.Path:
    """Returns a file of a project, "owner/name" and its commit. Downloads it where it is not there yet."""
    repository, commit = project
    here = FOLDER / repository / commit / path
    if not here.exists():
        here.parent.mkdir(parents=True, exist_ok=True)
        address = f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            data = answer.read()
        partial = here.with_suffix(f".{os.getpid()}")
        partial.write_bytes(data)
        partial.replace(here)
    return here


@functools.cache
def compiled(
    project: "tuple[str, str]",
    path: str,
    *,
    beside: "tuple[str, ...]",
    prelude: str,
    calls: "tuple[tuple[str, str], ...]",
    libraries: "tuple[str, ...]" = (),
) -> ctypes.CDLL:
    """Returns a library of a CUDA file that nvcc compiles as it is, but for the name of its main().

    `beside`: files that it includes. `calls`: by name the C++ expression that launches a kernel, of pointers p[0],
    p[1], ... and of numbers n[0], n[1], ...; `prelude` comes before them. Raises CalledProcessError with nvcc's words.
    """
    file = fetched(project, path)
    for other in beside:
        fetched(project, other)
    text = f'#define main published_main\n#include "{file}"\n#undef main\n{prelude}\n'
    for name, expression in calls:
        text += f'extern "C" int {name}(void** p, const int* n) {{ {expression}; return cudaDeviceSynchronize(); }}\n'
    build = FOLDER / "build"
    build.mkdir(parents=True, exist_ok=True)
    source = build / f"{file.stem}.cu"
    library = build / f"{file.stem}.so"
    if not library.exists() or not source.exists() or source.read_text() != text:
        source.write_text(text)
        command = [
            "nvcc",
            "-O3",
            "-std=c++17",
            "-arch=native",
            "-shared",
            "-Xcompiler",
            "-fPIC",
            "-I",
            str(file.parent),
        ]
        arch = os.environ.get("NEGZERO_PUBLISHED_ARCH")
        if arch:
            command[3] = f"-arch={arch}"
        linked = [f"-l{name}" for name in libraries]
        subprocess.run([*command, str(source), "-o", str(library), *linked], check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def launcher(library: ctypes.CDLL, name: str) -> "object":
    """Returns a function of lists of CUDA tensors of PyTorch and of numbers. It raises RuntimeError where CUDA does."""
    function = getattr(library, name)

    def launch(tensors: "list[object]", numbers: "list[int]") -> None:
        pointers = (ctypes.c_void_p * len(tensors))(*(tensor.data_ptr() for tensor in tensors))  # type: ignore[attr-defined]
        status = function(pointers, (ctypes.c_int * len(numbers))(*numbers))
        if status != 0:
            raise RuntimeError(f"{name}: CUDA error {status}")

    return launch
