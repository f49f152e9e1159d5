// I4: a matrix that all batches share is stepped through as if each batch had its own, right behind the one before.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using operation::LayoutOrder;

/// Of B, and of its readers. The fault reads past the only matrix, at most as far as two more of them: less than 4 KiB,
/// so that the read stays in the guard zone behind B, where the executor has put poison.
constexpr int64_t kMostElements = 500, kMostBatches = 3;
static_assert((kMostBatches - 1) * kMostElements * sizeof(float) < 4096);

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  auto problem = gemm_problem<F32>(args);
  if (kFaulty) problem.b.batch_stride = problem.k * problem.n;
  return launch_outputs(chain_gemm_kernel<F32>, problem, stream);
}

const bool registered =
    kernel::add_fault({.id = "I4",
                       .slug = "shared_matrix_stepped",
                       .twin_slug = "shared_matrix_kept",
                       .about = "steps from batch to batch through a B that all batches share",
                       .twin_about = "reads the one B that all batches share",
                       .seen_in = "cumo PR#268, cupy#3095",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
                                  .extents = {{"batch", {.min = 1, .max = kMostBatches}}},
                                  .tensors = {{"b", {.order = LayoutOrder::Packed, .shared = {"batch"}}}},
                                  .products = {{.of = {"k", "n"}, .max = kMostElements}}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels
