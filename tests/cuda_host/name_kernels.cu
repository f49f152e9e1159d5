// A kernel file as the guide writes them, which uses libcu++'s namespace too: nothing of negzero hides `cuda::`.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

#ifdef __CUDACC__
#include <cuda/std/limits>
#else
// What libcu++ has, for a machine without it.
namespace cuda::std {
template <typename T>
struct numeric_limits {
  static constexpr T max() { return ~T{0}; }
};
}  // namespace cuda::std
#endif

using namespace negzero;
namespace {

__global__ void largest_kernel(unsigned* out) { *out = cuda::std::numeric_limits<unsigned>::max(); }

void launch_largest(engine::Stream& stream, unsigned* out) { launch(stream, largest_kernel, 1, 1, 0, out); }

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void largest(Stream& stream, unsigned* out) { launch_largest(stream, out); }

}  // namespace negzero_tests::NEGZERO_EXECUTOR
