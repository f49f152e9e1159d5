// Arithmetic, comparison and rounding of dyadic rationals.

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include <negzero/exact/dyadic.hpp>

namespace negzero::exact {
namespace {

using boost::multiprecision::limb_type;
constexpr int kLimbBits = std::numeric_limits<limb_type>::digits;

// Boost's msb and lsb throw on negative numbers; the limbs of a signed magnitude can be asked whatever the sign.
int highest_set_bit(const Integer& value) {
  const int last = static_cast<int>(value.backend().size()) - 1;
  return last * kLimbBits + std::bit_width(value.backend().limbs()[last]) - 1;
}

int lowest_set_bit(const Integer& value) {
  int i = 0;
  while (value.backend().limbs()[i] == 0) ++i;
  return i * kLimbBits + std::countr_zero(value.backend().limbs()[i]);
}

Integer magnitude(const Integer& value) { return value.sign() < 0 ? Integer(-value) : value; }

}  // namespace

Dyadic Dyadic::from_encoding(const number::Format& format, std::uint64_t word) {
  const number::Decoded value = number::decode(format, word);
  assert(value.is_finite());
  Integer mantissa = value.significand;
  if (value.negative) mantissa = -mantissa;
  return Dyadic(std::move(mantissa), value.significand == 0 ? 0 : value.exponent);
}

Dyadic Dyadic::from_double(double value) {
  return from_encoding(number::format(number::FormatId::F64), std::bit_cast<std::uint64_t>(value));
}

int Dyadic::floor_log2() const {
  assert(!is_zero());
  return highest_set_bit(mantissa_) + exponent_;
}

int Dyadic::lowest_bit() const {
  assert(!is_zero());
  return lowest_set_bit(mantissa_) + exponent_;
}

Dyadic Dyadic::operator-() const { return Dyadic(Integer(-mantissa_), exponent_); }

Dyadic Dyadic::abs() const { return Dyadic(magnitude(mantissa_), exponent_); }

Dyadic Dyadic::scaled(int shift) const { return Dyadic(mantissa_, exponent_ + shift); }

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const int exponent = std::min(a.exponent_, b.exponent_);
  if (a.exponent_ == b.exponent_) return Dyadic(Integer(a.mantissa_ + b.mantissa_), exponent);
  if (a.exponent_ > exponent) return Dyadic(Integer((a.mantissa_ << (a.exponent_ - exponent)) + b.mantissa_), exponent);
  return Dyadic(Integer(a.mantissa_ + (b.mantissa_ << (b.exponent_ - exponent))), exponent);
}

Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero() || b.is_zero()) return {};
  return Dyadic(Integer(a.mantissa_ * b.mantissa_), a.exponent_ + b.exponent_);
}

std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  if (a.sign() != b.sign() || a.is_zero()) return a.sign() <=> b.sign();
  if (const int x = a.floor_log2(), y = b.floor_log2(); x != y) return a.sign() > 0 ? x <=> y : y <=> x;
  const int exponent = std::min(a.exponent_, b.exponent_);
  const int order =
      Integer(a.mantissa_ << (a.exponent_ - exponent)).compare(Integer(b.mantissa_ << (b.exponent_ - exponent)));
  return order <=> 0;
}

std::uint64_t Dyadic::round_to(const number::Format& format, const number::EncodeOptions& options) const {
  const bool negative = sign() < 0;
  Integer rest = magnitude(mantissa_);
  // Wrapping keeps the low bits, not the top ones: what weighs 2^40 or more changes neither the result nor a rounding.
  if (format.is_integer() && options.overflow != number::Overflow::Saturate) {
    const int keep = 40 - exponent_;
    if (keep <= 0) {
      rest = 0;
    } else if (!rest.is_zero() && highest_set_bit(rest) >= keep) {
      rest -= Integer(rest >> keep) << keep;
    }
  }
  if (rest.is_zero()) return number::encode(format, negative, 0, 0, false, options);
  const int excess = highest_set_bit(rest) - 63;
  if (excess <= 0) {
    return number::encode(format, negative, static_cast<std::uint64_t>(rest), exponent_, false, options);
  }
  // 64 bits and one that stands for everything below are enough to round once: every format has fewer than 62.
  const auto top = static_cast<std::uint64_t>(Integer(rest >> excess));
  return number::encode(format, negative, top, exponent_ + excess, lowest_set_bit(rest) < excess, options);
}

double Dyadic::approximate() const { return std::bit_cast<double>(round_to(number::format(number::FormatId::F64))); }

std::string Dyadic::to_string() const {
  if (is_zero()) return "0";
  // m * 2^e = m * 5^-e * 10^e when e < 0: every dyadic rational has a finite decimal.
  Integer digits_value = magnitude(mantissa_);
  int point = 0;
  if (exponent_ >= 0) {
    digits_value <<= exponent_;
  } else {
    digits_value *= boost::multiprecision::pow(Integer(5), static_cast<unsigned>(-exponent_));
    point = exponent_;
  }
  std::string digits = digits_value.str();
  constexpr std::size_t kDigits = 17;
  if (digits.size() > kDigits) {
    point += static_cast<int>(digits.size() - kDigits);
    const bool up = digits[kDigits] >= '5';
    digits.resize(kDigits);
    for (std::size_t i = kDigits; up && i-- > 0;) {
      if (digits[i] != '9') {
        ++digits[i];
        break;
      }
      digits[i] = '0';
      if (i == 0) {
        digits.insert(digits.begin(), '1');
      }
    }
  }
  const std::size_t last = digits.find_last_not_of('0');
  point += static_cast<int>(digits.size() - 1 - last);
  digits.resize(last + 1);
  const int exponent10 = point + static_cast<int>(digits.size()) - 1;
  std::string text = sign() < 0 ? "-" : "";
  if (exponent10 >= -5 && exponent10 < 17) {
    if (exponent10 < 0) return text + "0." + std::string(static_cast<std::size_t>(-exponent10 - 1), '0') + digits;
    const auto whole = static_cast<std::size_t>(exponent10) + 1;
    if (digits.size() <= whole) return text + digits + std::string(whole - digits.size(), '0');
    return text + digits.substr(0, whole) + '.' + digits.substr(whole);
  }
  text += digits[0];
  if (digits.size() > 1) text += '.' + digits.substr(1);
  return text + 'e' + (exponent10 < 0 ? '-' : '+') + (std::abs(exponent10) < 10 ? "0" : "") +
         std::to_string(std::abs(exponent10));
}

}  // namespace negzero::exact
