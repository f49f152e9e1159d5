// The part of the probe that touches the driver, and so differs between builds with and without CUDA.

#pragma once

#include <negzero/device/probe.hpp>

namespace negzero::device {

extern const bool kHasCuda;

/// As probe(), in this process.
[[nodiscard]] Probe probe_here();

}  // namespace negzero::device
