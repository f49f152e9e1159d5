// What kernels that add a residual and a bias share: the operation, what its values are held to, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[i, j] = x[i, j] + residual[i, j] + bias[j].
constexpr const char* kResidual =
    "residual.bias: y[rows, columns] <- x[rows, columns], residual[rows, columns], bias[columns] each rows, columns";
constexpr const char* kResidualReference =
    "residual.bias.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns], residual[rows, columns], "
    "bias[columns] each rows, columns";

/// What a kernel in F32 is held to: 2^-23 times the scale |x| + |residual| + |bias|. A sum of three numbers in any
/// order errs by 2 u times that at most, u = 2^-24 (Rump 2012; docs/explanation/numerics.md section 2c).
[[nodiscard]] inline kernel::Reference residual_reference() {
  return {.kernel = "residual.bias.reference.f64", .errors = {{"y", {.relative = 0x1p-23}}}};
}

struct ResidualProblem {
  int64_t rows, columns;
  MatrixView<const float> x, residual;
  VectorView<const float> bias;
  MatrixView<float> y;
};

[[nodiscard]] inline ResidualProblem residual_problem(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          matrix_of<const float>(args, "x"),
          matrix_of<const float>(args, "residual"),
          vector_of<const float>(args, "bias"),
          matrix_of<float>(args, "y")};
}

[[nodiscard]] inline operation::Limits residual_limits() {
  using number::FormatId;
  return {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32, FormatId::F32}},
          .extents = {{"columns", {.tiles = {kRowThreads}}}}};
}

}  // namespace
}  // namespace negzero::kernels
