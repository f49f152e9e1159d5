// What the steps of matrix units make of few products, for the screen.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <negzero/oracle/unit_step.hpp>
#include <negzero/oracle/witness.hpp>

namespace negzero::oracle {

/// The products of one element that are not zero, and where in k each is.
struct FewProducts {
  std::vector<Taken> products{};
  std::vector<std::int64_t> places{};
};

/// As `unit` takes them. None where one is smaller than numbers that all sources align alike (few_steps.hpp). Requires
/// finite factors.
template <class Value>
[[nodiscard]] FewProducts few_products(const GemmFactors<Value>& factors, const Stepping& stepping, const Unit& unit,
                                       const number::Format& accumulator, std::int64_t element) {
  const GemmShape& shape = factors.shape;
  constexpr int kLeastOfF16 = number::format(number::FormatId::F16).min_normal_exponent();
  const int least_a = unit.converts_to_f16 ? kLeastOfF16 : stepping.least_a,
            least_b = unit.converts_to_f16 ? kLeastOfF16 : stepping.least_b;
  FewProducts found;
  for (std::int64_t k = 0; k < shape.k; ++k) {
    const std::size_t at_a = shape.a_begin(element) + static_cast<std::size_t>(k),
                      at_b = shape.b_begin(element) + static_cast<std::size_t>(k * shape.n);
    const Value a = factors.a.value[at_a], b = factors.b.value[at_b];
    if (a == 0 || b == 0) continue;
    const int bit_a = factors.a.lowest_bit[at_a], bit_b = factors.b.lowest_bit[at_b];
    const auto significand = [](Value x, int bit) { return static_cast<std::int64_t>(std::ldexp(x, -bit)); };
    const int exponent = std::max(std::ilogb(a), least_a) + std::max(std::ilogb(b), least_b);
    if (exponent < accumulator.min_normal_exponent()) return {};
    found.products.push_back({significand(a, bit_a) * significand(b, bit_b), bit_a + bit_b, exponent});
    found.places.push_back(k);
  }
  return found;
}

/// Whether `accepts` takes the sum of one element in some unit's steps in ascending k, of so many products each as
/// instructions take. Requires finite factors, no more than 64 products that are not zero, and partial sums that do not
/// overflow.
template <class Value, class Accepts>
[[nodiscard]] bool any_steps(const GemmFactors<Value>& factors, const Stepping& stepping,
                             const number::Format& accumulator, std::int64_t element, const Accepts& accepts) {
  for (const Unit& unit : stepping.units) {
    const auto [products, places] = few_products(factors, stepping, unit, accumulator, element);
    const UnitStep step(unit, accumulator);
    for (const std::int64_t length :
         {factors.shape.k, std::int64_t{32}, std::int64_t{16}, std::int64_t{8}, std::int64_t{4}}) {
      if (length < unit.shortest && length != factors.shape.k) continue;
      exact::Dyadic sum;
      for (std::size_t first = 0, last = 0; first < products.size(); first = last) {
        std::size_t group = 0;
        for (; last < products.size() && places[last] / length == places[first] / length; ++last) {
          group |= std::size_t{1} << last;
        }
        sum = step(sum, products, group);
      }
      if (!products.empty() && accepts(sum.approximate())) return true;
    }
  }
  return false;
}

}  // namespace negzero::oracle
