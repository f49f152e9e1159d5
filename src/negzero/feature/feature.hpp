// What is remarkable about a case and its outcome, as numbers: a search that learns keeps cases that show new ones.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>
#include <negzero/watch/coverage.hpp>

namespace negzero::feature {

/// Kinds of features. Where one is of a tensor, these are numbered: the inputs from 0, then the outputs.
enum class Kind : std::uint8_t {
  Operation,  ///< its name
  Strategy,   ///< the one that made the case or its first ancestor, and whether it was changed since
  Extent,     ///< of each extent the power of two it is in, and whether it is that, or one more, or one less than one
  Layout,     ///< of each tensor: offset, broadcast, gaps, transposed, no neighbours
  Scalar,     ///< of each scalar its class
  Setting,    ///< poison, order of threads, preemption, whether launches come before
  Option,     ///< of each option of the kernel the place of its value in the kernel's list, far ones by powers of two
  Verdict,    ///< its kind
  Margin,     ///< the power of two that the margin is in
  Failure,    ///< rule and class
  Element,    ///< of each tensor each class of encoding in it, and neighbours that are equal or opposite
  Spread,     ///< of each tensor the range of exponents, by powers of two
  Rule,       ///< the rule that gave an element's permitted set
  Terms,      ///< terms of a sum that are not zero, by powers of two
  Cancellation,  ///< how many binades a sum lies below the sum of its terms' magnitudes
  Rounding,      ///< where the exact result lies between two neighbours of the output's format, and which was observed
  Overflow,      ///< of the result, or of the accumulator in some order
  Underflow,     ///< of the result
  Code,          ///< a basic block of the kernel's code that ran, and how often
};
inline constexpr std::size_t kKinds = 19;

/// One feature. A value says the same in every run of this version; of Code, of this build of the kernel's program.
struct Feature {
  Kind kind = Kind::Operation;
  std::uint32_t value = 0;  ///< below 2^24

  [[nodiscard]] constexpr std::uint32_t number() const noexcept {
    return static_cast<std::uint32_t>(kind) << 24 | value;
  }
  friend bool operator==(const Feature&, const Feature&) = default;
};
/// The feature of that number; nothing where no kind has it.
[[nodiscard]] std::optional<Feature> feature_of(std::uint32_t number) noexcept;
/// "extent 1: 2^5 - 1", "cancellation: 12 binades", "rounding: tie, up": for people. Any value is safe: what no run has
/// reads as "unknown".
[[nodiscard]] std::string to_string(const Feature& feature);
/// The block that a feature of Code is about; nothing for any other.
[[nodiscard]] std::optional<std::uint32_t> code_block_of(std::uint32_t number) noexcept;

/// How much is looked at, each with what comes before it.
enum class Depth : std::uint8_t {
  Setting,   ///< Operation to Failure: no element is looked at; about a microsecond
  Elements,  ///< Element and Spread: one pass over all tensors
  Sums,      ///< Rule to Underflow: up to kMostSums elements of an output, each a question to the oracle
  Code,      ///< Code: it shows in watched runs only
};
/// Elements of each output whose sums are looked at: evenly far apart, first and last among them; and one that failed.
inline constexpr std::int64_t kMostSums = 16;
/// Most features that a run has: of the case and its values, and of code.
inline constexpr std::size_t kMostFeatures = 208 + watch::Coverage::kMost;

/// A case that ran, and what came of it.
struct Run {
  const operation::Case& value;
  const verdict::Verdict& verdict;
  std::span<const tensor::Tensor> outputs{};       ///< packed; none where the run gave none
  const contract::Contract* contract = nullptr;    ///< that judged it; without one nothing is known of sums
  std::span<const watch::CoveredBlock> covered{};  ///< of the kernel's code
  const operation::Options* options = nullptr;     ///< of the kernel; without them nothing is known of the case's
};
/// The numbers of its features, each once, ascending; at most kMostFeatures. Requires a valid case.
[[nodiscard]] std::vector<std::uint32_t> features_of(const Run& run, Depth depth);

}  // namespace negzero::feature
