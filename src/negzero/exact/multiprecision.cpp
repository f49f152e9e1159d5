// The reference method: each product and each partial sum is one Boost integer, written in the plainest way.

#include <algorithm>

#include <negzero/exact/integer.hpp>
#include <negzero/exact/methods.hpp>

namespace negzero::exact {
namespace {

class Multiprecision final : public Method {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "multiprecision"; }
  [[nodiscard]] bool accepts(const Window&) const noexcept override { return true; }

  // The window is not looked at: the reference must not depend on what the other methods are chosen by.
  void sum(const Factors& a, const Factors& b, const Window&, ProductSum& result) const override {
    bool found = false;
    int scale = 0;
    for (std::size_t i = 0; i < a.count; ++i) {
      if (a.significand[i] == 0 || b.significand[i] == 0) continue;
      const int exponent = a.exponent[i] + b.exponent[i];
      scale = found ? std::min(scale, exponent) : exponent;
      found = true;
    }
    Integer positive = 0, negative = 0;
    std::uint64_t nonzero = 0;
    int lowest_bit = 0;
    for (std::size_t i = 0; i < a.count; ++i) {
      const Integer product = Integer(a.significand[i]) * Integer(b.significand[i]);
      if (product.is_zero()) continue;
      const Integer magnitude = boost::multiprecision::abs(product);
      const int exponent = a.exponent[i] + b.exponent[i];
      const int bit = static_cast<int>(boost::multiprecision::lsb(magnitude)) + exponent;
      lowest_bit = nonzero == 0 ? bit : std::min(lowest_bit, bit);
      ++nonzero;
      (product.sign() > 0 ? positive : negative) += Integer(magnitude << (exponent - scale));
    }
    result.positive = make_dyadic(positive, scale);
    result.negative = make_dyadic(negative, scale);
    result.nonzero = nonzero;
    result.lowest_bit = lowest_bit;
  }
};

}  // namespace

const Method& multiprecision() noexcept {
  static const Multiprecision method;
  return method;
}

}  // namespace negzero::exact
