// What a failing output is right under: contracts beside the declared one, the likeliest first.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::judgement {

/// Most products, elements or updates of a case that is held against other contracts: each costs as much as judging it.
inline constexpr std::int64_t kMostHinted = std::int64_t{1} << 22;

/// On how many elements a hint is held to what was observed.
enum class Held : std::uint8_t {
  All,   ///< every one, which takes as long as judging them for each of a few hints
  Some,  ///< so many, failing ones and others, evenly spread; of a case of more work than kMostHeld no pairs of words
};
inline constexpr std::int64_t kMostHeld = std::int64_t{1} << 12, kSomeHeld = 64;

/// Contracts (candidates.hpp) that permit every element of all outputs that is held to them, and reject garbage where
/// the declared one was broken. `failing` are the elements that `contract` does not permit. Empty for cases of more
/// than kMostHinted.
///
/// Fewest words first; then what is usual (Candidate::is_usual) before other arithmetic, whose bounds sums in another
/// order fit by chance; then the one that permits least besides, counted over the failing elements, of which the first
/// kWeighed are weighed. Those that permit the same there have one line; so have a sum that is held in a narrower
/// format, rounded to it once, or stored to it in slices, in this order, where a narrower one of them explains all:
/// each of them permits what the next does, and more or less of it by chance. Where no word explains all, pairs of
/// words that explain some are tried. `disproved` gets the words of those that do not permit some element: of others,
/// which are neither, the case says nothing.
[[nodiscard]] std::vector<verdict::Hint> hints(const operation::Case& value, const contract::Contract& contract,
                                               std::span<const tensor::Tensor> observed,
                                               std::span<const oracle::OutputElement> failing, Held held = Held::All,
                                               std::vector<std::string>* disproved = nullptr);

/// The first of them for people, a line each: "permitted under multiplicand "bf16" or multiplicand "f16": declare it if
/// the kernel does that. How factors are rounded before they are multiplied." A word of a field that an earlier line
/// names, or one more than is needed, has no line.
[[nodiscard]] std::vector<std::string> hint_lines(std::span<const verdict::Hint> hints);

}  // namespace negzero::judgement
