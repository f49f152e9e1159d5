// O8: top-k that compares numbers by > and == alone: a NaN is never chosen, and what fills the list may be.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/topk.cuh"

namespace negzero::kernels {
namespace {

/// Elements as plain comparisons have them: of equals the first is the greater.
struct Plain {
  __device__ static bool is_greater(Candidate a, Candidate b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
  }
};
/// The order of kTopk.
struct Total {
  __device__ static bool is_greater(Candidate a, Candidate b) {
    return a.index != b.index && better<Side::Max>(a, b).index == a.index;
  }
};

/// Below every element, by either order, except for a NaN by the plain one; of no row.
__device__ inline Candidate below_all() { return {-INFINITY, 0x7fffffff}; }

template <typename Order>
struct Best {
  __device__ Candidate operator()(Candidate a, Candidate b) const { return Order::is_greater(b, a) ? b : a; }
};

/// One block of kRowThreads threads a row, folded; a round for each of k.
template <typename Order>
__global__ void topk_kernel(TopkProblem problem) {
  NEGZERO_SHARED(Candidate, partial, [kRowThreads]);
  for (int64_t i = blockIdx.x; i < problem.rows; i += gridDim.x) {
    Candidate last = below_all();
    for (int64_t round = 0; round < problem.k; ++round) {
      Candidate best = below_all();
      for (int64_t j = threadIdx.x; j < problem.columns; j += kRowThreads) {
        const Candidate candidate{problem.x.at(i, j), static_cast<std::int32_t>(j)};
        if (round == 0 || Order::is_greater(last, candidate)) best = Best<Order>{}(best, candidate);
      }
      last = fold_block(partial, best, Best<Order>{});
      if (threadIdx.x == 0) {
        problem.values.at(i, round) = last.value;
        problem.at.at(i, round) = last.index;
      }
    }
  }
}

template <typename Order>
kernel::LaunchResult launch_topk(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(topk_kernel<Order>, topk_problem(args), stream);
}

const bool registered = kernel::add_fault({.id = "O8",
                                           .slug = "topk_of_nan",
                                           .twin_slug = "topk_by_total_order",
                                           .about = "compares by > and == alone: NaN is lost, padding is chosen",
                                           .twin_about = "compares by a total order with NaN above all",
                                           .seen_in = "onnxruntime PR#32404, pytorch#16762",
                                           .operation = kTopk,
                                           .contract = fixed_order_contract(),
                                           .limits = topk_limits(),
                                           .reference = topk_reference(),
                                           .faulty = launch_topk<Plain>,
                                           .twin = launch_topk<Total>});

}  // namespace
}  // namespace negzero::kernels
