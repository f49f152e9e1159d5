// A5: a compare-and-swap loop that compares floats to see whether it has won: NaN != NaN, for ever.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/numbers.cuh"
#include "../common/scatter.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update. The swap itself compares bits in both; they differ in what ends the loop.
template <bool kFaulty>
__global__ void cas_add_kernel(Updates<float> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float value = problem.value(i);
    auto* const address = reinterpret_cast<unsigned*>(problem.destination(i));
    unsigned found = atomicCAS(address, 0u, 0u);
    unsigned seen;
    do {
      seen = found;
      found = atomicCAS(address, seen, __float_as_uint(add(__uint_as_float(seen), value)));
    } while (kFaulty ? __uint_as_float(seen) != __uint_as_float(found) : seen != found);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_cas_add(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates<float>(cas_add_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "A5",
                       .slug = "cas_compares_floats",
                       .twin_slug = "cas_compares_bits",
                       .about = "compare-and-swap loop compares floats: a NaN in memory spins for ever",
                       .twin_about = "compare-and-swap loop compares bits",
                       .seen_in = "cudf PR#11420",
                       .operation = "scatter.add",
                       .contract = {.wider = false, .zero_sign = contract::ZeroSign::Ieee},
                       .limits = {.formats = {{FormatId::F32}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
                       .faulty = launch_cas_add<true>,
                       .twin = launch_cas_add<false>});

}  // namespace
}  // namespace negzero::kernels
