// cooperative_groups/memcpy_async.h of the CUDA toolkit, for a file that is compiled for the host.

#pragma once

#include <negzero/cuda/unmodified.hpp>

#include <cooperative_groups.h>
#include <negzero/cuda/group_copies.hpp>
