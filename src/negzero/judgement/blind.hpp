// What a judgement cannot see: terms whose loss would pass.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/judgement/terms.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {

/// An element's terms that are numbers and not zero, as they are in the exact result: times alpha, over the count for a
/// mean, to 53 bits; of many every few, so that there are at most kMostTerms. Factors count as they are stored; what is
/// added besides (C, initial values) is no term.
inline constexpr std::size_t kMostTerms = 1024;
[[nodiscard]] std::vector<exact::Dyadic> terms_of(const operation::Case& value, std::int64_t element);

struct Blindness {
  std::int64_t of = 0;  ///< elements that have a finite exact result and a term
  double share = 0;     ///< of their terms, of each element's alike, those whose loss would pass; 0 where of is 0
};

/// How much of those elements of the first output could be lost and not be seen: with exact result s, a term t counts
/// where s - t, rounded to the output's format by the contract's output_rounding, lies between the least and the
/// greatest permitted number. Elements without a finite s or without a term are not counted. `threads` at once.
[[nodiscard]] Blindness blindness(const operation::Case& value, const contract::Contract& contract,
                                  std::span<const std::int64_t> elements, std::size_t threads);

}  // namespace negzero::judgement
