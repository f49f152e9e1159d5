// The method for narrow windows: 128-bit fixed point at the scale of the window's lowest bit.

#include <bit>

#include <negzero/exact/methods.hpp>

namespace negzero::exact {
namespace {

using Wide = unsigned __int128;

Integer to_integer(Wide value) {
  return (Integer(static_cast<std::uint64_t>(value >> 64)) << 64) | Integer(static_cast<std::uint64_t>(value));
}

int trailing_zeros(Wide value) {
  const auto low = static_cast<std::uint64_t>(value);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(value >> 64));
}

class Fixed128 final : public Method {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "fixed128"; }

  // Each of at most `terms` products is below 2^(highest - lowest) units, so each sign's sum is below 2^128 units.
  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    const int terms_bits = window.terms <= 1 ? 0 : std::bit_width(window.terms - 1);
    return window.significand_bits <= 106 &&
           static_cast<std::int64_t>(window.highest) - window.lowest + terms_bits <= 128;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    Wide positive = 0, negative = 0, bits = 0;
    std::uint64_t nonzero = 0;
    for (std::size_t i = 0; i < a.count; ++i) {
      const __int128 product = static_cast<__int128>(a.significand[i]) * b.significand[i];
      if (product == 0) continue;
      const int shift = a.exponent[i] + b.exponent[i] - window.lowest;
      Wide magnitude = product < 0 ? -static_cast<Wide>(product) : static_cast<Wide>(product);
      // A product whose significand has trailing zeros may stand below the window's scale; those zeros are dropped.
      magnitude = shift >= 0 ? magnitude << shift : magnitude >> -shift;
      (product < 0 ? negative : positive) += magnitude;
      bits |= magnitude;
      ++nonzero;
    }
    result.positive = Dyadic(to_integer(positive), window.lowest);
    result.negative = Dyadic(to_integer(negative), window.lowest);
    result.nonzero = nonzero;
    result.lowest_bit = nonzero == 0 ? 0 : window.lowest + trailing_zeros(bits);
  }
};

}  // namespace

const Method& fixed128() noexcept {
  static const Fixed128 method;
  return method;
}

}  // namespace negzero::exact
