// What kernels of root mean square normalization share: the operation, what its values are held to, the problem.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "layernorm.cuh"
#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[i, j] = x[i, j] / sqrt(mean over j of x[i, j]^2 + epsilon) * weight[j].
constexpr const char* kRmsnorm = "rmsnorm: y[rows, columns] <- x[rows, columns], weight[columns], epsilon each rows";
constexpr const char* kRmsnormReference =
    "rmsnorm.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns], weight[columns], epsilon each "
    "rows";

/// What a kernel in F32 is held to: 2^-24 times the scale, which is |y| (n / 256 + 12) with n columns. u = 2^-24.
/// Squares are positive, so that their mean has a relative error: of a square 1 u, of a sum by a tree n / 128 + 7
/// (rows.cuh; docs/explanation/numerics.md section 2c), of the division by n and of adding epsilon 1 each. The root halves it; then
/// come rsqrtf (2 ulp, 4 u: CUDA C++ Programming Guide, mathematical functions) and two products: n / 256 + 5 + 4 + 2,
/// and one for terms in u^2. |weight| 2^-125 more is for x / sqrt(...) below the normal numbers (a square there is
/// nothing beside epsilon); one ulp is for such a y.
[[nodiscard]] inline kernel::Reference rmsnorm_reference() {
  return {.kernel = "rmsnorm.reference.f64", .errors = {{"y", {.ulps = 1, .relative = 0x1p-24}}}};
}

struct RmsnormProblem {
  int64_t rows, columns;
  MatrixView<const float> x;
  VectorView<const float> weight;
  float epsilon;
  MatrixView<float> y;
};

[[nodiscard]] inline RmsnormProblem rmsnorm_problem(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          matrix_of<const float>(args, "x"),
          vector_of<const float>(args, "weight"),
          args.scalar("epsilon").as<float>(),
          matrix_of<float>(args, "y")};
}

}  // namespace
}  // namespace negzero::kernels
