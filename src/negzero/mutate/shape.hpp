// Cases in another shape: elements carried over, layouts that fit, all of it inside limits.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/generate/generate.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::mutate {

/// Most products, elements (the output's too) and results that a change may bring a case to, unless its parent has
/// more: about what generate's usual cases have, so that a mutated case runs in milliseconds. Results cost most,
/// because many kernels give a block of threads to each.
inline constexpr std::int64_t kMostProducts = std::int64_t{1} << 18, kMostElements = std::int64_t{1} << 14,
                              kMostResults = std::int64_t{1} << 10;

/// How large a case is: the product of its extents, empty ones counting as 1, the elements of all its tensors, and
/// those of its output alone.
struct Size {
  double products = 1, elements = 0, results = 0;  ///< as doubles, which cannot overflow
};
[[nodiscard]] Size size_of(const operation::Operation& operation);
/// Most that an extent which is `old` now may become for kMostProducts products in all; at least 1.
[[nodiscard]] std::int64_t most_of_extent(const operation::Operation& operation, std::int64_t old);
/// Whether a child may be so large.
[[nodiscard]] bool has_room(const operation::Operation& child, const operation::Operation& parent);

/// Whether an index list with elements points at nothing: no case has such an operation.
[[nodiscard]] bool has_index_into_nothing(const operation::Operation& operation);

/// The tensor of `spec` with the elements of `from`: where a dimension is shorter its first ones, where it is longer
/// all of them again and again, converted to the format; zeros where `from` has none. Indices come modulo what they may
/// be.
[[nodiscard]] tensor::Tensor carried_over(const tensor::Tensor& from, const operation::TensorSpec& spec);

/// Gives the case another operation of the same name: tensors are carried over, layouts keep their order, padding,
/// broadcasts and offset where the limits allow, and become plain where not.
void reshape(operation::Case& value, const operation::Operation& operation, const operation::Limits& limits);

/// The case inside the limits of the request, itself where it lies there. Requires a valid case.
[[nodiscard]] operation::Case brought_inside(const generate::Request& request, const operation::Case& value,
                                             base::Random& random);

/// Whether a case is of the request's operation, inside its limits and its mix's extents, and has scalars in the format
/// in which kernels of its contract read them: a kernel gets their bits alone.
[[nodiscard]] bool is_inside(const generate::Request& request, const operation::Case& value);
/// Whether it is valid besides.
[[nodiscard]] bool is_usable(const generate::Request& request, const operation::Case& value);

/// Makes a case say of itself that it is a child, whose first ancestor had the strategy that stands there.
void mark_as_child(operation::Case& value);

}  // namespace negzero::mutate
