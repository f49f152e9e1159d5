// Top-k by k rounds, each of which selects the greatest element behind the one before it, a block a row.

#include <negzero/cuda/cuda.hpp>

#include "../common/topk.cuh"

namespace negzero::kernels {
namespace {

struct Best {
  __device__ Candidate operator()(Candidate a, Candidate b) const { return better<Side::Max>(a, b); }
};

/// Whether an element comes behind another in a row's order.
__device__ inline bool is_behind(Candidate candidate, Candidate last) {
  return candidate.index != last.index && better<Side::Max>(last, candidate).index == last.index;
}

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void rounds_kernel(TopkProblem problem) {
  NEGZERO_SHARED(Candidate, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    Candidate last{0.0f, kNowhere};
    for (int64_t round = 0; round < problem.k; ++round) {
      Candidate best{0.0f, kNowhere};
      for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
        const Candidate candidate{problem.x.at(i, j), static_cast<std::int32_t>(j)};
        if (round == 0 || is_behind(candidate, last)) best = better<Side::Max>(best, candidate);
      }
      last = fold_block(partial, best, Best{});
      if (threadIdx.x == 0) {
        problem.values.at(i, round) = last.value;
        problem.at.at(i, round) = last.index;
      }
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "topk.rounds.f32",
    .operation = kTopk,
    .about = "a block a row, the next greatest element each round; NaN above all, first of equals",
    .contract = fixed_order_contract(),
    .limits = topk_limits(),
    .reference = topk_reference(),
    .launch = [](const kernel::Args& args, kernel::Workspace&,
                 engine::Stream& stream) { return launch_rows(rounds_kernel, topk_problem(args), stream); },
});

}  // namespace
}  // namespace negzero::kernels
