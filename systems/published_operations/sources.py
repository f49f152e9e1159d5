"""Files of other projects, each by its commit: downloaded, compiled as they are, and called by their own launchers."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import os
import pathlib
import subprocess
import urllib.request
from collections.abc import Callable
from typing import Any

#: Where the files are kept: nothing of them is in this repository.
FOLDER = pathlib.Path(os.environ.get("NEGZERO_PUBLISHED", pathlib.Path.home() / ".cache" / "negzero" / "published"))


@dataclasses.dataclass(frozen=True)
class Project:
    """What files of a project are compiled with."""

    repository: str  #: "owner/name" on GitHub
    commit: str
    headers: "tuple[str, ...]"  #: files that its files include
    include: str  #: the folder where they are looked for
    prelude: str = ""  #: C++ behind the file
    libraries: "tuple[str, ...]" = ()


LLM_C = Project(
    "karpathy/llm.c",
    "f1e2ace651495b74ae22d45d1723443fd00ecd3a",
    ("dev/cuda/common.h",),
    "dev/cuda",
    # setup_main() reads the device's properties, which some launchers use.
    "static void setup_once() { static const bool done = (setup_main(), true); (void)done; }",
    ("cublas", "cublasLt"),
)
CUDA_SAMPLES = Project(
    "NVIDIA/cuda-samples",
    "c94ff366aed18c797b8a85dfaac7817b0228b420",
    (
        *(f"Common/{each}.h" for each in ("exception", "helper_cuda", "helper_image", "helper_string")),
        "Samples/2_Concepts_and_Techniques/histogram/histogram_common.h",
    ),
    "Common",
)


def fetched(project: Project, path: str) -> pathlib.Path:
    """Returns a file of a project. Downloads it where it is not there yet."""
    here = FOLDER / project.repository / project.commit / path
    if not here.exists():
        here.parent.mkdir(parents=True, exist_ok=True)
        address = f"https://raw.githubusercontent.com/{project.repository}/{project.commit}/{path}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            data = answer.read()
        partial = here.with_suffix(f".{os.getpid()}")
        partial.write_bytes(data)
        partial.replace(here)
    return here


@functools.cache
def compiled(project: Project, path: str, calls: "tuple[tuple[str, str], ...]") -> ctypes.CDLL:
    """Returns a library of a CUDA file that nvcc compiles as it is, but for the name of its main().

    `calls`: by name the C++ statements that launch a kernel, of pointers p[0], p[1], ... and of numbers n[0], n[1],
    ... Raises CalledProcessError with nvcc's words.
    """
    file = fetched(project, path)
    for header in project.headers:
        fetched(project, header)
    text = f'#define main published_main\n#include "{file}"\n#undef main\n{project.prelude}\n'
    for name, statements in calls:
        text += (
            f'extern "C" int run_{name}(void** p, const int* n) {{ {statements}; return cudaDeviceSynchronize(); }}\n'
        )
    build = FOLDER / "build"
    build.mkdir(parents=True, exist_ok=True)
    source, library = build / f"{file.stem}.cu", build / f"{file.stem}.so"
    if not library.exists() or not source.exists() or source.read_text() != text:
        source.write_text(text)
        include = FOLDER / project.repository / project.commit / project.include
        arch = os.environ.get("NEGZERO_PUBLISHED_ARCH", "native")
        command = ["nvcc", "-O3", "-std=c++17", f"-arch={arch}", "-shared", "-Xcompiler", "-fPIC", f"-I{include}"]
        command += [str(source), "-o", str(library), *(f"-l{name}" for name in project.libraries)]
        subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def launcher(library: ctypes.CDLL, name: str) -> "Callable[[list[Any], list[int]], None]":
    """Returns a function of lists of CUDA tensors of PyTorch and of numbers. It raises RuntimeError where CUDA does."""
    function = getattr(library, f"run_{name}")

    def launch(tensors: "list[Any]", numbers: "list[int]") -> None:
        pointers = (ctypes.c_void_p * len(tensors))(*(tensor.data_ptr() for tensor in tensors))
        status = function(pointers, (ctypes.c_int * len(numbers))(*numbers))
        if status != 0:
            raise RuntimeError(f"{name}: CUDA error {status}")

    return launch
