// Aligns, truncates and adds what one step of a matrix unit takes.

#include <algorithm>
#include <bit>

#include <negzero/oracle/unit_step.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

/// Requires at most 53 significant bits.
Taken held_number(const Dyadic& value, int least) {
  if (value.is_zero()) return {};
  const int last = value.lowest_bit();
  return {static_cast<std::int64_t>(value.scaled(-last).approximate()), last, std::max(value.floor_log2(), least)};
}

/// Toward zero to a multiple of 2^last, in units of that. No term reaches 2^(exponent + 2).
std::int64_t truncated(const Taken& term, int last) {
  const int drop = last - term.last;
  if (term.significand == 0) return 0;
  if (drop <= 0) return term.significand * (std::int64_t{1} << -drop);
  return drop >= 63 ? 0 : term.significand / (std::int64_t{1} << drop);
}

}  // namespace

Dyadic UnitStep::operator()(const Dyadic& held, std::span<const Taken> products, std::size_t group) const {
  const Taken accumulator = held_number(held, format_.min_normal_exponent());
  bool is_first = accumulator.significand == 0;
  int exponent = accumulator.exponent;
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      if ((group >> i & 1) != 0) visit(products[i]);
    }
  };
  each([&](const Taken& product) {
    exponent = is_first ? product.exponent : std::max(exponent, product.exponent);
    is_first = false;
  });
  const int last = exponent - unit_.kept_bits;
  std::int64_t sum = truncated(accumulator, last);
  each([&](const Taken& product) { sum += truncated(product, last); });
  return rounded(sum, last);
}

Dyadic UnitStep::rounded(std::int64_t sum, int last) const {
  const Dyadic exact(sum, last);
  if (sum == 0 || unit_.nearest) return Dyadic::from_encoding(format_, exact.round_to(format_));
  const int size = std::bit_width(static_cast<std::uint64_t>(sum < 0 ? -sum : sum));
  const int least = format_.min_normal_exponent() - (unit_.result_bits - 1);
  const int kept = std::max({last, last + size - unit_.result_bits, least});
  return {truncated({sum, last}, kept), kept};
}

}  // namespace negzero::oracle
