// I5: a column-major output is written as if its leading dimension were its number of rows.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/gemm_chain.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;
using operation::LayoutOrder;

template <bool kFaulty>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  auto problem = gemm_problem<F32>(args);
  if (kFaulty) problem.d.column_stride = problem.m;
  return launch_outputs(chain_gemm_kernel<F32>, problem, stream);
}

const bool registered =
    kernel::add_fault({.id = "I5",
                       .slug = "rows_for_leading_dimension",
                       .twin_slug = "leading_dimension_of_columns",
                       .about = "writes a column-major output by its number of rows, whatever its leading dimension",
                       .twin_about = "writes a column-major output by its leading dimension",
                       .seen_in = "libxsmm#51, aiter PR#5385",
                       .operation = "gemm",
                       .contract = chain_contract(),
                       .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
                                  .inputs = {.order = LayoutOrder::ColumnMajor, .broadcast = false},
                                  .output = {.order = LayoutOrder::ColumnMajor}},
                       .faulty = launch_gemm<true>,
                       .twin = launch_gemm<false>});

}  // namespace
}  // namespace negzero::kernels
