// The method for wide windows: limbs of 64 bits that cover the whole window, and for long sums bins of four exponents
// in front of them.
//
// A product lands in the bin of its exponent: one shift and one addition. A bin has 64 bits and no neighbour to carry
// into, so all bins are flushed into the limbs before any of them can overflow. Below some hundred terms flushing costs
// more than it saves, and products go straight to the limbs; so do products too wide for a bin (F64).
//
//   window    lowest - significand_bits ................................................ highest + terms
//   bins      |4 exponents|4 exponents|4 exponents| ...     one 64-bit count of 2^(4 i) a sign
//   limbs     |64 bits                                |64 bits                       | ...  a sign

#include <algorithm>
#include <array>
#include <bit>

#include <negzero/exact/methods.hpp>

namespace negzero::exact {
namespace {

using Wide = unsigned __int128;

constexpr int kLimbBits = 64;
constexpr int kBinBits = 4;
constexpr int kGroup = kLimbBits / kBinBits;
constexpr int kMaxSignificandBits = 106;
// The widest window of all formats is that of F64: products from 2^-2148 to below 2^2048.
constexpr int kMaxWindow = 2148 + 2048;
constexpr int kMaxTermsBits = 32;
// Positions start significand_bits below the window; a value added at the last position touches three limbs.
constexpr int kLimbs = (kMaxWindow + kMaxSignificandBits + kMaxTermsBits) / kLimbBits + 3;
// Bins serve products of up to 56 bits: what is wider would be flushed every few terms.
constexpr int kMaxBinSignificandBits = 56;
constexpr int kBins = ((kMaxWindow + kMaxBinSignificandBits) / kBinBits / kGroup + 1) * kGroup;
// Measured: a flush costs about as much as 8 terms for each group of 16 bins.
constexpr std::size_t kTermsPerGroup = 16;

/// Two nonnegative fixed-point numbers, of positive and of negative terms, from position 0 upwards.
struct Limbs {
  std::array<std::array<std::uint64_t, kLimbs>, 2> value;

  void clear(int used) {
    for (auto& sign : value) std::fill_n(sign.begin(), used, 0);
  }

  void carry_into(std::uint64_t* limb) {
    while (++*limb == 0) ++limb;
  }

  // Adds magnitude * 2^position. Carries beyond the limbs that the magnitude touches are rare, whence the branch.
  void add(int sign, std::uint64_t magnitude, unsigned position) {
    std::uint64_t* limb = value[static_cast<std::size_t>(sign)].data() + position / kLimbBits;
    const Wide addend = static_cast<Wide>(magnitude) << (position % kLimbBits);
    const Wide sum = (static_cast<Wide>(limb[1]) << kLimbBits | limb[0]) + addend;
    limb[0] = static_cast<std::uint64_t>(sum);
    limb[1] = static_cast<std::uint64_t>(sum >> kLimbBits);
    if (sum < addend) [[unlikely]]
      carry_into(limb + 2);
  }

  void add(int sign, Wide magnitude, unsigned position) {
    std::uint64_t* limb = value[static_cast<std::size_t>(sign)].data() + position / kLimbBits;
    const unsigned shift = position % kLimbBits;
    const auto high = static_cast<std::uint64_t>(magnitude >> 1 >> (2 * kLimbBits - 1 - shift));
    const Wide addend = magnitude << shift;
    const Wide sum = (static_cast<Wide>(limb[1]) << kLimbBits | limb[0]) + addend;
    limb[0] = static_cast<std::uint64_t>(sum);
    limb[1] = static_cast<std::uint64_t>(sum >> kLimbBits);
    const Wide upper = static_cast<Wide>(limb[2]) + high + (sum < addend ? 1 : 0);
    limb[2] = static_cast<std::uint64_t>(upper);
    if (upper >> kLimbBits != 0) [[unlikely]]
      carry_into(limb + 3);
  }
};

/// What both loops keep for each term besides its magnitude: m and g, and a position that is safe for zeros too.
struct Facts {
  std::uint64_t nonzero = 0;
  std::uint32_t lowest = ~std::uint32_t{0};

  // Returns the position of a term, 0 for a zero, whose exponent may be anything.
  unsigned note(bool is_nonzero, int trailing_zeros, int position) {
    const std::uint32_t mask = -static_cast<std::uint32_t>(is_nonzero);
    nonzero += is_nonzero;
    lowest = std::min(lowest, static_cast<std::uint32_t>(position + trailing_zeros) | ~mask);
    return static_cast<std::uint32_t>(position) & mask;
  }
};

int trailing_zeros(std::uint64_t value) { return std::countr_zero(value | std::uint64_t{1} << 63); }
int trailing_zeros(Wide value) {
  const auto low = static_cast<std::uint64_t>(value);
  return low != 0 ? std::countr_zero(low) : 64 + trailing_zeros(static_cast<std::uint64_t>(value >> 64));
}

template <typename Product, typename Magnitude>
Facts sum_into_limbs(const Factors& a, const Factors& b, int base, Limbs& limbs) {
  constexpr int kSignShift = static_cast<int>(sizeof(Product)) * 8 - 1;
  Facts facts;
  for (std::size_t i = 0; i < a.count; ++i) {
    const Product product = static_cast<Product>(a.significand[i]) * b.significand[i];
    const Product sign = product >> kSignShift;
    const auto magnitude = static_cast<Magnitude>((product ^ sign) - sign);
    const unsigned position = facts.note(product != 0, trailing_zeros(magnitude), a.exponent[i] + b.exponent[i] - base);
    limbs.add(static_cast<int>(sign & 1), magnitude, position);
  }
  return facts;
}

/// bins[2 i + sign] counts units of 2^(4 i). Flushes them into the limbs, 16 neighbours at a time, and clears them.
void flush(std::array<std::uint64_t, 2 * kBins>& bins, int used, Limbs& limbs) {
  for (int first = 0; first < used; first += kGroup) {
    for (int sign = 0; sign < 2; ++sign) {
      // Sixteen numbers below 2^64, each four bits above the last, sum to below 2^125.
      Wide group = 0;
      for (int i = kGroup - 1; i >= 0; --i) {
        std::uint64_t& bin = bins[static_cast<std::size_t>(2 * (first + i) + sign)];
        group = (group << kBinBits) + bin;
        bin = 0;
      }
      if (group != 0) limbs.add(sign, group, static_cast<unsigned>(first * kBinBits));
    }
  }
}

Facts sum_into_bins(const Factors& a, const Factors& b, int base, int used, std::size_t interval, Limbs& limbs) {
  std::array<std::uint64_t, 2 * kBins> bins;
  std::fill_n(bins.begin(), 2 * used, 0);
  Facts facts;
  for (std::size_t begin = 0; begin < a.count; begin += interval) {
    const std::size_t end = std::min(begin + interval, a.count);
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t product = a.significand[i] * b.significand[i];
      const std::int64_t sign = product >> 63;
      const auto magnitude = static_cast<std::uint64_t>((product ^ sign) - sign);
      const unsigned position =
          facts.note(product != 0, trailing_zeros(magnitude), a.exponent[i] + b.exponent[i] - base);
      bins[position / kBinBits * 2 - static_cast<std::size_t>(sign)] += magnitude << (position % kBinBits);
    }
    flush(bins, used, limbs);
  }
  return facts;
}

class Bins final : public Method {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "bins"; }

  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    return window.significand_bits <= kMaxSignificandBits && window.terms <= std::uint64_t{1} << kMaxTermsBits &&
           static_cast<std::int64_t>(window.highest) - window.lowest <= kMaxWindow;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    // A significand with trailing zeros may stand below the window, by less than its own width.
    const int base = window.lowest - window.significand_bits;
    const int extent = window.highest - base;
    const int used_limbs = (extent + kMaxTermsBits) / kLimbBits + 3;
    Limbs limbs;
    limbs.clear(used_limbs);
    const Facts facts = add_all(a, b, window, base, extent, limbs);
    const std::size_t used = static_cast<std::size_t>(used_limbs);
    result.positive = Dyadic::from_limbs(false, std::span(limbs.value[0]).first(used), base);
    result.negative = Dyadic::from_limbs(false, std::span(limbs.value[1]).first(used), base);
    result.nonzero = facts.nonzero;
    result.lowest_bit = facts.nonzero == 0 ? 0 : base + static_cast<int>(facts.lowest);
  }

 private:
  static Facts add_all(const Factors& a, const Factors& b, const Window& window, int base, int extent, Limbs& limbs) {
    if (window.significand_bits > 63) return sum_into_limbs<__int128, Wide>(a, b, base, limbs);
    const int groups = extent / kLimbBits + 1;
    if (window.significand_bits <= kMaxBinSignificandBits &&
        a.count >= kTermsPerGroup * static_cast<std::size_t>(groups)) {
      // Each term adds less than 2^(significand_bits + 3), so this many stay below 2^64.
      const std::size_t interval = std::size_t{1} << (kLimbBits - (kBinBits - 1) - window.significand_bits);
      return sum_into_bins(a, b, base, groups * kGroup, interval, limbs);
    }
    return sum_into_limbs<std::int64_t, std::uint64_t>(a, b, base, limbs);
  }
};

}  // namespace

const Method& bins() noexcept {
  static const Bins method;
  return method;
}

}  // namespace negzero::exact
