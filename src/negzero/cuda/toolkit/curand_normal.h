// curand_normal.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <negzero/cuda/random.hpp>
