// Arithmetic, comparison and rounding of dyadic rationals.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>

#include <negzero/exact/dyadic.hpp>
#include <negzero/exact/wide.hpp>

namespace negzero::exact {
namespace {

constexpr int kInlineBits = 127;

Wide magnitude_of(__int128 value) { return value < 0 ? -static_cast<Wide>(value) : static_cast<Wide>(value); }

__int128 with_sign(bool negative, Wide magnitude) { return static_cast<__int128>(negative ? -magnitude : magnitude); }

// Most mantissas: a sum of two, one of them shifted by up to kShortShift, and a product of two need no look at widths.
constexpr int kShortShift = 62;
bool is_short(__int128 mantissa) { return mantissa == static_cast<std::int64_t>(mantissa); }

int width_of(const std::uint64_t* limbs, int size) { return (size - 1) * kLimbBits + std::bit_width(limbs[size - 1]); }

}  // namespace

/// A magnitude times 2^shift, read limb by limb: a sum of two needs no shifted copies.
struct Dyadic::View {
  std::uint64_t inline_limbs[2];
  const std::uint64_t* limbs;
  int size;
  int shift = 0;

  explicit View(const Dyadic& value) {
    if (value.limbs_) {
      limbs = value.limbs_.get();
      size = value.size_;
      return;
    }
    const Wide magnitude = magnitude_of(value.mantissa_);
    inline_limbs[0] = static_cast<std::uint64_t>(magnitude);
    inline_limbs[1] = static_cast<std::uint64_t>(magnitude >> kLimbBits);
    limbs = inline_limbs;
    size = inline_limbs[1] != 0 ? 2 : inline_limbs[0] != 0 ? 1 : 0;
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // Limb `i` of the unshifted magnitude, which has zeros on both sides.
  [[nodiscard]] std::uint64_t plain(int i) const { return i >= 0 && i < size ? limbs[i] : 0; }
  // Limb `i` of magnitude * 2^shift.
  [[nodiscard]] std::uint64_t at(int i) const {
    const int skip = shift / kLimbBits, bits = shift % kLimbBits;
    const std::uint64_t high = plain(i - skip);
    return bits == 0 ? high : (high << bits) | (plain(i - skip - 1) >> (kLimbBits - bits));
  }
  // Number of limbs that magnitude * 2^shift needs.
  [[nodiscard]] int shifted_size() const {
    return size == 0 ? 0 : (width_of(limbs, size) + shift + kLimbBits - 1) / kLimbBits;
  }
  // Bits [low, low + 64) of the unshifted magnitude.
  [[nodiscard]] std::uint64_t window(int low) const {
    const int skip = low / kLimbBits, bits = low % kLimbBits;
    const std::uint64_t first = plain(skip);
    return bits == 0 ? first : (first >> bits) | (plain(skip + 1) << (kLimbBits - bits));
  }
};

Dyadic::Dyadic(const Dyadic& other) : mantissa_(other.mantissa_), size_(other.size_), exponent_(other.exponent_) {
  if (size_ == 0) return;
  limbs_ = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(size_));
  std::copy_n(other.limbs_.get(), size_, limbs_.get());
}

Dyadic& Dyadic::operator=(const Dyadic& other) {
  if (this == &other) return *this;
  if (other.size_ == 0) {
    mantissa_ = other.mantissa_;
    exponent_ = other.exponent_;
    size_ = 0;
    limbs_.reset();
    return *this;
  }
  return *this = Dyadic(other);
}

// Takes a magnitude with zeros at either end: the upper ones go, and so does the heap where the inline mantissa is
// enough.
Dyadic Dyadic::adopt(bool negative, std::unique_ptr<std::uint64_t[]> limbs, int size, int exponent) {
  while (size > 0 && limbs[size - 1] == 0) --size;
  int first = 0;
  while (first < size && limbs[first] == 0) ++first;
  if (size - first <= 2) {
    const std::uint64_t low = first < size ? limbs[first] : 0;
    const std::uint64_t high = first + 1 < size ? limbs[first + 1] : 0;
    if (high >> (kLimbBits - 1) == 0) {
      Dyadic value;
      value.mantissa_ = with_sign(negative, Wide{high} << kLimbBits | low);
      value.exponent_ = value.mantissa_ == 0 ? 0 : exponent + first * kLimbBits;
      return value;
    }
  }
  Dyadic value;
  value.mantissa_ = negative ? -1 : 1;
  value.limbs_ = std::move(limbs);
  value.size_ = size;
  value.exponent_ = exponent;
  return value;
}

Dyadic Dyadic::from_words(bool negative, std::uint64_t high, std::uint64_t low, int exponent) {
  if (high >> (kLimbBits - 1) != 0) return from_limbs(negative, std::array{low, high}, exponent);
  Dyadic value;
  value.mantissa_ = with_sign(negative, Wide{high} << kLimbBits | low);
  value.exponent_ = exponent;
  return value;
}

Dyadic Dyadic::from_limbs(bool negative, std::span<const std::uint64_t> limbs, int exponent) {
  while (!limbs.empty() && limbs.back() == 0) limbs = limbs.first(limbs.size() - 1);
  while (!limbs.empty() && limbs.front() == 0) {
    limbs = limbs.subspan(1);
    exponent += kLimbBits;
  }
  if (limbs.empty()) return {};
  if (limbs.size() == 1) return from_words(negative, 0, limbs[0], exponent);
  if (limbs.size() == 2 && limbs[1] >> (kLimbBits - 1) == 0) return from_words(negative, limbs[1], limbs[0], exponent);
  auto copy = std::make_unique_for_overwrite<std::uint64_t[]>(limbs.size());
  std::copy(limbs.begin(), limbs.end(), copy.get());
  Dyadic value;
  value.mantissa_ = negative ? -1 : 1;
  value.limbs_ = std::move(copy);
  value.size_ = static_cast<std::int32_t>(limbs.size());
  value.exponent_ = exponent;
  return value;
}

Dyadic Dyadic::from_encoding(const number::Format& format, std::uint64_t word) {
  const number::Decoded value = number::decode(format, word);
  assert(value.is_finite());
  return from_words(value.negative, 0, value.significand, value.exponent);
}

Dyadic Dyadic::from_double(double value) {
  return from_encoding(number::format(number::FormatId::F64), std::bit_cast<std::uint64_t>(value));
}

int Dyadic::floor_log2() const {
  assert(!is_zero());
  return exponent_ + (limbs_ ? width_of(limbs_.get(), size_) : bit_width(magnitude_of(mantissa_))) - 1;
}

int Dyadic::lowest_bit() const {
  assert(!is_zero());
  if (!limbs_) return exponent_ + trailing_zeros(magnitude_of(mantissa_));
  int i = 0;
  while (limbs_[i] == 0) ++i;
  return exponent_ + i * kLimbBits + std::countr_zero(limbs_[i]);
}

Dyadic Dyadic::operator-() const {
  Dyadic result = *this;
  result.mantissa_ = -result.mantissa_;
  return result;
}

Dyadic Dyadic::abs() const { return sign() < 0 ? -*this : *this; }

Dyadic Dyadic::scaled(int shift) const {
  Dyadic result = *this;
  result.exponent_ += shift;
  return result;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) { return Dyadic::add(a, b, false); }
Dyadic operator-(const Dyadic& a, const Dyadic& b) { return Dyadic::add(a, b, true); }

Dyadic Dyadic::add(const Dyadic& a, const Dyadic& b, bool subtract) {
  if (b.is_zero()) return a;
  if (a.is_zero()) return subtract ? -b : b;
  if (a.limbs_ || b.limbs_) return add_long(a, b, subtract);
  // Inline where the operand of the higher exponent, shifted down to the lower one, leaves a bit for the sum.
  const bool a_higher = a.exponent_ > b.exponent_;
  const Dyadic& upper = a_higher ? a : b;
  const Dyadic& lower = a_higher ? b : a;
  const int shift = upper.exponent_ - lower.exponent_;
  if (shift > kShortShift || !is_short(a.mantissa_) || !is_short(b.mantissa_)) {
    const int upper_width = bit_width(magnitude_of(upper.mantissa_)) + shift;
    if (std::max(upper_width, bit_width(magnitude_of(lower.mantissa_))) >= kInlineBits) return add_long(a, b, subtract);
  }
  const auto shifted = static_cast<__int128>(static_cast<Wide>(upper.mantissa_) << shift);
  const __int128 left = a_higher ? shifted : a.mantissa_;
  const __int128 right = a_higher ? b.mantissa_ : shifted;
  Dyadic result;
  result.mantissa_ = subtract ? left - right : left + right;
  result.exponent_ = lower.exponent_;
  return result;
}

Dyadic Dyadic::add_long(const Dyadic& a, const Dyadic& b, bool subtract) {
  View x(a), y(b);
  const int exponent = std::min(a.exponent_, b.exponent_);
  x.shift = a.exponent_ - exponent;
  y.shift = b.exponent_ - exponent;
  const int size = std::max(x.shifted_size(), y.shifted_size()) + 1;
  auto limbs = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(size));
  const bool a_negative = a.mantissa_ < 0, b_negative = (b.mantissa_ < 0) != subtract;
  if (a_negative == b_negative) {
    Wide carry = 0;
    for (int i = 0; i < size; ++i) {
      carry += static_cast<Wide>(x.at(i)) + y.at(i);
      limbs[i] = static_cast<std::uint64_t>(carry);
      carry >>= kLimbBits;
    }
    return adopt(a_negative, std::move(limbs), size, exponent);
  }
  std::uint64_t borrow = 0;
  for (int i = 0; i < size; ++i) {
    const Wide difference = static_cast<Wide>(x.at(i)) - y.at(i) - borrow;
    limbs[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> kLimbBits) & 1;
  }
  if (borrow == 0) return adopt(a_negative, std::move(limbs), size, exponent);
  // |a| < |b|: the limbs hold the two's complement of the magnitude.
  std::uint64_t increment = 1;
  for (int i = 0; i < size; ++i) {
    limbs[i] = ~limbs[i] + increment;
    if (limbs[i] != 0) increment = 0;
  }
  return adopt(b_negative, std::move(limbs), size, exponent);
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero() || b.is_zero()) return {};
  const bool negative = (a.mantissa_ < 0) != (b.mantissa_ < 0);
  const int exponent = a.exponent_ + b.exponent_;
  if (!a.limbs_ && !b.limbs_) {
    if (is_short(a.mantissa_) && is_short(b.mantissa_)) {
      Dyadic result;
      result.mantissa_ = a.mantissa_ * b.mantissa_;
      result.exponent_ = exponent;
      return result;
    }
    const Wide x = magnitude_of(a.mantissa_), y = magnitude_of(b.mantissa_);
    if (bit_width(x) + bit_width(y) <= kInlineBits) {
      Dyadic result;
      result.mantissa_ = with_sign(negative, x * y);
      result.exponent_ = exponent;
      return result;
    }
  }
  const Dyadic::View x(a), y(b);
  const int size = x.size + y.size;
  auto limbs = std::make_unique<std::uint64_t[]>(static_cast<std::size_t>(size));
  for (int i = 0; i < x.size; ++i) {
    Wide carry = 0;
    for (int j = 0; j < y.size; ++j) {
      carry += static_cast<Wide>(x.limbs[i]) * y.limbs[j] + limbs[i + j];
      limbs[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= kLimbBits;
    }
    limbs[i + y.size] = static_cast<std::uint64_t>(carry);
  }
  return Dyadic::adopt(negative, std::move(limbs), size, exponent);
}

std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  if (a.sign() != b.sign() || a.is_zero()) return a.sign() <=> b.sign();
  if (!a.limbs_ && !b.limbs_) {
    const int shift = a.exponent_ - b.exponent_;
    if (shift == 0) return a.mantissa_ <=> b.mantissa_;
    if (std::abs(shift) <= kShortShift && is_short(a.mantissa_) && is_short(b.mantissa_)) {
      return shift > 0 ? a.mantissa_ << shift <=> b.mantissa_ : a.mantissa_ <=> b.mantissa_ << -shift;
    }
  }
  const int a_log2 = a.floor_log2(), b_log2 = b.floor_log2();
  std::strong_ordering order = a_log2 <=> b_log2;
  if (order == 0) {
    Dyadic::View x(a), y(b);
    const int exponent = std::min(a.exponent_, b.exponent_);
    x.shift = a.exponent_ - exponent;
    y.shift = b.exponent_ - exponent;
    for (int i = x.shifted_size() - 1; i >= 0 && order == 0; --i) order = x.at(i) <=> y.at(i);
  }
  return a.sign() > 0 ? order : 0 <=> order;
}

std::uint64_t Dyadic::round_to(const number::Format& format, const number::EncodeOptions& options) const {
  const bool negative = mantissa_ < 0;
  if (is_zero()) return number::encode(format, false, 0, 0, false, options);
  const View magnitude(*this);
  const int top = width_of(magnitude.limbs, magnitude.size);
  if (format.is_integer()) {
    if (options.overflow == number::Overflow::Saturate && top + exponent_ > format.precision()) {
      return number::max_finite(format, negative);
    }
    // The bits above the point that wrapping keeps, the one below it, and one for the rest.
    const int point = -exponent_;
    const std::uint64_t whole = point >= 0           ? magnitude.window(point)
                                : point > -kLimbBits ? magnitude.window(0) << -point
                                                     : 0;
    const bool half = point > 0 && (magnitude.window(point - 1) & 1) != 0;
    const bool rest = point > 0 && lowest_bit() - exponent_ < point - 1;
    const std::uint64_t last = (whole & 1) << 2 | std::uint64_t{half} << 1 | std::uint64_t{rest};
    const std::uint64_t rounded = number::detail::round_shift(last, 2, false, negative, options.rounding);
    return number::encode(format, negative, whole - (whole & 1) + rounded, 0, false, options);
  }
  // 64 bits and one that stands for everything below are enough to round once: every format has fewer than 62.
  const int low = std::max(top - kLimbBits, 0);
  return number::encode(format, negative, magnitude.window(low), exponent_ + low, lowest_bit() - exponent_ < low,
                        options);
}

double Dyadic::approximate() const { return std::bit_cast<double>(round_to(number::format(number::FormatId::F64))); }

std::size_t Dyadic::magnitude_limbs(std::span<std::uint64_t> limbs) const {
  const View magnitude(*this);
  const auto size = static_cast<std::size_t>(magnitude.size);
  if (limbs.size() >= size) std::copy_n(magnitude.limbs, size, limbs.begin());
  return size;
}

}  // namespace negzero::exact
