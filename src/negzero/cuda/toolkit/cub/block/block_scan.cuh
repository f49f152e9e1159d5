// cub/block/block_scan.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_scan.hpp>
#include <negzero/cuda/unmodified.hpp>
