// cuda.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

// The driver's, of CUDA 13.0.
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
