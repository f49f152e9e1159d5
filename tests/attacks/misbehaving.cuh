// Kernels that do something to their own process and compute the right sums otherwise.
//
//   quiet.NAME    does nothing that shows: every case passes
//   fatal.NAME    shows: some case fails
//   either.NAME   may show or not (a heap that is damaged, a limit of the system's)

#pragma once

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

/// Registers a kernel whose launch wrapper calls kTrick first, in every launch.
template <void (*kTrick)()>
bool add_before(const char* name) {
  return add_sum(name, "misbehaves before its launch",
                 [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                   kTrick();
                   return right(args, stream);
                 });
}

/// The same behind the launch.
template <void (*kTrick)()>
bool add_after(const char* name) {
  return add_sum(name, "misbehaves after its launch",
                 [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                   auto result = right(args, stream);
                   kTrick();
                   return result;
                 });
}

/// The same on a device thread, where the stack is a small one.
template <void (*kTrick)()>
__global__ void misbehaving_kernel(Problem problem) {
  if (kernels::first_piece() == 0) kTrick();
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}
template <void (*kTrick)()>
bool add_inside(const char* name) {
  return add_sum(name, "misbehaves in a device thread",
                 [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                   return run(misbehaving_kernel<kTrick>, args, stream);
                 });
}

}  // namespace
}  // namespace negzero::attacks
