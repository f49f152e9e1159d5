// The method for narrow windows: fixed point at the scale of the window's lowest bit, in 64 or 128 bits.

#include <bit>

#include <negzero/exact/methods.hpp>
#include <negzero/exact/wide.hpp>

namespace negzero::exact {
namespace {

constexpr std::uint64_t kLow32 = 0xffffffff;
// Halves of 32 bits are summed in 64.
constexpr std::uint64_t kMaxTerms = std::uint64_t{1} << 32;
// Terms from which folding the lanes of a vector is repaid; measured.
constexpr std::size_t kVectorTerms = 16;

/// What a loop finds: units of 2^window.lowest, and the bitwise or of all magnitudes, whose lowest one is g.
struct Units {
  Wide positive = 0, total = 0, bits = 0;
  std::uint64_t zeros = 0;
  bool below = false;  ///< a product's exponent lies below the window: nothing else here holds
};

// The vector loops have no branches: signs and zeros are as good as random, and vectors have none. A sign becomes a
// mask. A zero may have any exponent, so shifts are masked to stay defined; no other term's shift changes by that.

// Products below 2^63, sums of magnitudes below 2^64.
[[gnu::always_inline]] inline Units sum_64(Factors a, Factors b, std::int64_t lowest) {
  std::uint64_t positive = 0, total = 0, bits = 0, zeros = 0;
  std::int64_t below = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const std::int64_t product = a.significand[i] * b.significand[i];
    const std::int64_t sign = product >> 63;
    const auto magnitude = static_cast<std::uint64_t>((product ^ sign) - sign);
    const std::int64_t shift = std::int64_t{a.exponent[i]} + b.exponent[i] - lowest;
    below |= product == 0 ? 0 : shift;
    zeros += product == 0;
    const std::uint64_t units = magnitude << (shift & 63);
    total += units;
    positive += units & ~static_cast<std::uint64_t>(sign);
    bits |= units;
  }
  return {positive, total, bits, zeros, below < 0};
}

/// A sum of 128-bit numbers without carries between lanes: the low word in halves.
struct SplitSum {
  std::uint64_t low = 0, middle = 0, high = 0;

  [[gnu::always_inline]] void add(std::uint64_t low_word, std::uint64_t high_word) {
    low += low_word & kLow32;
    middle += low_word >> 32;
    high += high_word;
  }
  [[nodiscard]] Wide value() const { return low + (static_cast<Wide>(middle) << 32) + (static_cast<Wide>(high) << 64); }
};

// Products below 2^63, sums of magnitudes below 2^128.
[[gnu::always_inline]] inline Units sum_128(Factors a, Factors b, std::int64_t lowest) {
  SplitSum positive, total;
  std::uint64_t low_bits = 0, high_bits = 0, zeros = 0;
  std::int64_t below = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const std::int64_t product = a.significand[i] * b.significand[i];
    const std::int64_t sign = product >> 63;
    const auto magnitude = static_cast<std::uint64_t>((product ^ sign) - sign);
    const std::int64_t shift = std::int64_t{a.exponent[i]} + b.exponent[i] - lowest;
    below |= product == 0 ? 0 : shift;
    zeros += product == 0;
    const std::uint64_t rotated = magnitude << (shift & 63);
    const bool far = shift >= 64;
    const std::uint64_t low = far ? 0 : rotated;
    const std::uint64_t high = far ? rotated : magnitude >> 1 >> (63 - (shift & 63));
    const auto keep = ~static_cast<std::uint64_t>(sign);
    total.add(low, high);
    positive.add(low & keep, high & keep);
    low_bits |= low;
    high_bits |= high;
  }
  return {positive.value(), total.value(), static_cast<Wide>(high_bits) << 64 | low_bits, zeros, below < 0};
}

// One term at a time: for few terms, for products that fit no vector lane, and for exponents below the window: a
// product whose significand has trailing zeros may stand there, and those zeros are dropped.
template <typename Product, typename Sum>
Units sum_one_by_one(const Factors& a, const Factors& b, int lowest) {
  Sum positive = 0, total = 0, bits = 0;
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const Product product = static_cast<Product>(a.significand[i]) * b.significand[i];
    if (product == 0) {
      ++zeros;
      continue;
    }
    const Product sign = product >> (sizeof(Product) * 8 - 1);
    const auto magnitude = static_cast<Wide>((product ^ sign) - sign);
    const int shift = a.exponent[i] + b.exponent[i] - lowest;
    const Sum units = shift >= 0 ? static_cast<Sum>(magnitude) << shift : static_cast<Sum>(magnitude >> -shift);
    total += units;
    positive += units & ~static_cast<Sum>(sign);
    bits |= units;
  }
  return {positive, total, bits, zeros, false};
}

Dyadic to_dyadic(Wide value, int exponent) {
  return Dyadic::from_words(false, static_cast<std::uint64_t>(value >> 64), static_cast<std::uint64_t>(value),
                            exponent);
}

// Bits that the sum of all magnitudes can need, in units of 2^lowest: it is below terms * 2^(highest - lowest).
std::int64_t sum_bits(const Window& window) {
  const int terms_bits = window.terms <= 1 ? 0 : std::bit_width(window.terms - 1);
  return static_cast<std::int64_t>(window.highest) - window.lowest + terms_bits;
}

class Fixed128 final : public Method {
 public:
  explicit Fixed128(Level level) : level_(level) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "fixed128"; }

  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    return window.significand_bits <= 106 && window.terms <= kMaxTerms && sum_bits(window) <= 128;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    Units units = loop(a, b, window);
    if (units.below) units = sum_one_by_one<__int128, Wide>(a, b, window.lowest);
    result.positive = to_dyadic(units.positive, window.lowest);
    result.negative = to_dyadic(units.total - units.positive, window.lowest);
    result.nonzero = a.count - units.zeros;
    result.lowest_bit = units.bits == 0 ? 0 : window.lowest + trailing_zeros(units.bits);
  }

 private:
  [[nodiscard]] Units loop(const Factors& a, const Factors& b, const Window& window) const {
    if (window.significand_bits > 63) return sum_one_by_one<__int128, Wide>(a, b, window.lowest);
    const bool narrow = sum_bits(window) <= 64;
    if (level_ == Level::Plain || a.count < kVectorTerms) {
      return narrow ? sum_one_by_one<std::int64_t, std::uint64_t>(a, b, window.lowest)
                    : sum_one_by_one<std::int64_t, Wide>(a, b, window.lowest);
    }
    const std::int64_t lowest = window.lowest;
    return narrow ? run_at<sum_64>(level_, a, b, lowest) : run_at<sum_128>(level_, a, b, lowest);
  }

  Level level_;
};

}  // namespace

const Method& fixed128(Level level) noexcept {
  static const std::array<Fixed128, 3> by_level = {Fixed128(Level::Plain), Fixed128(Level::Avx2),
                                                   Fixed128(Level::Avx512)};
  return by_level[static_cast<std::size_t>(level)];
}

}  // namespace negzero::exact
