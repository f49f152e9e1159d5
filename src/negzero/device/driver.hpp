// The driver of NVIDIA's GPUs, asked by a program that has no CUDA in it.

#pragma once

#include <negzero/device/probe.hpp>

namespace negzero::device {

/// Adds to the probe the GPUs that libcuda.so.1 shows, where there is one: kernels of other programs, in Python, run
/// there. Returns whether one of them can be used.
[[nodiscard]] bool ask_driver(Probe& probe);

}  // namespace negzero::device
