// A kernel file that forgets the anonymous namespace: what the test of symbols must catch.

#include <negzero/cuda/cuda.hpp>

// Not inlined, so that both objects define it.
__attribute__((noinline)) inline unsigned leaky_block_size() {
#ifdef __CUDACC__
  return 128;
#else
  return 32;
#endif
}

namespace NEGZERO_EXECUTOR {

unsigned leaky_threads() { return leaky_block_size(); }

}  // namespace NEGZERO_EXECUTOR
