#pragma once

#include <negzero/cuda/torch.hpp>
