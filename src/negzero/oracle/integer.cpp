// Integer sums.

#include <algorithm>
#include <limits>

#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {
namespace {

__extension__ using Wide = __int128;
constexpr Wide kLowest = std::numeric_limits<std::int32_t>::min();
constexpr Wide kHighest = std::numeric_limits<std::int32_t>::max();

}  // namespace

exact::Dyadic exact_value(Wide value) {
  const auto part = [&](int from) { return static_cast<std::int64_t>(static_cast<std::uint32_t>(value >> from)); };
  return exact::Dyadic(static_cast<std::int64_t>(value >> 64), 64) + exact::Dyadic(part(32), 32) +
         exact::Dyadic(part(0));
}

void IntegerSum::add(Wide term) noexcept {
  (term > 0 ? positive_ : negative_) += term;
  chain_ = std::clamp(chain_ + term, kLowest, kHighest);
}

Interval IntegerSum::in_any_order() const noexcept {
  const Wide sum = positive_ + negative_;
  const Wide low = std::clamp<Wide>(sum - std::max<Wide>(positive_ - kHighest, 0), kLowest, kHighest);
  const Wide high = std::clamp<Wide>(sum + std::max<Wide>(kLowest - negative_, 0), kLowest, kHighest);
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

Answer IntegerSum::answer(const Declared& contract, verdict::Rule rule) const {
  const Wide sum = positive_ + negative_;
  Wide low = sum, high = sum;
  if (contract.integers_wrap) {
    low = high = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  } else if (contract.sums.ascending) {
    low = high = chain_;
  } else {
    low = in_any_order().low;
    high = in_any_order().high;
  }
  const auto set = [](Wide least, Wide greatest) {
    return Permitted(number::FormatId::I32,
                     Interval{static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)});
  };
  Answer answer;
  answer.permitted = set(low, high);
  if (!contract.integers_wrap && contract.sums.wider) {
    // Added in 64 bits, and clamped once.
    const Wide clamped = std::clamp(sum, kLowest, kHighest);
    answer.permitted = united(std::vector{answer.permitted, set(clamped, clamped)});
  }
  answer.permitted.rule = rule;
  answer.exact = exact_value(sum);
  return answer;
}

Answer integer_sum(std::span<const std::int64_t> terms, const Declared& contract, verdict::Rule rule) {
  IntegerSum sum;
  for (const std::int64_t term : terms) sum.add(term);
  return sum.answer(contract, rule);
}

}  // namespace negzero::oracle
