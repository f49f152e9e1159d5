// Integer sums.

#include <algorithm>
#include <limits>

#include <negzero/oracle/integer.hpp>

namespace negzero::oracle {
namespace {

__extension__ using Wide = __int128;
constexpr Wide kLowest = std::numeric_limits<std::int32_t>::min();
constexpr Wide kHighest = std::numeric_limits<std::int32_t>::max();

}  // namespace

void IntegerSum::add(std::int64_t term) noexcept {
  (term > 0 ? positive_ : negative_) += term;
  chain_ = std::clamp(chain_ + term, kLowest, kHighest);
}

Answer IntegerSum::answer(const Declared& contract, verdict::Rule rule) const {
  const Wide sum = positive_ + negative_;
  Wide low = sum, high = sum;
  if (contract.integers_wrap) {
    low = high = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  } else if (contract.sums.ascending) {
    low = high = chain_;
  } else {
    low = std::clamp<Wide>(sum - std::max<Wide>(positive_ - kHighest, 0), kLowest, kHighest);
    high = std::clamp<Wide>(sum + std::max<Wide>(kLowest - negative_, 0), kLowest, kHighest);
  }
  Answer answer;
  answer.permitted =
      Permitted(number::FormatId::I32, Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)});
  answer.permitted.rule = rule;
  answer.exact = exact::Dyadic(static_cast<std::int64_t>(sum >> 32), 32) +
                 exact::Dyadic(static_cast<std::int64_t>(static_cast<std::uint32_t>(sum)));
  return answer;
}

Answer integer_sum(std::span<const std::int64_t> terms, const Declared& contract, verdict::Rule rule) {
  IntegerSum sum;
  for (const std::int64_t term : terms) sum.add(term);
  return sum.answer(contract, rule);
}

}  // namespace negzero::oracle
