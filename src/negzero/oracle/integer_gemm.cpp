// GEMM in integers: factors of 8 or 32 bits, signed or not, summed in I32.

#include <algorithm>
#include <limits>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/integer.hpp>

namespace negzero::oracle {
namespace {

__extension__ using Wide = __int128;
using exact::Dyadic;
using number::FormatId;

/// Sums in I32: exact modulo 2^32, or clamped.
class IntegerGemm final : public Problem {
 public:
  IntegerGemm(const operation::Case& value, const Declared& contract)
      : Problem(tensor::count_elements(operation::output_specs(value.operation).front().shape), FormatId::I32),
        gemm_(operation::view<operation::Gemm>(value.operation)),
        contract_(contract),
        a_(operation::factor(value, 0)),
        b_(operation::factor(value, 1)),
        c_(operation::addend(value)),
        alpha_(value_of(gemm_.alpha)),
        beta_(value_of(gemm_.beta)) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const std::int64_t c = beta_ != 0 ? value_in(c_, static_cast<std::size_t>(element)) * beta_ : 0;
    return contract_.integers_wrap ? wrapped(element, c) : clamped(element, c);
  }

 private:
  /// Of a number of at most 32 bits; so that a product of two of them fits in 64.
  static std::int64_t value_in(const tensor::Tensor& tensor, std::size_t at) {
    return number::ordinal(tensor.format(), tensor.get(static_cast<std::int64_t>(at)));
  }
  static std::int64_t value_of(const operation::Scalar& scalar) {
    return number::ordinal(number::format(scalar.format), scalar.bits);
  }

  /// use(product) for each product of an element, k ascending; none at alpha = 0.
  template <typename Use>
  void each_product(std::int64_t element, Use&& use) const {
    if (alpha_ == 0) return;
    const GemmShape shape{gemm_.m, gemm_.n, gemm_.k};
    std::size_t a = shape.a_begin(element), b = shape.b_begin(element);
    for (std::int64_t i = 0; i < gemm_.k; ++i, ++a, b += static_cast<std::size_t>(gemm_.n)) {
      use(value_in(a_, a) * value_in(b_, b));
    }
  }

  [[nodiscard]] Answer wrapped(std::int64_t element, std::int64_t c) const {
    Wide sum = 0;
    each_product(element, [&](std::int64_t product) { sum += product; });
    const Wide exact = sum * alpha_ + c;
    const std::int64_t low = static_cast<std::int32_t>(static_cast<std::uint32_t>(exact));
    Answer answer;
    answer.permitted = Permitted(FormatId::I32, Interval{low, low});
    answer.permitted.rule = "integer.wrap";
    answer.exact = exact_value(exact);
    return answer;
  }

  [[nodiscard]] Answer clamped(std::int64_t element, std::int64_t c) const {
    const auto clamp = [](Wide x) {
      return static_cast<std::int64_t>(
          std::clamp<Wide>(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    };
    // C and products times alpha may be terms of the sum themselves, each clamped or not.
    IntegerSum products, all;
    bool term_clamps = false;
    each_product(element, [&](std::int64_t product) {
      products.add(product);
      all.add(Wide{product} * alpha_);
      term_clamps = term_clamps || product != clamp(product);
    });
    all.add(c);
    Answer answer = products.answer(contract_, "integer.saturate");
    Interval sum = answer.permitted.hull();
    if (term_clamps) {
      const Interval any = products.in_any_order();
      sum = {std::min(sum.low, any.low), std::max(sum.high, any.high)};
    }
    Wide least = Wide{sum.low} * alpha_, greatest = Wide{sum.high} * alpha_;
    if (greatest < least) std::swap(least, greatest);
    std::int64_t low = clamp(Wide{clamp(least)} + clamp(c)), high = clamp(Wide{clamp(greatest)} + clamp(c));
    if (contract_.sums.wider) {
      // What follows the sum may be wide although the sum is not.
      low = std::min(low, clamp(least + c));
      high = std::max(high, clamp(greatest + c));
    }
    if (contract_.sums.wider || c != 0 || alpha_ != 1 || term_clamps) {
      const Interval any = all.in_any_order();
      low = std::min(low, any.low);
      high = std::max(high, any.high);
    }
    const verdict::Rule rule = answer.permitted.rule;
    answer.permitted = Permitted(FormatId::I32, Interval{low, high});
    answer.permitted.rule = rule;
    answer.exact = *answer.exact * Dyadic(alpha_) + Dyadic(c);
    return answer;
  }

  operation::Gemm gemm_;
  const Declared& contract_;
  const tensor::Tensor &a_, &b_, &c_;
  std::int64_t alpha_, beta_;
};

}  // namespace

std::unique_ptr<Problem> make_integer_gemm(const operation::Case& value, const Declared& contract) {
  return std::make_unique<IntegerGemm>(value, contract);
}

}  // namespace negzero::oracle
