// What a kernel gave for one case, element by element beside what is exact and what is permitted: for a report.
//
// Verdicts hold one element and a count, because thousands of them cross processes. A finding is worth one run more,
// whose whole output is looked at here.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <negzero/campaign/options.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Most rows and columns of a Grid: what a person can look at, and what the oracle answers for in a moment.
inline constexpr std::int64_t kMostRows = 32, kMostColumns = 32;

/// A part of a tensor as a matrix, whose rows are all dimensions but the last.
struct Grid {
  std::string name;
  number::FormatId format = number::FormatId::F32;
  std::vector<std::int64_t> shape{};             ///< of the whole tensor
  std::int64_t all_rows = 0, all_columns = 0;    ///< of the whole matrix
  std::int64_t first_row = 0, first_column = 0;  ///< of the part
  std::int64_t rows = 0, columns = 0;            ///< of the part
  std::vector<std::uint64_t> words{};            ///< encodings of the part, row by row
  [[nodiscard]] bool is_whole() const { return rows == all_rows && columns == all_columns; }
  /// The row-major index in the tensor of the part's element in that row and column.
  [[nodiscard]] std::int64_t element(std::int64_t row, std::int64_t column) const {
    return (first_row + row) * all_columns + first_column + column;
  }
};

/// The part of a tensor around `element`, or its beginning where that is -1.
[[nodiscard]] Grid grid_of(const std::string& name, const tensor::Tensor& tensor, std::int64_t element);

/// What is to be said of one element of an output.
struct JudgedElement {
  std::optional<std::uint64_t> exact;  ///< oracle::Oracle::exact()
  bool is_permitted = false;
  std::string permitted;  ///< the permitted set in words; empty where the element is in it
};

struct Observation {
  std::string kernel;                 ///< "gemm.tiled.f32@host"
  std::vector<Grid> inputs;           ///< those that a Grid holds whole
  std::vector<std::string> left_out;  ///< "x F32[4096, 4096]": the others
  std::string nothing;                ///< why there is no output; empty: there is
  std::string remark;                 ///< what this run showed that differs from the failure; empty: it showed that
  Grid output;                        ///< that of the failure, or the first
  std::vector<JudgedElement> judged;  ///< one for each word of `output`
};

/// Runs the case once more, unwatched unless `kernel` is a watched build, behind its history where it has one, and
/// judges each element of the part of its output around the failure. A crash and a hang are not run again: they have no
/// output. Never fails: `nothing` says why there is none.
[[nodiscard]] Observation observe(const operation::Case& value, const kernel::Kernel& kernel,
                                  const verdict::Failure& failure, const EvaluationOptions& options);

}  // namespace negzero::campaign
