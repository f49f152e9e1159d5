// Decimal text of dyadic rationals, for messages.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

#include <negzero/exact/integer.hpp>

namespace negzero::exact {
namespace {

constexpr std::size_t kDigits = 17;

/// digits * 10^exponent, without zeros at the end.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

void strip(Decimal& decimal) {
  const std::size_t length = decimal.digits.find_last_not_of('0') + 1;
  decimal.exponent += static_cast<int>(decimal.digits.size() - length);
  decimal.digits.resize(length);
}

// Not Integer::str(): its source draws a false -Wrestrict from g++ 12.
std::string decimal_digits(Integer value) {
  const Integer chunk = 1'000'000'000'000'000'000;
  std::string digits;
  while (!value.is_zero()) {
    const std::string part = std::to_string(static_cast<std::uint64_t>(Integer(value % chunk)));
    value /= chunk;
    digits.insert(0, part);
    if (!value.is_zero()) digits.insert(0, 18 - part.size(), '0');
  }
  return digits;
}

// Every dyadic rational has a finite decimal: m * 2^-k = m * 5^k * 10^-k.
Decimal exact_decimal(const Integer& magnitude, int exponent) {
  Decimal decimal;
  if (exponent >= 0) {
    decimal.digits = decimal_digits(magnitude << exponent);
  } else {
    const Integer power = boost::multiprecision::pow(Integer(5), static_cast<unsigned>(-exponent));
    decimal.digits = decimal_digits(magnitude * power);
    decimal.exponent = exponent;
  }
  strip(decimal);
  return decimal;
}

void round_half_away(Decimal& decimal) {
  if (decimal.digits.size() <= kDigits) return;
  const bool up = decimal.digits[kDigits] >= '5';
  decimal.exponent += static_cast<int>(decimal.digits.size() - kDigits);
  decimal.digits.resize(kDigits);
  if (up) {
    const std::size_t nines = decimal.digits.find_last_not_of('9');
    if (nines == std::string::npos) {
      decimal.digits.assign(kDigits, '0');
      decimal.digits.insert(decimal.digits.begin(), '1');
    } else {
      ++decimal.digits[nines];
      std::fill(decimal.digits.begin() + static_cast<std::ptrdiff_t>(nines) + 1, decimal.digits.end(), '0');
    }
  }
  strip(decimal);
}

}  // namespace

std::string Dyadic::to_string() const {
  if (is_zero()) return "0";
  const Integer magnitude = boost::multiprecision::abs(mantissa(*this));
  Decimal decimal = exact_decimal(magnitude, exponent_);
  round_half_away(decimal);
  const std::string& digits = decimal.digits;
  // Exponent of the first digit; plain notation where a reader would write it plainly, as printf's %g does.
  const int first = decimal.exponent + static_cast<int>(digits.size()) - 1;
  std::string text(sign() < 0 ? 1 : 0, '-');
  if (first < -4 || first >= static_cast<int>(kDigits)) {
    text += digits[0];
    if (digits.size() > 1) text.append(1, '.').append(digits, 1);
    text.append(first < 0 ? "e-" : "e+").append(std::abs(first) < 10 ? 1 : 0, '0');
    return text.append(std::to_string(std::abs(first)));
  }
  if (first < 0) return text.append("0.").append(static_cast<std::size_t>(-first - 1), '0').append(digits);
  const auto whole = static_cast<std::size_t>(first) + 1;
  if (digits.size() <= whole) return text.append(digits).append(whole - digits.size(), '0');
  return text.append(digits, 0, whole).append(1, '.').append(digits, whole);
}

}  // namespace negzero::exact
