// Gathers terms and sums them exactly.

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {
namespace {

using contract::Multiplicand;
using contract::Subnormals;
using exact::Dyadic;
using number::FormatId;
using number::Rounding;

/// The window of the products that the terms hold.
exact::Window window_of(const exact::Factors& factors) {
  exact::Window window;
  bool found = false;
  for (std::size_t i = 0; i < factors.count; ++i) {
    if (factors.significand[i] == 0) continue;
    const std::int64_t value = factors.significand[i];
    const std::uint64_t magnitude =
        value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const int width = std::bit_width(magnitude);
    const int lowest = factors.exponent[i];
    window.lowest = found ? std::min(window.lowest, lowest) : lowest;
    window.highest = found ? std::max(window.highest, lowest + width) : lowest + width;
    window.significand_bits = std::max(window.significand_bits, width);
    found = true;
  }
  return window;
}

/// Whether no bit of a NaN's payload is among the fraction bits that `target`, of the same exponents, keeps.
bool loses_payload(const number::Format& format, std::uint64_t word, const number::Format& target) {
  const int dropped = format.fraction_bits - target.fraction_bits;
  const std::uint64_t fraction = word & ((std::uint64_t{1} << format.fraction_bits) - 1);
  return dropped > 0 && fraction >> dropped == 0;
}

}  // namespace

std::optional<MultiplicandRounding> multiplicand_rounding(Multiplicand multiplicand) {
  switch (multiplicand) {
    case Multiplicand::Exact:
      return std::nullopt;
    case Multiplicand::Tf32Truncate:
      return MultiplicandRounding{FormatId::TF32, Rounding::TowardZero};
    case Multiplicand::Tf32NearestAway:
      return MultiplicandRounding{FormatId::TF32, Rounding::NearestAway};
    case Multiplicand::Tf32NearestEven:
      return MultiplicandRounding{FormatId::TF32, Rounding::NearestEven};
    case Multiplicand::Bf16:
      return MultiplicandRounding{FormatId::BF16, Rounding::NearestEven};
    case Multiplicand::F16:
      return MultiplicandRounding{FormatId::F16, Rounding::NearestEven};
    case Multiplicand::Tf32Any:
    case Multiplicand::Tf32OrExact:
      break;
  }
  return std::nullopt;
}

Operand take_apart(const tensor::Tensor& tensor, Multiplicand multiplicand, FactorFlushing flushing) {
  return take_apart(tensor.format(), tensor.words(), multiplicand, flushing);
}

Operand take_apart(const number::Format& format, std::vector<std::uint64_t> words, Multiplicand multiplicand,
                   FactorFlushing flushing) {
  Operand operand;
  operand.flags.resize(words.size());
  const auto converted = multiplicand_rounding(multiplicand);
  const number::Format& target = converted ? number::format(converted->format) : format;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t& word = words[i];
    std::uint8_t& flags = operand.flags[i];
    if (number::is_negative(format, word)) flags |= kNegative;
    bool is_optional = converted && flushing.before != Subnormals::Keep && is_subnormal(format, word);
    const bool is_cut = converted && converted->rounding == Rounding::TowardZero && number::is_nan(format, word) &&
                        loses_payload(format, word, target);
    if (is_cut) flags |= kCutNan;
    if (converted) word = number::convert(format, word, target, {.rounding = converted->rounding});
    if (flushing.taken != Subnormals::Keep && is_subnormal(target, word)) {
      is_optional |= flushing.taken == Subnormals::Either;
      if (flushing.taken == Subnormals::Flush) word = number::zero(target, (flags & kNegative) != 0);
    }
    if (is_optional && !number::is_zero(target, word)) {
      flags |= kOptional;
      operand.any_optional = true;
    }
    if (number::is_nan(target, word)) {
      flags |= kNan;
    } else if (number::is_infinity(target, word)) {
      flags |= kInfinite;
    }
    if ((flags & (kNan | kInfinite)) != 0) {
      operand.any_special = true;
      word = number::zero(target);
    }
  }
  operand.significand.resize(words.size());
  operand.exponent.resize(words.size());
  operand.window = exact::take_apart(target, words, operand.significand.data(), operand.exponent.data());
  return operand;
}

void Terms::reserve(std::size_t count) {
  a_.reserve(count);
  b_.reserve(count);
  ea_.reserve(count);
  eb_.reserve(count);
  flags_.reserve(count);
}

void Terms::push(std::int64_t a, std::int32_t ea, std::uint8_t a_flags, std::int64_t b, std::int32_t eb,
                 std::uint8_t b_flags) {
  const bool negative = ((a_flags ^ b_flags) & kNegative) != 0;
  std::uint8_t flags = negative ? kNegative : 0;
  if (((a_flags | b_flags) & (kNan | kInfinite)) != 0) {
    const bool a_zero = a == 0 && (a_flags & kInfinite) == 0, b_zero = b == 0 && (b_flags & kInfinite) == 0;
    if (((a_flags | b_flags) & kNan) != 0 || a_zero || b_zero) {
      const auto is_certain = [](std::uint8_t flags_of_one, std::int64_t significand) {
        const bool is_zero = significand == 0 && (flags_of_one & (kNan | kInfinite)) == 0;
        return (flags_of_one & (kNan | kCutNan)) == kNan || is_zero;
      };
      flags |= is_certain(a_flags, a) || is_certain(b_flags, b) ? kNan | kCertainNan : kNan;
    } else {
      flags |= ((a_flags | b_flags) & kOptional) != 0 ? kInfinite | kMaybeNan : kInfinite;
    }
    a = b = 0;
  } else if (((a_flags | b_flags) & kOptional) != 0 && a != 0 && b != 0) {
    flags |= kOptional;
  }
  kinds_.add(flags);
  a_.push_back(a);
  b_.push_back(b);
  ea_.push_back(ea);
  eb_.push_back(eb);
  flags_.push_back(flags);
}

void Terms::push_product(const Operand& x, std::size_t i, const Operand& y, std::size_t j) {
  push(x.significand[i], x.exponent[i], x.flags[i], y.significand[j], y.exponent[j], y.flags[j]);
}

void Terms::push_value(const Operand& x, std::size_t i) {
  push(x.significand[i], x.exponent[i], x.flags[i], 1, 0, 0);
  flags_.back() |= kLoaded;
}

void Terms::push_product(const Real& x, const Real& y, bool optional, bool multiplies) {
  const auto flags = [](const Real& real) {
    return static_cast<std::uint8_t>((real.negative ? kNegative : 0) | (real.is_nan() ? kNan : 0) |
                                     (real.is_infinite() ? kInfinite : 0));
  };
  const auto significand = [](const Real& real) {
    std::uint64_t limb = 0;
    real.value.magnitude_limbs({&limb, 1});
    return real.value.sign() < 0 ? -static_cast<std::int64_t>(limb) : static_cast<std::int64_t>(limb);
  };
  const auto y_flags = static_cast<std::uint8_t>(flags(y) | (optional ? kOptional : 0));
  push(significand(x), x.value.exponent(), flags(x), significand(y), y.value.exponent(), y_flags);
  if (!multiplies && x.is_one()) flags_.back() |= kLoaded;
}

void Terms::push_term(const Terms& others, std::size_t i) {
  kinds_.add(others.flags_[i]);
  a_.push_back(others.a_[i]);
  b_.push_back(others.b_[i]);
  ea_.push_back(others.ea_[i]);
  eb_.push_back(others.eb_[i]);
  flags_.push_back(others.flags_[i]);
}

Terms Terms::slice(std::size_t begin, std::size_t end) const {
  Terms part;
  const auto copy = [&](const auto& from, auto& to) {
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end));
  };
  copy(a_, part.a_);
  copy(b_, part.b_);
  copy(ea_, part.ea_);
  copy(eb_, part.eb_);
  copy(flags_, part.flags_);
  for (const std::uint8_t flags : part.flags_) part.kinds_.add(flags);
  return part;
}

Terms Terms::scaled(int shift) const {
  Terms result = *this;
  for (std::int32_t& exponent : result.ea_) exponent += shift;
  return result;
}

void Terms::negate() {
  for (std::size_t i = 0; i < size(); ++i) {
    a_[i] = -a_[i];
    flags_[i] ^= kNegative;
  }
  kinds_.negate();
}

Dyadic Terms::value(std::size_t i) const { return Dyadic(a_[i], ea_[i]) * Dyadic(b_[i], eb_[i]); }

Real Terms::real(std::size_t i) const {
  const bool negative = (flags_[i] & kNegative) != 0;
  if ((flags_[i] & kInfinite) != 0) return {number::Class::Infinity, negative, {}};
  if (is_zero(i)) return {number::Class::Zero, negative, {}};
  return {number::Class::Normal, negative, value(i)};
}

void Facts::add(const Dyadic& value, bool optional) {
  const bool above = value.sign() > 0;
  if (above || !optional) sum_high += value;
  if (!above || !optional) sum_low += value;
  (above ? positive : negative) += value.abs();
  lowest_bit = nonzero == 0 ? value.lowest_bit() : std::min(lowest_bit, value.lowest_bit());
  ++nonzero;
}

Facts& Facts::operator+=(const Facts& more) {
  if (more.nonzero == 0) return *this;
  positive += more.positive;
  negative += more.negative;
  sum_low += more.sum_low;
  sum_high += more.sum_high;
  lowest_bit = nonzero == 0 ? more.lowest_bit : std::min(lowest_bit, more.lowest_bit);
  nonzero += more.nonzero;
  return *this;
}

Facts facts_of(const Terms& terms, std::size_t begin, std::size_t end, std::string_view forced) {
  const auto part = [&](const exact::Factors& all) {
    return exact::Factors{all.significand + begin, all.exponent + begin, end - begin};
  };
  Facts facts;
  exact::Factors a = part(terms.a());
  std::vector<std::int64_t> mandatory;
  if (terms.any_optional()) {
    mandatory.assign(a.significand, a.significand + a.count);
    for (std::size_t i = 0; i < a.count; ++i) {
      if ((terms.flags(begin + i) & kOptional) != 0) mandatory[i] = 0;
    }
    a.significand = mandatory.data();
  }
  const exact::Factors b = part(terms.b());
  const exact::Window window = exact::product_window(window_of(a), window_of(b), a.count);
  auto method = exact::choose(window, forced);
  if (!method.ok()) method = exact::choose(window);
  exact::ProductSum sum;
  (*method)->sum(a, b, window, sum);
  facts.positive = sum.positive;
  facts.negative = sum.negative;
  facts.nonzero = sum.nonzero;
  facts.lowest_bit = sum.lowest_bit;
  facts.sum_low = facts.sum_high = sum.sum();
  if (!terms.any_optional()) return facts;
  for (std::size_t i = begin; i < end; ++i) {
    if ((terms.flags(i) & kOptional) != 0) facts.add(terms.value(i), true);
  }
  return facts;
}

Facts facts_of(const Terms& terms, std::string_view forced) { return facts_of(terms, 0, terms.size(), forced); }

}  // namespace negzero::oracle
