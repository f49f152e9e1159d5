// Kernels that lock, queue and hand over, as `negzero check` sees kernels: sums of rows that are written only if
// everything under the locks was done, once and by one at a time.

#include <cstdint>
#include <string>

#include "../../kernels/common/reduce.cuh"
#include "../engine/lock_kernels.hpp"

namespace negzero {
namespace {

using negzero_tests::kLockKernels;
using negzero_tests::LockArgs;
using negzero_tests::LockKernel;
using number::FormatId;
using Problem = kernels::Rows<float, float>;

/// One thread a row, columns ascending.
__global__ void sum_if_kernel(Problem problem, const unsigned* data, unsigned expected) {
  if (data[0] != expected || data[1] != 0) return;
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}

/// A grid that depends on the case's shape: 2 to 1,000 threads, and now and then one.
kernel::LaunchResult lock_then_sum(const LockKernel& lock, const kernel::Args& args, kernel::Workspace& workspace,
                                   engine::Stream& stream) {
  const auto problem = kernels::rows_of<float, float>(args);
  if (problem.rows == 0) return kernel::LaunchResult::launched();
  const auto size = static_cast<unsigned>((problem.rows * 7 + problem.columns) % 97);
  const unsigned wanted = size % 5 == 0 ? size * 3 % 200 + 1 : size % 9 + 1;
  const unsigned threads = (wanted + lock.multiple - 1) / lock.multiple * lock.multiple;
  const unsigned blocks = size % 6 + 1, rounds = size % 3 + 1;
  const std::size_t words = LockArgs::kSync + std::size_t{blocks} * threads * LockArgs::kEach;
  LockArgs lock_args{.rounds = rounds};
  lock_args.sync = static_cast<unsigned*>(workspace.allocate(words * sizeof(unsigned)));
  lock_args.data = static_cast<unsigned*>(workspace.allocate(LockArgs::kData * sizeof(unsigned)));
  device_fill(stream, lock_args.sync, 0, words * sizeof(unsigned));
  device_fill(stream, lock_args.data, 0, LockArgs::kData * sizeof(unsigned));
  negzero_tests::NEGZERO_EXECUTOR::run_waiting_kernel(lock.name, stream, blocks, threads, lock_args);
  launch(stream, sum_if_kernel, kernels::blocks_for<int64_t>(problem.rows, 64), 64, 0, problem, lock_args.data,
         lock.units(blocks, threads) * rounds);
  return kernel::LaunchResult::launched();
}

bool add_all() {
  for (const LockKernel& lock : kLockKernels) {
    kernel::registry().add(
        {.name = std::string("lock.") + lock.name,
         .operation = "reduce.sum",
         .about = "sums rows after threads have waited for each other",
         .contract = {.wider = false, .zero_sign = contract::ZeroSign::Ieee},
         .limits = {.formats = {{FormatId::F32, FormatId::F32}}},
         .launch = [&lock](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
           return lock_then_sum(lock, args, workspace, stream);
         }});
  }
  return true;
}
const bool registered = add_all();

}  // namespace
}  // namespace negzero
