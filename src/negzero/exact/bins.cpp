// The method for wide windows: 64-bit limbs that cover the window, and for long sums bins of four exponents before
// them.
//
// A product lands in the bin of its exponent: one shift and one addition. A bin has 64 bits and no neighbour to carry
// into, so all bins are flushed into the limbs before any of them can overflow. For short sums flushing costs more than
// it saves, and products go straight to the limbs; so do products too wide for a bin (F64).
//
//   position  0 = lowest - significand_bits ............................................ highest + terms
//   bins      |4 exponents|4 exponents|4 exponents| ...     one 64-bit count of 2^(4 i) a sign (or 8 in place of 4)
//   limbs     |64 bits                                |64 bits                       | ...  a sign
//
// Terms are taken in blocks: a loop without branches, which compilers turn into vector code, works out where each term
// goes and what is added there; a second loop adds.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <negzero/exact/methods.hpp>
#include <negzero/exact/wide.hpp>

#ifdef NEGZERO_X86_LEVELS
#include <immintrin.h>
#endif

namespace negzero::exact {
namespace {

constexpr std::size_t kBlock = 128;
constexpr int kMaxSignificandBits = 106;
// The widest window of all formats is that of F64: products from 2^-2148 to below 2^2048.
constexpr int kMaxWindow = 2148 + 2048;
constexpr int kMaxTermsBits = 32;
// Positions start significand_bits below the window; a term at the last position touches three limbs.
constexpr std::size_t kLimbs = (kMaxWindow + kMaxSignificandBits + kMaxTermsBits) / kLimbBits + 3;
// Products of up to 56 bits leave a bin of eight exponents room for at least two of them.
constexpr int kMaxBinSignificandBits = 56;
constexpr std::size_t kBins = ((kMaxWindow + kMaxBinSignificandBits) / kLimbBits + 1) * (kLimbBits / 4);
// Terms for each limb of the window from which bins of eight exponents, then of four, beat limbs; measured with F32 and
// F16 of all exponents. The wider ones are fewer and flushed more often.
constexpr std::size_t kTermsForWideBins = 20;
constexpr std::size_t kTermsForNarrowBins = 64;

/// Fixed-point sums of the positive and of the negative terms: limb i weighs 2^(64 i), negatives follow at kLimbs.
using Limbs = std::array<std::uint64_t, 2 * kLimbs>;
/// Bin 2 i + (1 if negative) counts units of 2^(width i), where the width is 4 or 8.
using BinArray = std::array<std::uint64_t, 2 * kBins>;

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

/// What every loop finds besides the sums.
struct Facts {
  std::uint64_t zeros = 0;
  std::uint64_t lowest = kNowhere;  ///< position of the lowest nonzero product
  bool even = false;                ///< a nonzero product is even, so `lowest` is not g
  bool outside = false;             ///< a nonzero product lies outside the window: nothing else here holds

  [[gnu::always_inline]] void merge(const Facts& other) {
    zeros += other.zeros;
    lowest = std::min(lowest, other.lowest);
    even |= other.even;
    outside |= other.outside;
  }
};

/// Collects Facts in vector lanes: masks of all ones instead of conditions, which compilers would turn into branches.
struct FactLanes {
  std::uint64_t zeros = 0, even = 0, outside = 0, lowest = kNowhere;

  // Returns the position to use: 0 for what lies outside, such as zeros, which may have any exponent.
  [[gnu::always_inline]] std::uint64_t note(std::uint64_t low_word, bool is_zero, std::int64_t signed_position,
                                            std::uint64_t extent) {
    const auto position = static_cast<std::uint64_t>(signed_position);
    const std::uint64_t zero = -static_cast<std::uint64_t>(is_zero);
    const std::uint64_t beyond = -static_cast<std::uint64_t>(position > extent);
    zeros -= zero;
    even |= ~(low_word | zero);
    outside |= beyond & ~zero;
    lowest = std::min(lowest, position | zero);
    return position & ~beyond;
  }
  [[nodiscard]] Facts facts() const { return {zeros, lowest, (even & 1) != 0, outside != 0}; }
};

/// Where the terms of a block go, and the words added there.
struct Block {
  alignas(64) std::array<std::uint64_t, kBlock> slot;
  alignas(64) std::array<std::array<std::uint64_t, kBlock>, 3> words;
};

// 128-bit product of two magnitudes below 2^53, high word. Parts of 27 and 26 bits keep every partial sum below 2^56,
// so that vectors without a 128-bit product can do it.
[[gnu::always_inline]] inline std::uint64_t high_word(std::uint64_t x, std::uint64_t y) {
  constexpr int kHalf = 27;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kHalf) - 1;
  const std::uint64_t low = (x & kMask) * (y & kMask);
  const std::uint64_t middle = (x >> kHalf) * (y & kMask) + (x & kMask) * (y >> kHalf) + (low >> kHalf);
  return ((x >> kHalf) * (y >> kHalf) + (middle >> kHalf)) >> (kLimbBits - 2 * kHalf);
}

template <bool kTwoWords>
[[gnu::always_inline]] inline Facts place_in_limbs(Factors a, Factors b, std::size_t begin, std::size_t count,
                                                   std::int64_t base, std::uint64_t extent, Block& block) {
  const std::int64_t* x = a.significand + begin;
  const std::int64_t* y = b.significand + begin;
  const std::int32_t* x_exponent = a.exponent + begin;
  const std::int32_t* y_exponent = b.exponent + begin;
  FactLanes lanes;
  // The block is a local of the caller: it never overlaps the operands, which g++ cannot see.
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t sign = (x[i] ^ y[i]) >> 63;
    const auto product = static_cast<std::uint64_t>(x[i]) * static_cast<std::uint64_t>(y[i]);
    const std::int64_t raw = std::int64_t{x_exponent[i]} + y_exponent[i] - base;
    const bool is_zero = (x[i] == 0) | (y[i] == 0);
    const std::uint64_t position = lanes.note(product, is_zero, raw, extent);
    const std::uint64_t shift = position % kLimbBits;
    const std::uint64_t low = (product ^ static_cast<std::uint64_t>(sign)) - static_cast<std::uint64_t>(sign);
    block.slot[i] = position / kLimbBits + (static_cast<std::uint64_t>(sign) & kLimbs);
    block.words[0][i] = low << shift;
    const std::uint64_t carried = low >> 1 >> (kLimbBits - 1 - shift);
    if constexpr (kTwoWords) {
      const std::int64_t x_sign = x[i] >> 63, y_sign = y[i] >> 63;
      const std::uint64_t high = high_word(static_cast<std::uint64_t>((x[i] ^ x_sign) - x_sign),
                                           static_cast<std::uint64_t>((y[i] ^ y_sign) - y_sign));
      block.words[1][i] = high << shift | carried;
      block.words[2][i] = high >> 1 >> (kLimbBits - 1 - shift);
    } else {
      block.words[1][i] = carried;
    }
  }
  return lanes.facts();
}

// Adds with carry. The intrinsic, because g++ 12 makes no chain of adc from anything else.
[[gnu::always_inline]] inline bool add_carry(bool carry, std::uint64_t& limb, std::uint64_t word) {
#ifdef NEGZERO_X86_LEVELS
  unsigned long long sum = 0;
  carry = _addcarry_u64(carry, limb, word, &sum) != 0;
  limb = sum;
  return carry;
#else
  const Wide sum = static_cast<Wide>(limb) + word + (carry ? 1 : 0);
  limb = static_cast<std::uint64_t>(sum);
  return sum >> kLimbBits != 0;
#endif
}

// Adds words at a limb. A carry beyond them is rare, as the top word is far below 2^64, whence the branch.
template <typename... Words>
[[gnu::always_inline]] inline void add_words(std::uint64_t* limb, Words... words) {
  bool carry = false;
  ((carry = add_carry(carry, *limb++, words)), ...);
  if (carry) [[unlikely]] {
    while (++*limb == 0) ++limb;
  }
}

template <bool kTwoWords>
[[gnu::always_inline]] inline Facts sum_into_limbs(Factors a, Factors b, std::int64_t base, std::uint64_t extent,
                                                   std::uint64_t* limbs) {
  Block block;
  Facts facts;
  for (std::size_t begin = 0; begin < a.count; begin += kBlock) {
    const std::size_t count = std::min(kBlock, a.count - begin);
    facts.merge(place_in_limbs<kTwoWords>(a, b, begin, count, base, extent, block));
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kTwoWords) {
        add_words(limbs + block.slot[i], block.words[0][i], block.words[1][i], block.words[2][i]);
      } else {
        add_words(limbs + block.slot[i], block.words[0][i], block.words[1][i]);
      }
    }
  }
  return facts;
}

template <int kBinBits>
[[gnu::always_inline]] inline Facts place_in_bins(Factors a, Factors b, std::size_t begin, std::size_t count,
                                                  std::int64_t base, std::uint64_t extent, Block& block) {
  const std::int64_t* x = a.significand + begin;
  const std::int64_t* y = b.significand + begin;
  const std::int32_t* x_exponent = a.exponent + begin;
  const std::int32_t* y_exponent = b.exponent + begin;
  FactLanes lanes;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t product = x[i] * y[i];
    const std::int64_t sign = product >> 63;
    const std::int64_t raw = std::int64_t{x_exponent[i]} + y_exponent[i] - base;
    const std::uint64_t position = lanes.note(static_cast<std::uint64_t>(product), product == 0, raw, extent);
    const auto magnitude = static_cast<std::uint64_t>((product ^ sign) - sign);
    block.slot[i] = position / kBinBits * 2 - static_cast<std::uint64_t>(sign);
    block.words[0][i] = magnitude << (position % kBinBits);
  }
  return lanes.facts();
}

// Empties the bins into the limbs, 64 exponents at a time: bins that overlap by their width sum to below 2^125.
template <int kBinBits>
[[gnu::always_inline]] inline void flush(std::uint64_t* bins, std::size_t used_limbs, std::uint64_t* limbs) {
  constexpr int kGroup = kLimbBits / kBinBits;
  for (std::size_t limb = 0; limb < used_limbs; ++limb) {
    Wide positive = 0, negative = 0;
    for (int i = kGroup - 1; i >= 0; --i) {
      const std::uint64_t* bin = bins + 2 * (limb * kGroup + static_cast<std::size_t>(i));
      positive = (positive << kBinBits) + bin[0];
      negative = (negative << kBinBits) + bin[1];
    }
    const auto low = [](Wide value) { return static_cast<std::uint64_t>(value); };
    const auto high = [](Wide value) { return static_cast<std::uint64_t>(value >> kLimbBits); };
    add_words(limbs + limb, low(positive), high(positive));
    add_words(limbs + kLimbs + limb, low(negative), high(negative));
  }
}

template <int kBinBits>
[[gnu::always_inline]] inline Facts sum_into_bins(Factors a, Factors b, std::int64_t base, std::uint64_t extent,
                                                  std::size_t max_in_bins, std::uint64_t* limbs) {
  const std::size_t used_limbs = extent / kLimbBits + 1;
  const std::size_t used_bins = used_limbs * (kLimbBits / kBinBits);
  BinArray bins;
  std::fill_n(bins.data(), 2 * used_bins, 0);
  Block block;
  Facts facts;
  for (std::size_t begin = 0, in_bins = 0; begin < a.count;) {
    const std::size_t count = std::min({kBlock, a.count - begin, max_in_bins - in_bins});
    facts.merge(place_in_bins<kBinBits>(a, b, begin, count, base, extent, block));
    for (std::size_t i = 0; i < count; ++i) bins[block.slot[i]] += block.words[0][i];
    begin += count;
    in_bins += count;
    if (in_bins == max_in_bins || begin == a.count) {
      flush<kBinBits>(bins.data(), used_limbs, limbs);
      if (begin < a.count) std::fill_n(bins.data(), 2 * used_bins, 0);
      in_bins = 0;
    }
  }
  return facts;
}

// Terms that a bin holds for sure: each adds less than 2^(significand_bits + width - 1), and all together less than
// 2^64.
template <int kBinBits>
std::size_t interval(const Window& window) {
  return std::size_t{1} << (kLimbBits - (kBinBits - 1) - window.significand_bits);
}

class Bins final : public Method {
 public:
  explicit Bins(Level level) : level_(level) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "bins"; }

  [[nodiscard]] bool accepts(const Window& window) const noexcept override {
    return window.significand_bits <= kMaxSignificandBits && window.terms <= std::uint64_t{1} << kMaxTermsBits &&
           window.highest >= window.lowest && static_cast<std::int64_t>(window.highest) - window.lowest <= kMaxWindow;
  }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    // A significand with trailing zeros may stand below the window, by less than its own width.
    const int base = window.lowest - window.significand_bits;
    const auto extent = static_cast<std::uint64_t>(window.highest - base);
    const std::size_t used = (extent + kMaxTermsBits) / kLimbBits + 3;
    Limbs limbs;
    std::fill_n(limbs.data(), used, 0);
    std::fill_n(limbs.data() + kLimbs, used, 0);
    const Facts facts = add_all(a, b, window, base, extent, limbs.data());
    // Only a window that does not fit its factors comes here; the reference needs none.
    if (facts.outside) return multiprecision().sum(a, b, window, result);
    result.positive = Dyadic::from_limbs(false, std::span(limbs).first(used), base);
    result.negative = Dyadic::from_limbs(false, std::span(limbs).subspan(kLimbs, used), base);
    result.nonzero = a.count - facts.zeros;
    if (result.nonzero == 0) {
      result.lowest_bit = 0;
    } else {
      result.lowest_bit = facts.even ? lowest_bit_of(a, b) : base + static_cast<int>(facts.lowest);
    }
  }

 private:
  [[nodiscard]] Facts add_all(const Factors& a, const Factors& b, const Window& window, std::int64_t base,
                              std::uint64_t extent, std::uint64_t* limbs) const {
    if (window.significand_bits > 63) return run_at<sum_into_limbs<true>>(level_, a, b, base, extent, limbs);
    const std::size_t window_limbs = extent / kLimbBits + 1;
    if (window.significand_bits <= kMaxBinSignificandBits) {
      // A flush is paid for by the terms between two of them.
      if (std::min(a.count, interval<4>(window)) >= kTermsForNarrowBins * window_limbs) {
        return run_at<sum_into_bins<4>>(level_, a, b, base, extent, interval<4>(window), limbs);
      }
      if (std::min(a.count, interval<8>(window)) >= kTermsForWideBins * window_limbs) {
        return run_at<sum_into_bins<8>>(level_, a, b, base, extent, interval<8>(window), limbs);
      }
    }
    return run_at<sum_into_limbs<false>>(level_, a, b, base, extent, limbs);
  }

  Level level_;
};

}  // namespace

const Method& bins(Level level) noexcept {
  static const std::array<Bins, 3> by_level = {Bins(Level::Plain), Bins(Level::Avx2), Bins(Level::Avx512)};
  return by_level[static_cast<std::size_t>(level)];
}

}  // namespace negzero::exact
