#pragma once

#include <negzero/cuda/torch_warp.hpp>
