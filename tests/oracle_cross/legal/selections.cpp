// Selections and conversions: no sums.

#include <algorithm>
#include <limits>
#include <vector>

#include "../scenario.hpp"
#include "legal.hpp"

namespace negzero::oracle_legal {

using contract::AllNan;
using contract::NanPolicy;
using contract::OverflowPolicy;
using contract::Subnormals;
using contract::Ties;
using contract::ZeroSign;
using number::FormatId;

namespace {

/// The place of an element in the order of a selection: what it is compared by, and the sign of a zero.
struct Rank {
  std::int64_t steps = 0;
  bool is_plus_zero = false;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

class Selecting {
 public:
  Selecting(Luck& luck, const Question& question) : luck_(luck), question_(question) {
    const contract::Contract& contract = luck.contract();
    const bool may_flush_inputs = acts(contract.subnormal_inputs), may_flush_results = acts(contract.subnormal_results);
    compares_zeros_ =
        contract.zero_sign == ZeroSign::Ieee || (!question.gives_index && contract.zero_sign == ZeroSign::Default);
    flushes_inputs_ = may_flush_inputs;
    flushes_results_ = may_flush_results;
    // `setp.ftz` and a select move the bits.
    moves_bits_ = luck.one_in(2);
  }

  std::uint64_t result() {
    const contract::Contract& contract = luck_.contract();
    std::vector<std::uint64_t> words = question_.x;
    if (question_.is_update) {
      if (words.empty()) return question_.addend;
      words.push_back(question_.addend);
    }
    if (words.empty()) return nothing();
    std::vector<std::size_t> nans, numbers;
    for (std::size_t i = 0; i < words.size(); ++i) (is_nan(words[i]) ? nans : numbers).push_back(i);
    const bool propagates = contract.nan == NanPolicy::Propagate && !nans.empty();
    if (question_.gives_index) {
      if (numbers.empty() && !propagates) return nans[luck_.below(nans.size())];
      return chosen(propagates ? nans : best(words, numbers));
    }
    if (propagates) return to_word(question_.a, kNan);
    if (numbers.empty()) return all_nan();
    const std::vector<std::size_t> winners = best(words, numbers);
    return given(words[winners[luck_.below(winners.size())]], words.size() == 1);
  }

 private:
  /// Whether what is subnormal is flushed, where that is declared, or left open.
  [[nodiscard]] bool acts(Subnormals policy) {
    if (policy == Subnormals::Keep || is_integer(question_.a)) return false;
    switch (question_.a) {
      case FormatId::F32:
        return policy == Subnormals::Flush || luck_.one_in(2);
      case FormatId::BF16:
      case FormatId::F64:
        return luck_.one_in(2);
      case FormatId::F16:
        return luck_.contract().accumulate == FormatId::F16 && luck_.one_in(2);
      default:
        return false;
    }
  }
  [[nodiscard]] bool is_nan(std::uint64_t word) const {
    return !is_integer(question_.a) && to_code(question_.a, word) == kNan;
  }
  [[nodiscard]] bool is_small(std::uint64_t word) const {
    return !is_integer(question_.a) && small_format(question_.a).is_subnormal(to_code(question_.a, word));
  }
  [[nodiscard]] std::uint64_t zero_of(std::uint64_t word) const {
    return to_word(question_.a, to_code(question_.a, word) & kSignBit);
  }
  [[nodiscard]] Rank rank(std::uint64_t word) const {
    if (is_integer(question_.a)) return {integer_of_word(word), false};
    if (flushes_inputs_ && is_small(word)) word = zero_of(word);
    const Code code = to_code(question_.a, word);
    return {steps(code), compares_zeros_ && code == 0};
  }
  /// The places of those that tie for the best.
  [[nodiscard]] std::vector<std::size_t> best(const std::vector<std::uint64_t>& words,
                                              const std::vector<std::size_t>& places) const {
    std::vector<std::size_t> winners;
    for (const std::size_t i : places) {
      const Rank mine = rank(words[i]);
      if (!winners.empty()) {
        const Rank other = rank(words[winners.front()]);
        const bool is_better = question_.takes_greatest ? mine > other : mine < other;
        if (is_better) winners.clear();
        if (!is_better && mine != other) continue;
      }
      winners.push_back(i);
    }
    return winners;
  }
  [[nodiscard]] std::uint64_t chosen(const std::vector<std::size_t>& places) {
    switch (luck_.contract().ties) {
      case Ties::First:
        return places.front();
      case Ties::Last:
        return places.back();
      case Ties::Any:
        break;
    }
    return places[luck_.below(places.size())];
  }
  [[nodiscard]] std::uint64_t given(std::uint64_t word, bool is_alone) {
    if (!is_small(word)) return word;
    const bool meets_nothing = is_alone && luck_.contract().start != contract::Start::PlusZero && luck_.one_in(2);
    const bool vanishes = (flushes_inputs_ && !moves_bits_) || flushes_results_;
    return vanishes && !meets_nothing ? zero_of(word) : word;
  }
  [[nodiscard]] std::uint64_t identity() const {
    const bool negative = question_.takes_greatest;
    if (is_integer(question_.a)) return negative ? 0x80000000U : 0x7fffffffU;
    const SmallFormat format = small_format(question_.a);
    return to_word(question_.a, (format.has_infinity ? format.infinity() : kNan) | (negative ? kSignBit : 0));
  }
  [[nodiscard]] std::uint64_t all_nan() {
    const AllNan policy = luck_.contract().all_nan;
    const bool may_be_identity =
        policy != AllNan::Nan && !question_.is_update && small_format(question_.a).has_infinity;
    if (policy == AllNan::Identity && !may_be_identity) luck_.spoil();
    if (may_be_identity && (policy == AllNan::Identity || luck_.one_in(2))) return identity();
    return to_word(question_.a, kNan);
  }
  [[nodiscard]] std::uint64_t nothing() {
    const contract::Contract& contract = luck_.contract();
    const int bits = word_bits(question_.d);
    if (contract.empty && bits < 64 && *contract.empty >> bits != 0) luck_.spoil();
    if (contract.empty) return *contract.empty;
    if (question_.gives_index) return luck_.below(5);
    if (!is_integer(question_.a) && !small_format(question_.a).has_infinity) luck_.spoil();
    return identity();
  }

  Luck& luck_;
  const Question& question_;
  bool compares_zeros_ = false, flushes_inputs_ = false, flushes_results_ = false, moves_bits_ = false;
};

/// The integer that a number becomes; nothing where it is too large for the contract to say which.
std::optional<std::uint64_t> integer_from(Luck& luck, const Held& value) {
  const contract::Contract& contract = luck.contract();
  if (value.code == kNan) return luck.one_in(2) ? 0 : 0x80000000U;
  const bool negative = (value.code & kSignBit) != 0;
  // Integers below 2^40 are the numbers of a format whose smallest is 1.
  const SmallFormat integers{53, 52, Code{1} << 53, true};
  const Code code =
      Rounder{integers, mode_of(contract.output_rounding)}.round(small_format(value.id).decode(value.code));
  const auto magnitude = static_cast<std::int64_t>(code & ~kSignBit);
  const std::int64_t result = negative ? -magnitude : magnitude;
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min(),
                         kHigh = std::numeric_limits<std::int32_t>::max();
  const bool fits = kLow <= result && result <= kHigh;
  const bool clamps = contract.overflow == OverflowPolicy::Saturate || contract.overflow == OverflowPolicy::Default;
  if (!fits && !clamps) return std::nullopt;
  return static_cast<std::uint32_t>(std::clamp(result, kLow, kHigh));
}

}  // namespace

std::uint64_t selection_of(Luck& luck, const Question& question) { return Selecting(luck, question).result(); }

std::uint64_t conversion_of(Luck& luck, const Question& question) {
  const contract::Contract& contract = luck.contract();
  const OnOverflow policy = on_overflow(contract);
  std::vector<contract::RoundingStep> steps = contract.intermediate;
  Held value{question.a, question.x.front()};
  if (question.a == FormatId::I32) {
    if (question.d == FormatId::I32 && steps.empty()) return question.x.front();
    if (question.d == FormatId::I32) {
      luck.spoil();
      return 0;
    }
    // Integers are the numbers of no format here.
    steps.push_back({question.d, contract.output_rounding});
    const Rounder first{small_format(steps.front().format), mode_of(steps.front().rounding), Flush::Keep,
                        steps.size() == 1 ? policy : OnOverflow::Ieee};
    value = {steps.front().format, luck.round(first, make_number(integer_of_word(question.x.front())))};
    steps.erase(steps.begin());
    if (steps.empty()) return to_word(question.d, value.code);
    steps.pop_back();
  } else {
    value.code = to_code(question.a, question.x.front());
  }
  for (const contract::RoundingStep& step : steps) {
    value = luck.convert(value, step.format, mode_of(step.rounding), OnOverflow::Ieee, Converted::Value);
  }
  if (question.d == FormatId::I32) {
    const auto integer = integer_from(luck, value);
    if (!integer) luck.spoil();
    return integer.value_or(0);
  }
  return to_word(question.d,
                 luck.convert(value, question.d, mode_of(contract.output_rounding), policy, Converted::Value).code);
}

}  // namespace negzero::oracle_legal
