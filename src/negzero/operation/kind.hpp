// The kinds of computation that lines of index notation describe: what is judged and drawn alike.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/notation/signature.hpp>

namespace negzero::operation {

enum class Kind : std::uint8_t {
  Elements,         ///< y[i] = x[i]: each element by itself, in another format
  Reduction,        ///< y[o,i] = sum(j: x[o,j,i]): along one dimension of one tensor, whichever that is
  Scan,             ///< y[i,k] = sum(j<=k: x[i,j]): sums along it, as far as an index of the output
  Update,           ///< out[index[i]] += x[i]
  Products,         ///< d[b,i,j] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]
  GroupedProducts,  ///< the same without scalars and c, with a count of rows for each matrix
};

/// Returns the kind of a line, by its signature alone: names play no part. Nothing where a line has no definition, or
/// is of none of these kinds, such as a reduction that is scaled, or one of a tensor two of whose dimensions have one
/// extent (x[n, n]), so that extents do not say which of them is reduced.
[[nodiscard]] std::optional<Kind> kind_of(const notation::Signature& signature) noexcept;

}  // namespace negzero::operation
