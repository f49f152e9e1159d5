// Exact sums of products by several named methods, the cheapest that accepts a case being chosen.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/number/format.hpp>

namespace negzero::exact {

/// Finite operands taken apart: value i is significand[i] * 2^exponent[i]; zero has significand 0 and any exponent.
/// |significand| < 2^53.
struct Factors {
  const std::int64_t* significand = nullptr;
  const std::int32_t* exponent = nullptr;
  std::size_t count = 0;
  /// The same once more, from prepare(), or both null: saves `ladder` most of its work.
  const double* value = nullptr;
  const std::int32_t* place = nullptr;
};

/// The place of a zero. Sums of two are no place of a product either.
inline constexpr std::int32_t kNoPlace = 1 << 29;

/// What the products of a whole case can be: chooses a method once, before the sums.
struct Window {
  int lowest = 0;            ///< every nonzero product is a multiple of 2^lowest
  int highest = 0;           ///< every |product| < 2^highest
  int significand_bits = 0;  ///< every |product significand| < 2^significand_bits
  std::uint64_t terms = 0;   ///< products in the longest sum
  friend bool operator==(const Window&, const Window&) = default;
};

/// The exact facts about sum_i a_i b_i that the rules of the oracle start from.
struct ProductSum {
  Dyadic positive;            ///< P: sum of the positive products
  Dyadic negative;            ///< N: sum of the magnitudes of the negative products
  std::uint64_t nonzero = 0;  ///< m: number of nonzero products
  int lowest_bit = 0;  ///< g = 2^lowest_bit divides every nonzero product, and no larger power does; 0 when m = 0

  [[nodiscard]] Dyadic sum() const { return positive - negative; }        ///< s
  [[nodiscard]] Dyadic magnitude() const { return positive + negative; }  ///< S
};

/// A way to sum products exactly. Methods are stateless from outside and safe to use from several threads. All give
/// equal results; an empty sum has P = N = 0, m = 0 and lowest_bit = 0.
///
/// `fixed128`: one 128-bit accumulator a sign, where highest - lowest + log2(terms) is at most 128 (F16 of all
/// exponents needs 80 and log2(terms)), to 2^32 terms. `ladder`: two or three doubles, where highest - lowest is at
/// most 104 - 2 min(7, log2(terms)) or 154 - 3 min(7, log2(terms)) and significand_bits at most 51; it is the cheapest
/// where the factors are prepared. `bins`: every window of every format, F64 included, to 2^32 terms. `multiprecision`:
/// Boost integers, whatever the window.
class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Whether every sum within `window` is inside this method's proved range.
  [[nodiscard]] virtual bool accepts(const Window& window) const noexcept = 0;
  /// Sums a_i b_i exactly. Requires a.count == b.count and products within `window`, which accepts() took.
  virtual void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const = 0;
};

/// All methods, cheapest first; the last is `multiprecision`, which accepts everything.
[[nodiscard]] std::span<const Method* const> methods() noexcept;

/// The cheapest method that accepts `window`; or the one called `forced`, when not empty. An unknown name, or one that
/// does not accept the window, is a usage error that lists the names. `prepared`: all factors come with what prepare()
/// writes.
[[nodiscard]] base::Result<const Method*> choose(const Window& window, std::string_view forced = {},
                                                 bool prepared = false);

/// Takes encodings apart into the two arrays, which have room for words.size() values each, and returns the window of
/// single values (lowest, highest, significand_bits, terms = words.size()). Significands come out odd or zero, which
/// keeps the window tight and the sums fast. Without a nonzero value the window is {0, 0, 0, terms}. Requires finite
/// encodings.
Window take_apart(const number::Format& format, std::span<const std::uint64_t> words, std::int64_t* significand,
                  std::int32_t* exponent);

/// Writes each value as a double, and the exponent of its lowest bit (kNoPlace for a zero). Returns false, with the
/// arrays in any state, where some value is no normal double: those of F64 may not be.
[[nodiscard]] bool prepare(const Factors& factors, double* value, std::int32_t* place) noexcept;

/// The window of products of a value in `a` with a value in `b`, `terms` to a sum; {0, 0, 0, terms} where every product
/// is zero.
[[nodiscard]] Window product_window(const Window& a, const Window& b, std::uint64_t terms) noexcept;

}  // namespace negzero::exact
