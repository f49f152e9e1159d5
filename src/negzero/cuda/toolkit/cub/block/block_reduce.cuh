// cub/block/block_reduce.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_block.hpp>
#include <negzero/cuda/unmodified.hpp>
