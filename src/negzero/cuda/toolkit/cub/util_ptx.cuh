// cub/util_ptx.cuh of CUB, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/cub_words.hpp>
#include <negzero/cuda/unmodified.hpp>
