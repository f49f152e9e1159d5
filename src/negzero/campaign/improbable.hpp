// Decides over many cases of a kernel whether its errors are improbable for random rounding errors.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// A mean of squared errors over their variances beyond which a case is counted: six standard deviations.
inline constexpr double kImprobable = 36;

/// Cases with sums of at least `terms` terms, and those of them that are beyond kImprobable.
struct Improbable {
  std::int64_t terms = 0;
  std::uint64_t cases = 0, beyond = 0;
  friend bool operator==(const Improbable&, const Improbable&) = default;
};

/// Verdict::random_errors of passing cases, by the length of their sums.
///
/// A case of a right kernel is beyond with probability 0.015 at most (judgement/improbable.hpp). In at least 20
/// independent cases, 5 and one in 16 more are then beyond with probability below 1e-5, for each
/// length of sums. One case, whatever its errors
/// are, counts as one. Rejected: the sum of e^2 over the sum of V, which one case with large numbers decides; the mean
/// of e^2 / V over all cases, which one case of which the model is wrong decides.
class RandomErrorCases {
 public:
  void add(const verdict::RandomErrors& errors);
  /// All cases.
  [[nodiscard]] Improbable all() const { return from(0); }
  /// Those that are improbable, the longest sums where several lengths are: a fault of long sums alone is one of few
  /// cases. Nothing where none are, or there are fewer than 20 cases.
  [[nodiscard]] std::optional<Improbable> improbable() const;

 private:
  struct Count {
    std::uint64_t cases = 0, beyond = 0;
  };
  /// Of sums with at least 2^(width - 1) terms.
  [[nodiscard]] Improbable from(std::size_t width) const;

  std::array<Count, 64> by_width_{};  ///< by std::bit_width of the terms
};

/// "improbable: ...", a sentence.
[[nodiscard]] std::string to_string(const Improbable& improbable);

}  // namespace negzero::campaign
