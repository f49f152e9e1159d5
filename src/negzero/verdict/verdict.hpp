// The words of a judgement: verdicts, failure classes, and what is known about a failure.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/verdict/rule.hpp>

namespace negzero::verdict {

enum class VerdictKind : std::uint8_t {
  Pass,
  Fail,
  Vacuous,  ///< the case cannot reject garbage (numerics.md section 2): never counted as a pass
  Refused,  ///< outside the kernel's declared limits, and the kernel said so
  Error,    ///< ours: nothing was decided about the kernel
  /// Nothing that was looked at is wrong, and the values were not: the operation is declared, so that no oracle knows
  /// them. Never counted as a pass.
  NotJudged,
};

/// Whether a run ended as well as a right kernel's can: a pass, or clean where no oracle knows the values.
[[nodiscard]] constexpr bool is_good(VerdictKind kind) noexcept {
  return kind == VerdictKind::Pass || kind == VerdictKind::NotJudged;
}
/// Whether a run showed nothing wrong: what more is asked of a case is asked behind such a run.
[[nodiscard]] constexpr bool is_clean(VerdictKind kind) noexcept {
  return is_good(kind) || kind == VerdictKind::Vacuous;
}

enum class Direction : std::uint8_t { None, TooLow, TooHigh };

/// Another contract that permits the whole output of a case: perhaps the declared one is what is wrong.
struct Hint {
  std::string words{};   ///< what it says instead, fields with their values: multiplicand "bf16"
  int line = 0;          ///< hints of one number cannot be told apart by the case
  bool is_pair = false;  ///< two of those that are tried alone
  friend bool operator==(const Hint&, const Hint&) = default;
};

/// One failure. Its kind, and of wrong values the output, identify it while it shrinks (the rule may sharpen as a case
/// gets smaller: a bound of many terms becomes the exact hull of a few); the rest is for people.
struct Failure {
  FailureClass kind = FailureClass::WrongValue;
  Rule rule{};
  Direction direction = Direction::None;
  std::string message{};                          ///< one sentence: claim, observed, permitted, why
  std::string output{};                           ///< the output's name; empty where `element` is none
  std::int64_t element = -1;                      ///< row-major index in that output; -1 where none
  std::vector<std::int64_t> coordinates{};        ///< the same as coordinates
  std::uint64_t observed = 0;                     ///< encoding in the output's format, when element >= 0
  std::string observed_text{}, permitted_text{};  ///< decimal and hex
  std::int64_t failing_elements = 0;              ///< how many elements of the case failed
  /// The likeliest first. Of a finding: those that permit every failing case of its class on which they were tried.
  std::vector<Hint> permitted_under{};
  std::vector<std::string> not_under{};  ///< words of those that were tried and do not permit some element

  /// Whether shrinking may go from this failure to `other`.
  [[nodiscard]] bool same_way(const Failure& other) const {
    return kind == other.kind && (!is_of_values(kind) || output == other.output);
  }
  /// Joins `permitted_under` with that of `other`: one case that a contract does not explain disproves it, and one on
  /// which it was not tried, or rejects nothing, says nothing of it. Pairs are kept where both have them.
  void keep_permitted_under(const Failure& other);
  friend bool operator==(const Failure&, const Failure&) = default;
};

/// The errors of a case beside those that random roundings give (judgement/improbable.hpp).
struct RandomErrors {
  double squares = 0;      ///< mean over elements of the squared error over its variance: 1 at most is expected
  std::int64_t terms = 0;  ///< of the longest of those sums
  friend bool operator==(const RandomErrors&, const RandomErrors&) = default;
};

struct Verdict {
  VerdictKind kind = VerdictKind::Error;
  std::optional<Failure> failure{};     ///< set exactly when kind is Fail
  std::string reason{};                 ///< for Refused and Error: one line
  std::vector<std::string> warnings{};  ///< what was legal but suspicious in a run that ended
  /// Of a case that was looked at for it: the share of its terms whose loss would pass (judgement/blind.hpp).
  std::optional<double> blind{};
  std::optional<RandomErrors> random_errors{};  ///< of a case that passed and was looked at for it
  double margin = 0;  ///< worst element: distance from the exact value over what is permitted, 0 to 1
};

/// Error, for that reason.
[[nodiscard]] inline Verdict error_verdict(std::string reason) {
  return Verdict{.kind = VerdictKind::Error, .failure = {}, .reason = std::move(reason)};
}

[[nodiscard]] std::string_view name(VerdictKind kind) noexcept;   ///< "pass", "fail", ...
[[nodiscard]] std::string_view name(FailureClass kind) noexcept;  ///< "wrong_value", ...
[[nodiscard]] std::optional<VerdictKind> parse_verdict(std::string_view text) noexcept;
[[nodiscard]] std::optional<FailureClass> parse_failure_class(std::string_view text) noexcept;
/// All of them, separated by commas: for messages about a word that is none of them.
[[nodiscard]] const std::string& verdict_words();
[[nodiscard]] const std::string& failure_class_words();

}  // namespace negzero::verdict
