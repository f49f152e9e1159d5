// GEMM in integers.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <negzero/operation/operands.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/integer.hpp>

namespace negzero::oracle {
namespace {

__extension__ using Wide = __int128;
using exact::Dyadic;
using number::FormatId;

/// I32 throughout: exact modulo 2^32, or clamped.
class IntegerGemm final : public Problem {
 public:
  IntegerGemm(const operation::Case& value, const Declared& contract)
      : Problem(tensor::count_elements(operation::output_specs(value.operation).front().shape), FormatId::I32),
        gemm_(operation::view<operation::Gemm>(value.operation)),
        contract_(contract),
        a_(operation::factor(value, 0)),
        b_(operation::factor(value, 1)),
        c_(operation::addend(value)) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const auto signed_value = [](std::uint64_t word) {
      return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(word))};
    };
    const std::int64_t alpha = signed_value(gemm_.alpha.bits), beta = signed_value(gemm_.beta.bits);
    const GemmShape shape{gemm_.m, gemm_.n, gemm_.k};
    std::vector<std::int64_t> terms;
    if (alpha != 0) {
      const auto a0 = static_cast<std::int64_t>(shape.a_begin(element)),
                 b0 = static_cast<std::int64_t>(shape.b_begin(element));
      for (std::int64_t i = 0; i < gemm_.k; ++i) {
        terms.push_back(signed_value(a_.get(a0 + i)) * signed_value(b_.get(b0 + i * gemm_.n)));
      }
    }
    const std::int64_t c = beta != 0 ? signed_value(c_.get(element)) * beta : 0;
    if (contract_.integers_wrap) {
      // The product is only known modulo 2^32, which is all that is needed.
      for (std::int64_t& term : terms) {
        const auto low = static_cast<std::uint32_t>(term) * static_cast<std::uint32_t>(alpha);
        term = static_cast<std::int32_t>(low);
      }
      terms.push_back(c);
      return integer_sum(terms, contract_, "integer.wrap");
    }
    Answer answer = integer_sum(terms, contract_, "integer.saturate");
    const auto clamped = [](std::int64_t x) {
      return std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max());
    };
    // Products of 32-bit numbers and their sums with another fit in 64 bits, so each step is clamped as it is.
    const Interval sum = answer.permitted.hull();
    std::int64_t low = clamped(sum.low * alpha), high = clamped(sum.high * alpha);
    if (high < low) std::swap(low, high);
    const verdict::Rule rule = answer.permitted.rule;
    low = clamped(low + clamped(c));
    high = clamped(high + clamped(c));
    // C and products times alpha may be terms of the sum themselves, each clamped or not.
    const auto clamps = [&](std::int64_t term) { return term != clamped(term); };
    if (contract_.sums.wider || c != 0 || alpha != 1 || std::ranges::any_of(terms, clamps)) {
      IntegerSum all;
      for (const std::int64_t term : terms) all.add(Wide{term} * alpha);
      all.add(c);
      const Interval any = all.in_any_order();
      low = std::min(low, any.low);
      high = std::max(high, any.high);
    }
    answer.permitted = Permitted(FormatId::I32, Interval{low, high});
    answer.permitted.rule = rule;
    answer.exact = *answer.exact * Dyadic(alpha) + Dyadic(c);
    return answer;
  }

 private:
  operation::Gemm gemm_;
  const Declared& contract_;
  const tensor::Tensor &a_, &b_, &c_;
};

}  // namespace

std::unique_ptr<Problem> make_integer_gemm(const operation::Case& value, const Declared& contract) {
  return std::make_unique<IntegerGemm>(value, contract);
}

}  // namespace negzero::oracle
