// What kernels of layer normalization share: the operations, what their values are held to, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// mean[i] and rstd[i] = 1 / sqrt(variance + epsilon) of a row, y = (x - mean) rstd weight + bias.
constexpr const char* kLayernorm =
    "layernorm: y[rows, columns], mean[rows], rstd[rows] <- x[rows, columns], weight[columns], bias[columns], epsilon "
    "each rows";
constexpr const char* kLayernormReference =
    "layernorm.reference: y[rows, columns], mean[rows], rstd[rows], y_scale[rows, columns], mean_scale[rows] <- "
    "x[rows, columns], weight[columns], bias[columns], epsilon each rows";
/// The same without the statistics: those of F32 sums need a scale each, more tensors than an operation may have.
constexpr const char* kLayernormY =
    "layernorm.y: y[rows, columns] <- x[rows, columns], weight[columns], bias[columns], epsilon each rows";
constexpr const char* kLayernormYReference =
    "layernorm.y.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns], weight[columns], "
    "bias[columns], epsilon each rows";

/// Both operations end here: the bound of rstd below holds so far. (Language models have 256 to 16384 columns.)
constexpr int64_t kMostNormColumns = 1 << 14;
/// What epsilon may be: 1e-12 is BERT's and 1e-5 PyTorch's default.
constexpr double kLeastEpsilon = 1e-12, kGreatestEpsilon = 1;

/// What a kernel with statistics in F64 and quotients in F32 is held to. u = 2^-24, n columns.
/// mean: sums in F64 err by (n - 1) 2^-53 sum |x| at most (docs/explanation/numerics.md section 2c), the reference's as well; the
/// quotient is rounded twice. 2^-52 times mean_scale = (n + 16) mean |x|; one ulp, since the rounding to F32 may end on
/// either side of a tie.
/// rstd: one ulp for the same reason. An error d of the mean adds d^2 to the variance. Either the sum in F64 is exact
/// (elements of like exponents: 24 + 14 bits), d = 2^-53 |mean| at most, and the variance, unless 0, is at least
/// 2^-48 max^2 / 2n; or the elements differ by more than half of the greatest one, and it is at least max^2 / 8n while
/// d < 2^-38 max. Both times d^2 is less than 2^-40 of it.
/// y: x^ = (x - mean) rstd is rounded to F32 once (u |x^|, or 2^-150 below the normal numbers), and then one fmaf. The
/// two means differ by (n + 16) 2^-52 mean |x| at most. 2^-23 times y_scale = |weight| (|x^| + rstd (n + 16) 2^-28
/// mean |x| + 2^-125), half of which these are; one ulp for fmaf and its tie.
[[nodiscard]] inline kernel::Reference layernorm_reference() {
  return {
      .kernel = "layernorm.reference.f64",
      .errors = {
          {"y", {.ulps = 1, .relative = 0x1p-23}}, {"mean", {.ulps = 1, .relative = 0x1p-52}}, {"rstd", {.ulps = 1}}}};
}

/// What a kernel in F32 is held to: see layernorm_y_error().
[[nodiscard]] inline kernel::Reference layernorm_y_reference() {
  return {.kernel = "layernorm.y.reference.f64", .errors = {{"y", {.ulps = 1, .relative = 0x1p-24}}}};
}

/// Statistics of a row.
struct Moments {
  double mean, magnitude, variance;  ///< magnitude: the mean of |x|
};

/// The error of y = (x - mean) rstd weight + bias by two passes in F32, in units of u = 2^-24; `below` = x - mean.
/// The mean errs by d = (n / 128 + 9) u mean |x| at most: the sum is a tree of n / 128 + 7 additions (rows.cuh;
/// docs/explanation/numerics.md section 2c), the division one rounding; one is for terms in u^2. The mean of (x - mean - d)^2 is
/// the variance + d^2, times 1 + k u with k = n / 128 + 12: differences, rounded once, count twice, squares, their sum
/// and the division by n. So rstd is too small by q = d^2 / 2 (variance + epsilon) at most, never by more than all of
/// it, and errs by (k + 1) / 2 u, epsilon's addition included, + 4 u for rsqrtf (2 ulp: CUDA C++ Programming Guide,
/// mathematical functions). Then come the difference, which is rounded and d off, the product with rstd, and one fmaf,
/// whose rounding the declared ulp is for. Twice 2^-125 is for a mean and a
/// product below the normal numbers, each of which is off by 2^-150 then.
__device__ inline double layernorm_y_error(const Moments& row, int64_t columns, double epsilon, double below,
                                           double weight) {
  constexpr double kUnit = 0x1p-24;
  const double n = static_cast<double>(columns), rstd = 1 / sqrt(row.variance + epsilon);
  const double off = (n / 128 + 9) * kUnit * row.magnitude;
  const double lost = fmin(1.0, off * off / (2 * (row.variance + epsilon)));
  // Sums of x or of squares that exceed F32 on their way: nothing is known of y.
  if (may_overflow(n * row.magnitude) || may_overflow(n * (row.variance + off * off))) return INFINITY;
  const double rounded = (n / 128 + 13) / 2 + 4 + 2 + 1;
  return fabs(weight) * (rstd * (off / kUnit + (fabs(below) + off) * (lost / kUnit + rounded) + 0x1p-125) + 0x1p-125);
}

struct LayernormProblem {
  int64_t rows, columns;
  MatrixView<const float> x;
  VectorView<const float> weight, bias;
  float epsilon;
  MatrixView<float> y;
};

[[nodiscard]] inline LayernormProblem layernorm_problem(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          matrix_of<const float>(args, "x"),
          vector_of<const float>(args, "weight"),
          vector_of<const float>(args, "bias"),
          args.scalar("epsilon").as<float>(),
          matrix_of<float>(args, "y")};
}

[[nodiscard]] inline operation::Limits norm_limits(std::size_t tensors) {
  return {.formats = {std::vector(tensors, number::FormatId::F32)},
          .extents = {{"columns", {.min = 1, .max = kMostNormColumns, .tiles = {kRowThreads}}}},
          .scalars = {{"epsilon", {kLeastEpsilon, kGreatestEpsilon}}}};
}

}  // namespace
}  // namespace negzero::kernels
