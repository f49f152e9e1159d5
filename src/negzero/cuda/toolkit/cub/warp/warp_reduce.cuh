// cub/warp/warp_reduce.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <negzero/cuda/cub_warp.hpp>
