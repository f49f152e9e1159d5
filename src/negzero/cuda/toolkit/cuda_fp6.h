// cuda_fp6.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <negzero/cuda/narrow_floats.hpp>
