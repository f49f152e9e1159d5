// cub/block/block_radix_sort.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_sort.hpp>
#include <negzero/cuda/unmodified.hpp>
