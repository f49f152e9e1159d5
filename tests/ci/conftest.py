"""The built program, as strangers get it: on the PATH of a folder of their own."""

import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["NEGZERO_PROGRAM"])

ROW_MAX = """#include <cstdio>
__global__ void row_max(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = %s;
  for (int column = 0; column < columns; ++column) best = fmaxf(best, x[row * columns + column]);
  %s
  y[row] = best;
}
"""
DECLARATION = """kernel    row_max
operation reduce.max
contract  nan=ignore all_nan=identity
limits    rows >= 1
launch    row_max<<<(rows + 63) / 64, 64>>>(x, y, rows, columns);
"""
RIGHT, FAULTY = "-INFINITY", "0"


def project(folder, best, more="", name="row_max"):
    """A project with one CUDA file, right or faulty, and its declaration."""
    (folder / f"{name}.cu").write_text(ROW_MAX % (best, more))
    (folder / f"{name}.nz").write_text(DECLARATION)
    return folder


class Program:
    def __init__(self, folder, cache):
        (folder / "bin").mkdir()
        (folder / "bin" / "negzero").symlink_to(PROGRAM)
        self.environment = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            "NEGZERO_CACHE": str(cache),
            "CUDA_VISIBLE_DEVICES": "",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, words, cwd, **more):
        """Runs a command to its end; the variables of `more` are its environment's besides."""
        return subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def __call__(self, *words, cwd=None):
        return self.run([PROGRAM, *words], cwd)


@pytest.fixture
def negzero(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"), tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture
def compiles():
    """Skips where this build has no kit to compile CUDA files with."""
    if not (PROGRAM.parent / "kit" / "kit.json").exists():
        pytest.skip("a build with instrumentation compiles no files")
