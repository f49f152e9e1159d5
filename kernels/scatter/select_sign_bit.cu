// Scatter-max and scatter-min of F32 through integer atomics chosen by the sign bit, NaN propagated.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/scatter.cuh"
#include "../common/sign_bit.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update; grid and block of any size along x.
template <Side kSide>
__global__ void select_sign_bit_kernel(Updates<float> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    const float value = problem.value(i);
    atomic_select_by_sign<kSide>(problem.destination(i), value, __float_as_int(value) < 0);
  }
}

template <Side kSide>
kernel::LaunchResult launch_select_sign_bit(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates<float>(select_sign_bit_kernel<kSide>, args, stream);
}

template <Side kSide>
bool add_select_sign_bit(std::string name, std::string about) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = kSide == Side::Max ? "scatter.max" : "scatter.min",
      .about = std::move(about),
      .contract = {.zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{FormatId::F32}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
      .launch = launch_select_sign_bit<kSide>,
  });
}

const bool registered[] = {
    add_select_sign_bit<Side::Max>("scatter.max.sign_bit.f32", "integer atomics chosen by the sign bit, NaN wins"),
    add_select_sign_bit<Side::Min>("scatter.min.sign_bit.f32", "integer atomics chosen by the sign bit, NaN wins"),
};

}  // namespace
}  // namespace negzero::kernels
