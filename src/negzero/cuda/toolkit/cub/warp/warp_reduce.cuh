// cub/warp/warp_reduce.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_warp.hpp>
#include <negzero/cuda/unmodified.hpp>
