// What a sum near s gives, certainly.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/finisher.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/screened_path.hpp>
#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {

/// 2^exponent, of a number of F64.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Sums of an accumulator that may be any of its numbers within a bound of s, or what overflows on the way.
template <class Arithmetic>
class NearSum {
 public:
  using Value = typename Arithmetic::Value;
  static constexpr const number::Format& accumulator() { return number::format(Arithmetic::kFormat); }

  /// `finisher` must outlive it.
  NearSum(const ScreenedPath& path, const number::Format& output, number::EncodeOptions options,
          const Finisher<Arithmetic>& finisher)
      : stores_(path.sum && path.sum->stores() != nullptr ? &number::format(path.sum->stores()->format) : nullptr),
        output_(output),
        options_(options),
        finisher_(finisher),
        is_alone_(path.is_alone),
        is_finer_(output.precision() > accumulator().precision()) {}

  [[nodiscard]] bool stores() const noexcept { return stores_ != nullptr; }

  /// u_G S, which rule 2f adds to the bound, less what F64 errs by; 0 where no sum is stored, or where all may be
  /// exact.
  [[nodiscard]] double stores_of(const Known& known, double slack) const noexcept {
    if (stores_ == nullptr) return 0;
    const int precision = stores_->precision();
    const double magnitude = known.magnitude - slack;
    if (!(magnitude > std::ldexp(1.0, precision + known.lowest_bit))) return 0;
    return std::ldexp(magnitude, -precision);
  }

  /// At least what may underflow, or be flushed, where sums of slices are stored (sliced.hpp).
  [[nodiscard]] double underflow_of(const Known& known) const noexcept {
    if (stores_ == nullptr) return 0;
    const int least = finisher_.finish.flushes ? stores_->min_normal_exponent() : stores_->eta_exponent();
    return known.lowest_bit >= least ? 0 : std::ldexp(static_cast<double>(known.terms), least);
  }

  /// Whether `word` is certainly what a sum within `full` of s gives; `finishes`: alpha or C act on it.
  [[nodiscard]] Settled certainly(std::size_t i, std::uint64_t word, const Known& known, double full,
                                  bool finishes) const {
    if (!(full > 0) || (is_finer_ && !has_wider(i, known) && !is_of_accumulator(word))) return {};
    const double reach = 0.999 * full;
    if (finisher_.same_format && !finishes) {
      const double distance = std::fabs(number::to_double(output_, word) - known.sum);
      if (distance > reach) return {};
      return {true, std::min(1.0, distance / (2 * full))};
    }
    const auto inward = [&](double end, number::Rounding rounding) {
      return number::from_double(accumulator(), end, {.rounding = rounding});
    };
    const std::uint64_t low = inward(known.sum - reach, number::Rounding::Up);
    const std::uint64_t high = inward(known.sum + reach, number::Rounding::Down);
    // The inner interval must hold a number of the accumulator, else its rounded ends would lie outside it.
    if (number::ordinal(accumulator(), low) > number::ordinal(accumulator(), high)) return {};
    const auto value = [](std::uint64_t end) { return static_cast<Value>(number::to_double(accumulator(), end)); };
    const std::int64_t position = number::ordinal(output_, word);
    bool single = false;
    const auto holds = [&](Form form) {
      const Value bottom = finishes ? finisher_.finished(form, value(low), i) : value(low);
      const Value top = finishes ? finisher_.finished(form, value(high), i) : value(high);
      if (!std::isfinite(static_cast<double>(bottom)) || !std::isfinite(static_cast<double>(top))) return false;
      const auto onto = [&](Value end) { return number::from_double(output_, static_cast<double>(end), options_); };
      if (number::is_nan(output_, onto(bottom)) || number::is_nan(output_, onto(top))) return false;
      const auto [first, last] =
          std::minmax({number::ordinal(output_, onto(bottom)), number::ordinal(output_, onto(top))});
      single = first == last;
      return position >= first && position <= last;
    };
    if (!(finishes ? finisher_.any_form(holds) : holds(Form::Separate))) return {};
    return {true, single ? 0.0 : 0.5};
  }

  /// An infinity or NaN that some order, or some store, gives: P and N are (S +- s) / 2, and 2^(emax + 1) is above the
  /// threshold.
  [[nodiscard]] Settled overflown(const Known& known, double slack, double addend, std::uint64_t word) const noexcept {
    constexpr double kBeyond = power_of_two(number::format(Arithmetic::kFormat).max_exponent() + 1);
    const double least = stores_ != nullptr ? power_of_two(stores_->max_exponent() + 1) : kBeyond;
    const bool above = 0.5 * (known.magnitude + known.sum) - slack >= least;
    const bool below = 0.5 * (known.magnitude - known.sum) - slack >= least;
    // An addend that overflows as well would be an infinity of its own.
    if (std::fabs(addend) >= 0.5 * kBeyond) return {};
    const auto infinity = static_cast<Value>(finisher_.finish.alpha < 0 ? -HUGE_VAL : HUGE_VAL);
    const bool passes = (above && finisher_.is(infinity, word)) || (below && finisher_.is(-infinity, word)) ||
                        (above && below && finisher_.is(infinity - infinity, word));
    return {passes, 0};
  }

 private:
  /// Whether a wider accumulator certainly gives a number, so that numbers between those of this one are permitted too.
  [[nodiscard]] bool has_wider(std::size_t i, const Known& known) const noexcept {
    const double c = finisher_.finish.c.empty() ? 0 : finisher_.finish.beta * finisher_.finish.c[i];
    const double size = std::fabs(finisher_.finish.alpha) * known.magnitude + known.magnitude + std::fabs(c);
    return !is_alone_ && 8 * size < power_of_two(std::min(accumulator().max_exponent(), output_.max_exponent()));
  }

  /// Whether the number is one of the accumulator: without wider ones, every result is.
  [[nodiscard]] bool is_of_accumulator(std::uint64_t word) const noexcept {
    const double value = number::to_double(output_, word);
    return number::to_double(accumulator(), number::from_double(accumulator(), value, {})) == value;
  }

  const number::Format* stores_;  ///< of slices' sums; none: they are not stored
  const number::Format& output_;
  number::EncodeOptions options_;
  const Finisher<Arithmetic>& finisher_;
  bool is_alone_;  ///< no accumulator is permitted that gives every number of the output
  bool is_finer_;  ///< the output holds more numbers than the accumulator
};

}  // namespace negzero::oracle
