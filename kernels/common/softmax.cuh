// What softmax kernels share: the operation, its reference with the errors declared against it, rows in memory.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[i, j] = exp(x[i, j] - m) / sum over j of exp(x[i, j] - m), m the greatest x of the row.
constexpr const char* kSoftmax = "softmax: y[rows, columns] <- x[rows, columns] each rows";
/// The same with the scale of its error, of which a kernel's is 2^-23 times: y * (|x - m| + columns / 64 + 16). With
/// u = 2^-24, x - m is rounded once, which changes its exponential by |x - m| u; expf errs by 2 ulp at most (CUDA C++
/// Programming Guide, mathematical functions); the denominator has such terms and at most columns / 128 + 7 additions
/// of positive numbers (docs/explanation/numerics.md section 2c), and so one more factor of each; the quotient is rounded once.
constexpr const char* kSoftmaxReference =
    "softmax.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns] each rows";

/// What every softmax kernel in F32 is held to.
[[nodiscard]] inline kernel::Reference softmax_reference() {
  return {.kernel = "softmax.reference.f64", .errors = {{"y", {.ulps = 1, .relative = 0x1p-23}}}};
}

/// What every softmax kernel in one pass is held to: 2^-22 times the scale, which is 4 |x - m| + columns / 16 + 64 in
/// units of u. A thread's or a pair's sum is scaled anew at most columns / 128 + 8 times, once for each addition: by
/// expf (2 ulp, 4 u), a product and the sum itself, 6 u each time; the rounded differences under the exponentials all
/// have one sign and sum to |x - m| u at most. The mean of |x - m| weighted by y is at most ln(columns), since the
/// entropy of y is. So the denominator errs by 4 + 6 (columns / 128 + 8) + ln(columns), the numerator by 4 + |x - m|
/// and the quotient by 1: together 57 + ln(columns) + 6 columns / 128 + |x - m| units at most, which is less for every
/// number of columns. Three ulp for results below the normal numbers, where 2 ulp of expf are as many steps.
[[nodiscard]] inline kernel::Reference one_pass_reference() {
  return {.kernel = "softmax.reference.f64", .errors = {{"y", {.ulps = 3, .relative = 0x1p-22}}}};
}

/// A matrix whose rows are computed each by itself, passed to a kernel by value.
struct RowProblem {
  int64_t rows, columns;
  const float* x;
  int64_t x_row, x_column;
  float* y;
  int64_t y_row, y_column;

  __device__ float at(int64_t i, int64_t j) const { return x[i * x_row + j * x_column]; }
  __device__ float& out(int64_t i, int64_t j) const { return y[i * y_row + j * y_column]; }
};

[[nodiscard]] inline RowProblem row_problem(const kernel::Args& args) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  return {args.extent("rows"), args.extent("columns"), x.as<const float>(), x.strides[0],
          x.strides[1],        y.as<float>(),          y.strides[0],        y.strides[1]};
}

}  // namespace
}  // namespace negzero::kernels
