// cooperative_groups.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <negzero/cuda/group_copies.hpp>
#include <negzero/cuda/group_grid.hpp>
