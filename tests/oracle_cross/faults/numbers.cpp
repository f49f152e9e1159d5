// Numbers in one form each.

#include "numbers.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace negzero::oracle_faults {

using number::FormatId;

namespace {

int trailing_zeros(Wide x) {
  const auto low = static_cast<std::uint64_t>(x);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(x >> 64));
}

auto key(const Number& x) { return std::tuple(x.kind, x.negative, x.exponent, x.significand); }

}  // namespace

Number reduced(Number x) {
  x.free_sign = false;
  if (x.kind != Number::Kind::Finite) {
    x.significand = 0;
    x.exponent = 0;
    return x;
  }
  if (x.significand == 0) return {};
  const int zeros = trailing_zeros(x.significand);
  x.significand >>= zeros;
  x.exponent += zeros;
  return x;
}

bool is_less(const Number& a, const Number& b) {
  Number minus = b;
  minus.negative = !minus.negative;
  const Number difference = add(a, minus);
  return !difference.is_zero() && difference.negative;
}

bool same(const Number& a, const Number& b) { return key(reduced(a)) == key(reduced(b)); }

bool is_kept_whole(const Number& x) {
  // A jammed sum has its top bit at 123 or above and its last bit set. Significands of F64 multiplied have 106 bits.
  constexpr int kMostBits = 106;
  return x.kind == Number::Kind::Finite && (x.significand >> kMostBits) == 0;
}

void tidy(Numbers& numbers) {
  for (Number& x : numbers) x = reduced(x);
  std::ranges::sort(numbers, {}, key);
  const auto rest = std::ranges::unique(numbers, {}, key);
  numbers.erase(rest.begin(), rest.end());
}

Number value_of(FormatId id, std::uint64_t word) { return small_format(id).decode(to_code(id, word)); }

Number rounded(const SmallFormat& format, const Number& x, Mode mode) {
  return format.decode(Rounder{format, mode}.round(x));
}

bool is_of(const SmallFormat& format, const Number& x) { return same(rounded(format, x), x); }

bool is_one(const Number& x) { return same(x, make_number(1)); }

std::optional<SmallFormat> narrower(FormatId id, const Number& x, std::size_t choice) {
  std::vector<FormatId> all;
  switch (id) {
    case FormatId::F64:
      all = {FormatId::F32};
      break;
    case FormatId::F32:
      all = {FormatId::TF32, FormatId::F16, FormatId::BF16};
      break;
    case FormatId::F16:
    case FormatId::BF16:
      all = {FormatId::F8_E5M2, FormatId::F8_E4M3};
      break;
    default:
      return std::nullopt;
  }
  std::vector<SmallFormat> fitting;
  for (const FormatId each : all) {
    const SmallFormat format = small_format(each);
    const Number in = rounded(format, x);
    const Code code = Rounder{format}.round(x);
    if (in.kind == Number::Kind::Finite && !format.is_subnormal(code)) fitting.push_back(format);
  }
  if (fitting.empty()) return std::nullopt;
  return fitting[choice % fitting.size()];
}

}  // namespace negzero::oracle_faults
