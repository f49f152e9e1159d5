// Scatter-max and scatter-min of F32 by a compare-and-swap loop over bits, NaN ignored.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/scatter.cuh"
#include "../common/select.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update; grid and block of any size along x.
template <Side kSide>
__global__ void select_cas_kernel(Updates<float> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float value = problem.value(i);
    auto* const address = reinterpret_cast<unsigned*>(problem.destination(i));
    // A swap of zero for zero reads atomically and changes nothing.
    unsigned seen = atomicCAS(address, 0u, 0u);
    for (;;) {
      const unsigned wanted = __float_as_uint(select_number<kSide>(__uint_as_float(seen), value));
      if (wanted == seen) break;
      const unsigned found = atomicCAS(address, seen, wanted);
      if (found == seen) break;
      seen = found;
    }
  }
}

template <Side kSide>
kernel::LaunchResult launch_select_cas(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates<float>(select_cas_kernel<kSide>, args, stream);
}

template <Side kSide>
bool add_select_cas(std::string name, std::string about) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = kSide == Side::Max ? "scatter.max" : "scatter.min",
      .about = std::move(about),
      .contract = {.nan = contract::NanPolicy::Ignore,
                   .all_nan = contract::AllNan::Nan,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{FormatId::F32}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
      .launch = launch_select_cas<kSide>,
  });
}

const bool registered[] = {
    add_select_cas<Side::Max>("scatter.max.cas.f32", "compare-and-swap loop over bits, NaN is skipped"),
    add_select_cas<Side::Min>("scatter.min.cas.f32", "compare-and-swap loop over bits, NaN is skipped"),
};

}  // namespace
}  // namespace negzero::kernels
