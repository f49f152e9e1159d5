// Sums of rows from left to right: one thread a row.

#include <negzero/cuda/cuda.hpp>

#include "../common/scan.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <bool kInclusive>
__global__ void chain_kernel(Scan problem) {
  for (int64_t row = first_piece(); row < problem.rows.rows; row += piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.rows.columns; ++column) {
      const float next = add(sum, problem.rows.at(row, column));
      *problem.out(row, column) = kInclusive ? next : sum;
      sum = next;
    }
  }
}

template <bool kInclusive>
kernel::LaunchResult launch_chain(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_scan(chain_kernel<kInclusive>, args, stream);
}

template <bool kInclusive>
bool add_chain() {
  const std::string name = kInclusive ? "inclusive" : "exclusive";
  return kernel::registry().add({
      .name = "scan." + name + ".chain.f32",
      .operation = "scan." + name,
      .about = "a thread a row, from left to right",
      .contract = {.wider = false,
                   .order = contract::Order::Ascending,
                   .start = contract::Start::PlusZero,
                   .zero_sign = contract::ZeroSign::Ieee,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {{FormatId::F32, FormatId::F32}}},
      .launch = launch_chain<kInclusive>,
  });
}

const bool registered[] = {add_chain<true>(), add_chain<false>()};

}  // namespace
}  // namespace negzero::kernels
