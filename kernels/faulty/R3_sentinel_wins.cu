// R3: the search for a maximum starts from -Inf at no place, and a row in which nothing is greater gives that place.

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/max_index.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// One thread a row, each walking over every row that many threads on.
template <bool kFaulty>
__global__ void max_index_kernel(RowsWithPlaces problem) {
  constexpr std::int32_t kNoPlace = INT32_MAX;
  const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; row < problem.rows.rows;
       row += threads) {
    Candidate best{worst<Side::Max>(), kFaulty ? kNoPlace : kNowhere};
    for (int64_t column = 0; column < problem.rows.columns; ++column) {
      const Candidate next{problem.rows.at(row, column), static_cast<std::int32_t>(column)};
      if (!kFaulty) {
        best = better<Side::Max>(best, next);
      } else if (next.value > best.value || (next.value != next.value && best.value == best.value)) {
        best = next;
      }
    }
    problem.give(row, best);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_max_index(max_index_kernel<kFaulty>, args, stream);
}

const bool registered =
    kernel::add_fault({.id = "R3",
                       .slug = "sentinel_wins",
                       .twin_slug = "sentinel_loses",
                       .about = "a maximum and its place, the place INT_MAX in a row of nothing but -Inf",
                       .twin_about = "a maximum and its place, the first in a row of nothing but -Inf too",
                       .seen_in = "jax#3193, onnxruntime#31161",
                       .operation = "reduce.max_index",
                       .contract = max_index_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::I32}}},
                       .faulty = launch<true>,
                       .twin = launch<false>});

}  // namespace
}  // namespace negzero::kernels
