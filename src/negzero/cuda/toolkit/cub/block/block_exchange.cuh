// cub/block/block_exchange.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_move.hpp>
#include <negzero/cuda/unmodified.hpp>
