// What a judgement cannot see: elements in which a lost term would pass.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {

/// Whether the operation's results are sums, of which a term can be lost.
[[nodiscard]] bool adds(const operation::Operation& operation);

/// The median magnitude of an element's terms that are numbers and not zero, as they are in the result: times |alpha|,
/// over the count for a mean, to 53 bits; of an even number the smaller of the two in the middle. Factors count as they
/// are stored; what is added besides (C, initial values) is no term. Nothing where there is no such term.
[[nodiscard]] std::optional<exact::Dyadic> median_term(const operation::Case& value, std::int64_t element);

struct Blindness {
  std::int64_t of = 0;     ///< elements that have a finite exact result and a median term
  std::int64_t blind = 0;  ///< those in which a lost term of median size would pass
};

/// How many of those elements of the first output are blind: with exact result s and median term t, both s - t and
/// s + t, rounded to the output's format by the contract's output_rounding, lie between the least and the greatest
/// permitted number. Elements without a finite s or without t are not counted. `threads` at once.
[[nodiscard]] Blindness blindness(const operation::Case& value, const contract::Contract& contract,
                                  std::span<const std::int64_t> elements, std::size_t threads);

}  // namespace negzero::judgement
