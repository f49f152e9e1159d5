// One of two kernel files that share their name.

#include <negzero/cuda/cuda.hpp>

#include "../kernels.hpp"

namespace {

__global__ void write_left_kernel(unsigned* out) { *out = 1; }

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void write_left(Stream& stream, unsigned* out) { negzero::launch(stream, write_left_kernel, 1, 1, 0, out); }

}  // namespace negzero_tests::NEGZERO_EXECUTOR
