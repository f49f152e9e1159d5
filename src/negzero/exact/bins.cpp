// The method for wide windows: products cut into 32-bit parts, each added to a 64-bit bin, carried once at the end.

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include <negzero/exact/methods.hpp>

namespace negzero::exact {
namespace {

using Wide = unsigned __int128;

constexpr int kBinBits = 32;
// The widest window of all formats is that of F64: products from 2^-2148 to below 2^2048.
constexpr int kMaxWindow = 4224;
// A product of 106 bits, shifted by up to 31, touches five parts.
constexpr int kBins = kMaxWindow / kBinBits + 5;

Integer fold(const std::array<std::uint64_t, kBins>& bins, int low, int high) {
  std::vector<std::uint32_t> digits;
  Wide carry = 0;
  for (int i = low; i <= high || carry != 0; ++i) {
    if (i <= high) carry += bins[i];
    digits.push_back(static_cast<std::uint32_t>(carry));
    carry >>= kBinBits;
  }
  Integer value = 0;
  if (digits.empty()) return value;
  boost::multiprecision::import_bits(value, digits.begin(), digits.end(), kBinBits, false);
  return value;
}

class Bins final : public Method {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "bins"; }

  // A bin takes at most one part below 2^32 a term, so 2^32 terms cannot overflow it.
  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    return window.significand_bits <= 106 && window.terms <= (std::uint64_t{1} << 32) &&
           static_cast<std::int64_t>(window.highest) - window.lowest <= kMaxWindow;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    std::array<std::uint64_t, kBins> bins[2];
    const int used = (window.highest - window.lowest) / kBinBits + 5;
    std::fill_n(bins[0].begin(), used, 0);
    std::fill_n(bins[1].begin(), used, 0);
    int low = kBins, high = -1, lowest_bit = 0;
    std::uint64_t nonzero = 0;
    for (std::size_t i = 0; i < a.count; ++i) {
      const __int128 product = static_cast<__int128>(a.significand[i]) * b.significand[i];
      if (product == 0) continue;
      Wide magnitude = product < 0 ? -static_cast<Wide>(product) : static_cast<Wide>(product);
      const auto low_half = static_cast<std::uint64_t>(magnitude);
      const int zeros = low_half != 0 ? std::countr_zero(low_half)
                                      : 64 + std::countr_zero(static_cast<std::uint64_t>(magnitude >> 64));
      int exponent = a.exponent[i] + b.exponent[i] - window.lowest;
      lowest_bit = nonzero == 0 ? exponent + zeros : std::min(lowest_bit, exponent + zeros);
      ++nonzero;
      // A product whose significand has trailing zeros may stand below the window's scale; those zeros are dropped.
      if (exponent < 0) {
        magnitude >>= -exponent;
        exponent = 0;
      }
      int index = exponent / kBinBits;
      const int shift = exponent % kBinBits;
      low = std::min(low, index);
      std::uint64_t* bin = bins[product < 0].data();
      // The first part is taken apart from the rest, because 106 + 31 bits do not fit into 128.
      bin[index++] += static_cast<std::uint32_t>(magnitude << shift);
      for (magnitude >>= kBinBits - shift; magnitude != 0; magnitude >>= kBinBits) {
        bin[index++] += static_cast<std::uint32_t>(magnitude);
      }
      high = std::max(high, index - 1);
    }
    const int scale = nonzero == 0 ? 0 : window.lowest + low * kBinBits;
    result.positive = Dyadic(fold(bins[0], low, high), scale);
    result.negative = Dyadic(fold(bins[1], low, high), scale);
    result.nonzero = nonzero;
    result.lowest_bit = nonzero == 0 ? 0 : window.lowest + lowest_bit;
  }
};

}  // namespace

const Method& bins() noexcept {
  static const Bins method;
  return method;
}

}  // namespace negzero::exact
