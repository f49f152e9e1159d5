// What kernels that quantise rows to F8_E4M3 share: the operations, what their values are held to, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "f8_e4m3.cuh"
#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// step[i] = the greatest |x| of row i, NaN apart, / 448 in F32; q = x / step in F8_E4M3, rounded once and never beyond
/// 448. Where step is 0 (a row of zeros, or of less than 448 * 2^-150) all numbers of the row become 0. NaN stays NaN.
constexpr const char* kQuantise = "quantise.rows: q[rows, columns], step[rows] <- x[rows, columns] each rows";
constexpr const char* kQuantiseReference =
    "quantise.rows.reference: q[rows, columns], step[rows] <- x[rows, columns] each rows";
/// y = q * step.
constexpr const char* kDequantise =
    "dequantise.rows: y[rows, columns] <- q[rows, columns], step[rows] each rows, columns";
constexpr const char* kDequantiseReference =
    "dequantise.rows.reference: y[rows, columns] <- q[rows, columns], step[rows] each rows, columns";

/// Held to the very number: both results are defined by one rounding. F64 is enough to find each. A quotient by 448 = 7
/// * 64 is at least 2^-28 of itself away from a tie of F32, unless on it (1 / 14 of an ulp). x / step of two F32
/// numbers and a tie t of F8, which has five bits: x - t step is a multiple of the last place of a 29-bit product, so
/// that the quotient is at least 2^-29 of itself away from t, or on it. F64 rounds by 2^-53.
[[nodiscard]] inline kernel::Reference quantise_reference() { return {.kernel = "quantise.rows.reference.f64"}; }

/// Held to the very number: one product, rounded once (IEEE 754-2019 4.3), which F64 holds exactly: 4 + 24 bits.
[[nodiscard]] inline kernel::Reference dequantise_reference() {
  return {.kernel = "dequantise.rows.reference.f64", .zero_signs = true};
}

struct QuantiseProblem {
  int64_t rows, columns;
  MatrixView<const float> x;
  MatrixView<std::uint8_t> q;
  VectorView<float> step;
};

[[nodiscard]] inline QuantiseProblem quantise_problem(const kernel::Args& args) {
  return {args.extent("rows"), args.extent("columns"), matrix_of<const float>(args, "x"),
          matrix_of<std::uint8_t>(args, "q"), vector_of<float>(args, "step")};
}

[[nodiscard]] inline operation::Limits quantise_limits() {
  using number::FormatId;
  return {.formats = {{FormatId::F32, FormatId::F8_E4M3, FormatId::F32}},
          .extents = {{"columns", {.tiles = {kRowThreads}}}}};
}

}  // namespace
}  // namespace negzero::kernels
