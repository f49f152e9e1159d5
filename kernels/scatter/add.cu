// Scatter-add by atomicAdd in each format that has one.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/scatter.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread an update; grid and block of any size along x.
template <typename T, typename Index>
__global__ void add_kernel(Updates<T, Index> problem) {
  for (int64_t i = first_piece(); i < problem.count; i += piece_stride()) {
    atomicAdd(problem.destination(i), problem.value(i));
  }
}

template <typename T, typename Index>
kernel::LaunchResult launch_add(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_updates(add_kernel<T, Index>, args, stream);
}

template <typename T, typename Index = std::int32_t>
bool add_scatter_add(std::string name, std::string about, FormatId format, contract::Subnormals subnormals) {
  constexpr FormatId kIndex = sizeof(Index) == 8 ? FormatId::I64 : FormatId::I32;
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "scatter.add",
      .about = std::move(about),
      .contract = {.accumulate = format,
                   .wider = false,
                   .subnormal_inputs = subnormals,
                   .subnormal_results = subnormals,
                   .zero_sign = contract::ZeroSign::Ieee},
      .limits = {.formats = {{format, kIndex}}, .extents = {{"updates", {.tiles = {kScatterThreads}}}}},
      .launch = launch_add<T, Index>,
  });
}

// PTX ISA, atom: .add.f32 on global memory flushes subnormal inputs and results to zeros of their sign; .add.f64 and
// .add.noftz.{f16, bf16} keep them.
const bool registered[] = {
    add_scatter_add<float>("scatter.add.f32", "atomicAdd on F32, which flushes subnormals in global memory",
                           FormatId::F32, contract::Subnormals::Flush),
    add_scatter_add<double>("scatter.add.f64", "atomicAdd on F64", FormatId::F64, contract::Subnormals::Keep),
    add_scatter_add<__half>("scatter.add.f16", "atomicAdd on F16, rounded to F16 at every update", FormatId::F16,
                            contract::Subnormals::Keep),
    add_scatter_add<__nv_bfloat16>("scatter.add.bf16", "atomicAdd on BF16, rounded to BF16 at every update",
                                   FormatId::BF16, contract::Subnormals::Keep),
    add_scatter_add<float, std::int64_t>("scatter.add.index_i64.f32", "atomicAdd on F32 at indices of 64 bits",
                                         FormatId::F32, contract::Subnormals::Flush),
};

}  // namespace
}  // namespace negzero::kernels
