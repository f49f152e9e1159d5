// The operations: what a kernel is asked to compute, apart from the numbers in it.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <negzero/number/format.hpp>

namespace negzero::operation {

/// A scalar with its format, as bits.
struct Scalar {
  number::FormatId format = number::FormatId::F32;
  std::uint64_t bits = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// d[b, i, j] = alpha * sum_k a[b, i, k] * b[b, k, j] + beta * c[b, i, j]
///
/// a is batch x m x k, b is batch x k x n, c and d are batch x m x n; where they lie (transposes, leading dimensions,
/// offsets, broadcasts) is their layouts' affair. Any extent may be 0. c has d's format.
struct Gemm {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  number::FormatId a = number::FormatId::F32, b = number::FormatId::F32, d = number::FormatId::F32;
  Scalar alpha{number::FormatId::F32, 0x3f800000}, beta{};
  friend bool operator==(const Gemm&, const Gemm&) = default;
};

enum class ReduceKind : std::uint8_t { Sum, Mean, Max, Min, Argmax, Argmin };

/// y[i] = reduction of x[i, 0..columns). Argmax and argmin give the index as I32.
struct Reduce {
  ReduceKind kind = ReduceKind::Sum;
  std::int64_t rows = 0, columns = 0;
  number::FormatId x = number::FormatId::F32, y = number::FormatId::F32;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

enum class ScatterKind : std::uint8_t { Add, Max, Min };

/// out[index[i]] = combine(out[index[i]], x[i]) for every i in any order, out starting as `init`.
///
/// x has `updates` elements, index (I32) as many, each in [0, destinations); init and out have `destinations`.
struct Scatter {
  ScatterKind kind = ScatterKind::Add;
  std::int64_t updates = 0, destinations = 0;
  number::FormatId x = number::FormatId::F32;
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

using Operation = std::variant<Gemm, Reduce, Scatter>;

/// "gemm", "reduce.sum", "scatter.max": the operation's name in files and messages.
[[nodiscard]] std::string name(const Operation& operation);
/// Every name that name() can return.
[[nodiscard]] const std::array<std::string_view, 10>& operation_names();
/// The operation of that name with extents 0 and F32 everywhere (I32 for the result of argmax and argmin), or nothing.
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);

}  // namespace negzero::operation
