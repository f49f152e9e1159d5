// What kernels of top-k share: the operation, what its values are held to, the order of elements, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "candidate.cuh"
#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// The k greatest elements of each row, greatest first, with their places. NaN is above all numbers, as in torch.topk;
/// zeros of both signs are equal, and so are all NaNs; of equals the first comes first. k <= columns, by the limits.
constexpr const char* kTopk = "topk: values[rows, k], at[rows, k] < columns <- x[rows, columns] each rows";
constexpr const char* kTopkReference =
    "topk.reference: values[rows, k], at[rows, k] < columns <- x[rows, columns] each rows";
/// Extents cannot be held to each other, so that k ends where columns begin.
constexpr int64_t kMostTopk = 16;

/// Held to the very elements: nothing is computed, and the order leaves no choice.
[[nodiscard]] inline kernel::Reference topk_reference() { return {.kernel = "topk.reference.f64", .zero_signs = true}; }

struct TopkProblem {
  int64_t rows, columns, k;
  MatrixView<const float> x;
  MatrixView<float> values;
  MatrixView<std::int32_t> at;
};

[[nodiscard]] inline TopkProblem topk_problem(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          args.extent("k"),
          matrix_of<const float>(args, "x"),
          matrix_of<float>(args, "values"),
          matrix_of<std::int32_t>(args, "at")};
}

[[nodiscard]] inline operation::Limits topk_limits(number::FormatId format = number::FormatId::F32) {
  return {.formats = {{format, format}},
          .extents = {{"columns", {.min = kMostTopk, .tiles = {kRowThreads}}}, {"k", {.max = kMostTopk}}},
          // A row is read k times.
          .products = {{.of = {"rows", "columns"}, .max = 1 << 16}}};
}

}  // namespace
}  // namespace negzero::kernels
