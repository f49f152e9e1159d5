// The method for narrow windows: fixed point at the scale of the window's lowest bit, in 64 or 128 bits.

#include <bit>
#include <type_traits>

#include <negzero/exact/methods.hpp>

namespace negzero::exact {
namespace {

using Wide = unsigned __int128;

int trailing_zeros(Wide value) {
  const auto low = static_cast<std::uint64_t>(value);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(value >> 64));
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

// `Product` holds a signed product of two significands; `Sum` the sum of all magnitudes. The sign becomes a mask,
// because signs are as good as random and a branch on them would be mispredicted half of the time.
template <typename Product, typename Sum>
void sum_fixed(const Factors& a, const Factors& b, const Window& window, ProductSum& result) {
  constexpr int kSignShift = static_cast<int>(sizeof(Product)) * 8 - 1;
  using Magnitude = std::conditional_t<sizeof(Product) == 8, std::uint64_t, Wide>;
  Sum positive = 0, total = 0, bits = 0;
  std::uint64_t zeros = 0;
  const int lowest = window.lowest;
  for (std::size_t i = 0; i < a.count; ++i) {
    const Product product = static_cast<Product>(a.significand[i]) * b.significand[i];
    const Product sign = product >> kSignShift;
    const auto magnitude = static_cast<Magnitude>((product ^ sign) - sign);
    const int shift = a.exponent[i] + b.exponent[i] - lowest;
    zeros += product == 0;
    Sum units;
    if (shift >= 0) [[likely]] {
      // A zero has any exponent: the mask keeps the shift defined, and changes no other, because those fit into Sum.
      units = static_cast<Sum>(magnitude) << (static_cast<unsigned>(shift) & (sizeof(Sum) * 8 - 1));
    } else {
      // A product whose significand has trailing zeros may stand below the window's scale; those zeros are dropped.
      units = shift > -128 ? static_cast<Sum>(static_cast<Wide>(magnitude) >> -shift) : 0;
    }
    total += units;
    positive += units & ~static_cast<Sum>(sign);
    bits |= units;
  }
  result.positive = to_dyadic(positive, lowest);
  result.negative = to_dyadic(total - positive, lowest);
  result.nonzero = a.count - zeros;
  result.lowest_bit = bits == 0 ? 0 : lowest + trailing_zeros(bits);
}

class Fixed128 final : public Method {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "fixed128"; }

  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    return window.significand_bits <= 106 && sum_bits(window) <= 128;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    if (window.significand_bits > 63) return sum_fixed<__int128, Wide>(a, b, window, result);
    if (sum_bits(window) > 64) return sum_fixed<std::int64_t, Wide>(a, b, window, result);
    sum_fixed<std::int64_t, std::uint64_t>(a, b, window, result);
  }
};

}  // namespace

const Method& fixed128() noexcept {
  static const Fixed128 method;
  return method;
}

}  // namespace negzero::exact
