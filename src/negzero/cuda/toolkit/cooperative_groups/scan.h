// cooperative_groups/scan.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <cooperative_groups.h>
#include <negzero/cuda/group_operations.hpp>
