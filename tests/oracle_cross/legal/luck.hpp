// Arithmetic of one implementation: wherever several results are right, one of them, by chance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>

#include "../flushing.hpp"
#include "../formats.hpp"

namespace negzero::oracle_legal {

using namespace oracle_cross;  // NOLINT(google-build-using-namespace): its numbers, formats and conversions

/// What an evaluation did that not every one does: classes of refusals are known by it.
enum class Trait : std::uint32_t {
  MixedWidths = 1U << 0U,      ///< additions of one sum in several formats, or not all in that of its factors and C
  NearestBehind = 1U << 1U,    ///< scalings, divisions and loads to nearest, where additions are not
  NearestWide = 1U << 2U,      ///< additions to nearest in a wider format than the declared one, which truncates
  CInBlock = 1U << 3U,         ///< C starts the first block of a promoted sum
  CAmongBlocks = 1U << 4U,     ///< C is one more block
  ErrorSubtracted = 1U << 5U,  ///< Kahan's last error is taken from the sum
  IdleZero = 1U << 6U,         ///< +0 is added to a partial sum, as by a lane without terms
  FoldedSign = 1U << 7U,       ///< alpha = -1 turns the factors
  Folded = 1U << 8U,           ///< alpha multiplies the factors
  PartialAlpha = 1U << 9U,     ///< alpha multiplies partial sums
  SubnormalScalar = 1U << 10U,
  DividedTerms = 1U << 11U,
  CLeaf = 1U << 12U,  ///< C is a term of the sum, or starts it
  CEnd = 1U << 13U,   ///< C is the last term of a chain
  Unit = 1U << 14U,   ///< steps of a tensor core
  StoredSlice = 1U << 15U,
  Wider = 1U << 16U,   ///< the sum is held in a wider format than the declared one
  Stored = 1U << 17U,  ///< and stored to that
  Compensated = 1U << 18U,
  LastWide = 1U << 19U,          ///< the epilogue runs in a wider format than that of the sum
  UnclampedProduct = 1U << 20U,  ///< of integers: the addition saturates, not the product
  Promoted = 1U << 21U,
  CAlone = 1U << 22U,  ///< beta * C without a sum
};
using Traits = std::uint32_t;
[[nodiscard]] constexpr bool has(Traits traits, Trait trait) { return (traits & static_cast<Traits>(trait)) != 0; }
[[nodiscard]] const char* name(Trait trait);
/// "MixedWidths|Wider".
[[nodiscard]] std::string traits_of(Traits traits);

/// A number in a format.
struct Held {
  number::FormatId id = number::FormatId::F32;
  Code code = 0;

  [[nodiscard]] bool is_finite() const { return oracle_cross::is_finite(small_format(id), code); }
};
[[nodiscard]] Held turned(Held value);

/// How operations in one format round and flush.
struct Arithmetic {
  number::FormatId id = number::FormatId::F32;
  Rounder rounder{};
  Flush inputs = Flush::Keep;
};

/// One evaluation under one contract.
class Luck {
 public:
  Luck(const contract::Contract& contract, base::Random& random) : contract_(&contract), random_(&random) {}

  [[nodiscard]] const contract::Contract& contract() const { return *contract_; }
  [[nodiscard]] bool one_in(std::uint64_t n) { return random_->one_in(n); }
  [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_->below(n)); }
  template <typename T>
  [[nodiscard]] T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  template <typename T>
  [[nodiscard]] const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  void note(Trait trait) { traits_ |= static_cast<Traits>(trait); }
  [[nodiscard]] Traits traits() const { return traits_; }
  /// The evaluation did what the contract does not permit: it is none.
  void spoil() { spoiled_ = true; }
  [[nodiscard]] bool is_spoiled() const { return spoiled_; }

  [[nodiscard]] Arithmetic arithmetic(number::FormatId id, Mode mode) const;
  [[nodiscard]] Code round(const Rounder& rounder, const Number& exact);
  [[nodiscard]] Held round(const Arithmetic& arithmetic, const Number& exact) {
    return {arithmetic.id, round(arithmetic.rounder, exact)};
  }
  /// What an operation takes for an operand.
  [[nodiscard]] Number take(const Held& operand, const Arithmetic& arithmetic);
  /// The same of a scalar: what becomes of it in one format is decided once.
  [[nodiscard]] Number take_scalar(const Held& scalar, const Arithmetic& arithmetic);
  [[nodiscard]] Held add(const Arithmetic& arithmetic, const Held& a, const Held& b) {
    return round(arithmetic, oracle_cross::add(take(a, arithmetic), take(b, arithmetic)));
  }
  [[nodiscard]] Held fma(const Arithmetic& arithmetic, const Number& product, const Held& addend) {
    return round(arithmetic, oracle_cross::add(take(addend, arithmetic), product));
  }
  /// A number from memory in a register of that format, before any operation takes it.
  [[nodiscard]] Held load(const Held& value, const Arithmetic& arithmetic);
  /// One conversion.
  [[nodiscard]] Held convert(const Held& value, number::FormatId to, Mode mode, OnOverflow overflow, Converted what);
  /// A number that nothing is added to, in a register of that format, on its way to `out`.
  [[nodiscard]] Held alone(const Held& value, const Arithmetic& arithmetic, number::FormatId out);

 private:
  [[nodiscard]] Held loaded_by(const Held& value, const Arithmetic& arithmetic);

  const contract::Contract* contract_;
  base::Random* random_;
  struct Taken {
    Held scalar;
    number::FormatId in;
    Number value;
  };
  std::vector<Taken> taken_{};
  Codes scratch_{};
  Traits traits_ = 0;
  bool spoiled_ = false;
};

}  // namespace negzero::oracle_legal
