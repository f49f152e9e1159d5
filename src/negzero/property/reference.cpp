// Judges outputs of a declared operation by those of a reference, within a declared error.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/exact/dyadic.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/property/declared_error.hpp>
#include <negzero/property/reference.hpp>

namespace negzero::property {

namespace {

using exact::Dyadic;
using number::Format;
using number::FormatId;
using verdict::Failure;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

const Format& f64() { return number::format(FormatId::F64); }

/// What the reference gives when it is evaluated again: with its arithmetic rounded downward and upward, or twice in a
/// wider format.
struct Again {
  std::vector<tensor::Tensor> down{}, up{};
};

/// One output against the reference's.
class Comparing {
 public:
  Comparing(const operation::Case& value, const contract::Contract& contract, const kernel::Kernel& kernel,
            std::size_t output, const tensor::Tensor& observed)
      : value_(value),
        said_(kernel.reference),
        spec_(operation::output_specs(value.operation)[output]),
        bound_(kernel.reference.errors[spec_.name]),
        format_(observed.format()),
        observed_(observed),
        error_(value, format_, bound_, contract, kernel.limits),
        counted_(value, spec_.name) {}

  /// Elements may be excused by the same output of the reference, evaluated again.
  void excuse_by(const tensor::Tensor& down, const tensor::Tensor& up) {
    down_ = &down;
    up_ = &up;
  }
  /// What the reference gave otherwise, and its scale, is right as well.
  void permit_too(const tensor::Tensor& right, const tensor::Tensor* scale) {
    other_ = &right;
    other_scale_ = scale;
  }
  /// How many elements failed and were excused, and the first of them in words.
  [[nodiscard]] std::size_t excused() const { return excused_; }
  [[nodiscard]] const std::string& excuse() const { return excuse_; }

  /// Adds to a verdict what this output shows. `scale`: nullptr where no error is relative.
  void into(Verdict& verdict, const tensor::Tensor& right, const tensor::Tensor* scale) {
    if (bound_.any) return;
    leaves_numbers_ = error_.is_blind();
    std::optional<Failure> failure;
    for (std::int64_t i = 0; i < observed_.element_count(); ++i) {
      if (!counted_.holds(i)) continue;
      auto missed = look(right.format(), right.get(i), scale == nullptr ? 0 : scale->get(i), observed_.get(i));
      if (missed && other_ != nullptr) {
        const std::uint64_t other_scale = other_scale_ == nullptr ? 0 : other_scale_->get(i);
        if (!look(other_->format(), other_->get(i), other_scale, observed_.get(i))) missed.reset();
      }
      if (!problem_.empty()) {
        verdict = verdict::error_verdict(
            fmt::format("reference {}: {} of element {} of {}", said_.kernel, problem_, i, spec_.name));
        return;
      }
      if (!missed || is_excused(i, right, scale)) continue;
      if (!failure) {
        failure = *missed;
        if (failure->kind == FailureClass::WrongValue) failure->message += said_again(i, right);
        operation::locate(*failure, spec_, i);
      }
      ++failure->failing_elements;
    }
    verdict.margin = std::max(verdict.margin, margin_);
    if (failure && !verdict.failure) {
      verdict.kind = VerdictKind::Fail;
      verdict.failure = std::move(failure);
    } else if ((decides_numbers_ || (decides_specials_ && !leaves_numbers_)) && verdict.kind == VerdictKind::Vacuous) {
      verdict.kind = VerdictKind::Pass;
    }
  }

 private:
  std::optional<Failure> look(const Format& from, std::uint64_t right, std::uint64_t scale, std::uint64_t observed) {
    // An element of 6 bits takes a byte, of which a kernel may set no more.
    if (!format_.fills_bytes() && observed > format_.word_mask()) return beyond(observed, from, right);
    const bool is_nan = number::is_nan(format_, observed);
    if (number::is_nan(from, right)) {
      if (!said_.nan) return std::nullopt;
      decides_specials_ = true;
      if (is_nan) return std::nullopt;
      return special(observed, "NaN", from, right);
    }
    const bool is_infinite = number::is_infinity(from, right), is_negative = number::is_negative(from, right);
    if (is_infinite) {
      decides_specials_ = true;
      const std::uint64_t end = number::infinity(format_, is_negative);
      if (observed == end || (!format_.has_infinity && is_nan)) return std::nullopt;
      return special(observed, number::with_bits(format_, end), from, right);
    }
    if (bound_.relative > 0 && !(number::to_double(f64(), scale) >= 0)) {
      problem_ = fmt::format("its scale {}", number::to_decimal(f64(), scale));
      return std::nullopt;
    }
    if (bound_.relative > 0 && number::is_infinity(f64(), scale)) {
      leaves_numbers_ = true;
      return std::nullopt;
    }
    const Interval interval = error_.around(from, right, scale);
    if (is_nan && !interval.nan) return special(observed, "a number", from, right);
    decides_numbers_ = decides_numbers_ || error_.decides(scale);
    if (is_nan) return std::nullopt;
    const std::int64_t at = number::ordinal(format_, observed);
    if (interval.holds(at)) {
      const std::int64_t center = number::ordinal(format_, Dyadic::from_encoding(from, right).round_to(format_));
      const double distance = std::abs(static_cast<double>(at) - static_cast<double>(center));
      const double room = static_cast<double>(at < center ? center - interval.low : interval.high - center);
      if (room > 0) margin_ = std::max(margin_, std::min(1.0, distance / room));
      const bool are_zeros = number::is_zero(format_, observed) && number::is_zero(from, right);
      if (!said_.zero_signs || !are_zeros || number::is_negative(format_, observed) == is_negative) return std::nullopt;
      Failure failure = special(observed, number::with_bits(format_, number::zero(format_, is_negative)), from, right);
      failure.kind = FailureClass::WrongZeroSign;
      return failure;
    }
    Failure failure = base(observed, from, right);
    failure.rule = "reference.error";
    const bool wants_infinity = is_end(interval.low) && is_end(interval.high);
    const bool is_special = number::is_infinity(format_, observed) || wants_infinity;
    failure.kind = is_special ? FailureClass::WrongSpecialValue : FailureClass::WrongValue;
    failure.direction = at < interval.low ? verdict::Direction::TooLow : verdict::Direction::TooHigh;
    failure.permitted_text = fmt::format("[{}, {}]", text_of(interval.low), text_of(interval.high));
    failure.message += fmt::format("The declared error permits {}.", failure.permitted_text);
    return failure;
  }

  /// Whether the reference's own roundings move that element by more than the declared error, or make of a number what
  /// is none. Infinities are alike: a difference of equals, rounded downward, is the other zero, whose reciprocal is
  /// the other infinity.
  bool is_excused(std::int64_t i, const tensor::Tensor& right, const tensor::Tensor* scale) {
    if (!may_be_excused()) return false;
    const Format& from = right.format();
    const std::uint64_t low = down_->get(i), high = up_->get(i), value = right.get(i);
    const auto is_good = [&](std::uint64_t word) {
      if (number::is_nan(from, value) || number::is_infinity(from, value)) return is_alike(from, word, value);
      if (number::is_nan(from, word) || number::is_infinity(from, word)) return false;
      const Interval interval = error_.around(from, value, scale == nullptr ? 0 : scale->get(i));
      const std::uint64_t rounded = Dyadic::from_encoding(from, word).round_to(format_);
      return number::is_nan(format_, rounded) ? interval.nan : interval.holds(number::ordinal(format_, rounded));
    };
    if (is_good(low) && is_good(high)) return false;
    if (excused_++ == 0) {
      excuse_ =
          low == high
              ? fmt::format("evaluated again {} gives {} for element {} of {}, where it gave {}", said_.kernel,
                            number::with_bits(from, low), i, spec_.name, number::with_bits(from, value))
              : fmt::format("rounded downward {} gives {} for element {} of {}, and rounded upward {}", said_.kernel,
                            number::with_bits(from, low), i, spec_.name, number::with_bits(from, high));
    }
    return true;
  }

  /// Says that evaluating the reference again told nothing of a number; empty where it did.
  [[nodiscard]] std::string said_again(std::int64_t i, const tensor::Tensor& right) const {
    const std::uint64_t value = right.get(i);
    if (!may_be_excused() || down_->get(i) != value || up_->get(i) != value) return {};
    if (number::is_nan(right.format(), value) || number::is_infinity(right.format(), value)) return {};
    return fmt::format(
        " Rounded downward and upward {} gives the same bits: it rounds nothing here, or where the direction does not "
        "reach (docs/how-to/your_operation.md).",
        said_.kernel);
  }

  /// Whether the reference was evaluated again, for an output whose elements that may excuse.
  [[nodiscard]] bool may_be_excused() const {
    return down_ != nullptr && !format_.is_integer() && (bound_.ulps != 0 || bound_.relative != 0);
  }

  /// Whether a word is the special value that another one is, in the output's format.
  [[nodiscard]] bool is_alike(const Format& from, std::uint64_t word, std::uint64_t special) const {
    if (number::is_nan(from, special)) return number::is_nan(from, word);
    if (number::is_nan(from, word)) return false;
    if (number::is_infinity(from, word)) return true;
    const std::uint64_t rounded = Dyadic::from_encoding(from, word).round_to(format_);
    return number::is_infinity(format_, rounded) || number::is_nan(format_, rounded);
  }

  [[nodiscard]] bool is_end(std::int64_t ordinal) const {
    return number::is_infinity(format_, number::from_ordinal(format_, ordinal));
  }

  [[nodiscard]] std::string text_of(std::int64_t ordinal) const {
    return number::with_bits(format_, number::from_ordinal(format_, ordinal));
  }

  [[nodiscard]] Failure base(std::uint64_t observed, const Format& from, std::uint64_t right) const {
    Failure failure;
    failure.observed = observed;
    failure.observed_text = number::with_bits(format_, observed);
    failure.message = fmt::format("{} gave {}, the reference {} {}. ", spec_.name, failure.observed_text, said_.kernel,
                                  number::with_bits(from, right));
    return failure;
  }

  [[nodiscard]] Failure beyond(std::uint64_t observed, const Format& from, std::uint64_t right) const {
    Failure failure = base(observed, from, right);
    failure.kind = FailureClass::WrongValue;
    failure.rule = "reference.error";
    failure.permitted_text = fmt::format("0x00 to 0x{:02x}", format_.word_mask());
    failure.observed_text = fmt::format("the byte 0x{:02x}", observed);
    failure.message = fmt::format(
        "{} gave {}: {} has {} bits, and the others of its byte are 0. The reference {} gave {}.", spec_.name,
        failure.observed_text, format_.name, format_.bits, said_.kernel, number::with_bits(from, right));
    return failure;
  }

  [[nodiscard]] Failure special(std::uint64_t observed, const std::string& wanted, const Format& from,
                                std::uint64_t right) const {
    Failure failure = base(observed, from, right);
    failure.kind = FailureClass::WrongSpecialValue;
    failure.rule = "reference.special";
    failure.permitted_text = wanted;
    failure.message += fmt::format("The declaration wants {} there.", wanted);
    return failure;
  }

  const operation::Case& value_;
  const kernel::Reference& said_;
  operation::TensorSpec spec_;
  kernel::ErrorBound bound_;
  const Format& format_;
  const tensor::Tensor& observed_;
  DeclaredError error_;
  operation::Counted counted_;
  // Whether some number could have failed, some NaN or infinity, and whether some number could not.
  bool decides_numbers_ = false, decides_specials_ = false, leaves_numbers_ = false;
  double margin_ = 0;
  std::string problem_{};  ///< of the reference
  const tensor::Tensor *down_ = nullptr, *up_ = nullptr;
  const tensor::Tensor *other_ = nullptr, *other_scale_ = nullptr;
  std::size_t excused_ = 0;
  std::string excuse_{};
};

/// `again`: nullptr where no element is excused. `kept`: what the reference gives with subnormal inputs as they are,
/// where it gave the other outputs with zeros in their place and either is right; else nullptr.
Verdict judged(const operation::Case& value, const contract::Contract& contract, const kernel::Kernel& kernel,
               std::span<const tensor::Tensor> outputs, const operation::Case& reference_case,
               std::span<const tensor::Tensor> reference_outputs, const Again* again,
               const std::vector<tensor::Tensor>* kept) {
  const kernel::Reference& said = kernel.reference;
  Verdict verdict{.kind = VerdictKind::Vacuous};
  verdict.reason = fmt::format("no element is held closely enough to {}", said.kernel);
  if (open_inputs(value, contract).each) {
    verdict.reason = "subnormal inputs may be flushed or not, and the reference does one of both";
    return verdict;
  }
  const std::vector<operation::TensorSpec> own = operation::output_specs(value.operation);
  const std::vector<operation::TensorSpec> given = operation::output_specs(reference_case.operation);
  const auto output_of = [&](const std::string& name, std::span<const tensor::Tensor> of) -> const tensor::Tensor* {
    const auto found = std::ranges::find(given, name, &operation::TensorSpec::name);
    return found == given.end() ? nullptr : &of[static_cast<std::size_t>(found - given.begin())];
  };
  std::size_t excused = 0;
  std::string excuse;
  for (std::size_t o = 0; o < own.size() && verdict.kind != VerdictKind::Error; ++o) {
    const bool is_relative = said.errors[own[o].name].relative > 0;
    Comparing comparing(value, contract, kernel, o, outputs[o]);
    if (again != nullptr) {
      comparing.excuse_by(*output_of(own[o].name, again->down), *output_of(own[o].name, again->up));
    }
    if (kept != nullptr) {
      comparing.permit_too(*output_of(own[o].name, *kept),
                           is_relative ? output_of(kernel::scale_name(own[o].name), *kept) : nullptr);
    }
    comparing.into(verdict, *output_of(own[o].name, reference_outputs),
                   is_relative ? output_of(kernel::scale_name(own[o].name), reference_outputs) : nullptr);
    if (excuse.empty()) excuse = comparing.excuse();
    excused += comparing.excused();
  }
  if (excused > 0) {
    excuse = fmt::format("the reference is not good to its error at {} element{}: {}", excused, excused == 1 ? "" : "s",
                         excuse);
    if (verdict::is_clean(verdict.kind)) {
      verdict = {};
      verdict.kind = VerdictKind::NotJudged;
      verdict.reason = excuse;
    }
    verdict.warnings.assign(1, excuse);
    return verdict;
  }
  if (verdict.kind != VerdictKind::Vacuous && verdict.kind != VerdictKind::Error) verdict.reason.clear();
  return verdict;
}

}  // namespace

Verdict judge_by_reference(const operation::Case& value, const contract::Contract& contract,
                           const kernel::Kernel& kernel, std::span<const tensor::Tensor> outputs,
                           const operation::Case& reference_case, std::span<const tensor::Tensor> reference_outputs) {
  return judged(value, contract, kernel, outputs, reference_case, reference_outputs, nullptr, nullptr);
}

Verdict judge_by_reference(const operation::Case& value, const contract::Contract& contract,
                           const kernel::Kernel& kernel, const Referee& referee,
                           std::span<const tensor::Tensor> outputs) {
  operation::Case asked = case_for_reference(value, contract, *referee.kernel);
  const auto run_rounded = [&](base::Rounding rounding) {
    asked.schedule.rounding = rounding;
    return referee.executor->run(asked, *referee.kernel, referee.kernel->contract);
  };
  const auto not_well = [&](const run::Outcome& ended) {
    return verdict::error_verdict(fmt::format("the reference {} did not end well: {}", kernel.reference.kernel,
                                              ended.failure ? ended.failure->message : ended.reason));
  };
  const run::Outcome outcome = run_rounded(base::Rounding::Nearest);
  if (outcome.status != run::Outcome::Status::Completed) return not_well(outcome);
  Verdict verdict = judged(value, contract, kernel, outputs, asked, outcome.outputs, nullptr, nullptr);
  if (verdict.kind != VerdictKind::Fail) return verdict;
  std::optional<std::vector<tensor::Tensor>> kept;
  if (open_inputs(value, contract).all) {
    const operation::Case otherwise = case_for_reference(value, contract, *referee.kernel, true);
    run::Outcome other = referee.executor->run(otherwise, *referee.kernel, referee.kernel->contract);
    if (other.status != run::Outcome::Status::Completed) return not_well(other);
    kept = std::move(other.outputs);
    verdict = judged(value, contract, kernel, outputs, asked, outcome.outputs, nullptr, &*kept);
    if (verdict.kind != VerdictKind::Fail) return verdict;
  }
  run::Outcome down = run_rounded(base::Rounding::Downward), up = run_rounded(base::Rounding::Upward);
  for (const run::Outcome* again : {&down, &up}) {
    if (again->status == run::Outcome::Status::Completed) continue;
    verdict.warnings.push_back(
        fmt::format("the reference {} was evaluated once only: evaluated again it did not end well: {}",
                    kernel.reference.kernel, again->failure ? again->failure->message : again->reason));
    return verdict;
  }
  const Again again{std::move(down.outputs), std::move(up.outputs)};
  return judged(value, contract, kernel, outputs, asked, outcome.outputs, &again, kept ? &*kept : nullptr);
}

}  // namespace negzero::property
