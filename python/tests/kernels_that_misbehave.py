"""Kernels of a module, three right ones and ones that misbehave by name."""

import ctypes
import os
import struct
import time

import negzero
import numpy as np


@negzero.kernel("reduce.sum", name="right.sum", contract="f32")
def right_sum(x, y):
    np.sum(x, -1, out=y)


@negzero.kernel("reduce.sum", name="right.total", contract="f32")
def total(x):
    return x.sum(-1)


@negzero.kernel("gemm", name="right.gemm", contract="f32")
def gemm(a, b):
    return a @ b


def kill9(x):
    os.kill(os.getpid(), 9)


def kill_group(x):
    os.kill(0, 9)


def aborts(x):
    os.abort()


def faults(x):
    ctypes.string_at(0)


def exits(x):
    os._exit(3)


def hangs(x):
    time.sleep(3600)


def garbage(x):
    os.write(3, b"this is no frame")
    time.sleep(3600)


def version(x):
    os.write(3, struct.pack("<2sBBI", b"nz", 9, 4, 0))
    time.sleep(3600)


def oversized(x):
    os.write(3, struct.pack("<2sBBI", b"nz", 1, 4, 0x7FFFFFFF))
    time.sleep(3600)


def too_many(x):
    done = struct.pack("<I4sII", 4, b"done", 0, 0)
    os.write(3, struct.pack("<2sBBII", b"nz", 1, 4, 4 + 40 * 20, 40) + 40 * (struct.pack("<I", 16) + done))
    time.sleep(3600)


def raises(x):
    raise LookupError("no table for this shape")


def refuses(x):
    raise negzero.Refused("no table for this shape")


def prints(x):
    print("a long line " * 100000)
    return x.sum(-1)


def forks(x):
    if os.fork() == 0:
        time.sleep(3600)  # it ends with its worker
    return x.sum(-1)


for bad in (
    kill9, kill_group, aborts, faults, exits, hangs, garbage, version, oversized, too_many, raises, refuses, prints,
    forks,
):  # fmt: skip
    negzero.kernel("reduce.sum", name=f"bad.{bad.__name__}", contract="f32")(bad)

# A framework that takes long to import, which jax.py beside this module is.
negzero.kernel("reduce.sum", name="bad.starts_slowly", contract="f32", arrays="jax")(total)
