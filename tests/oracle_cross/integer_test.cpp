// GEMM of integers against every order of its sum and every place of its clamps, in integers without a size.

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "drawing.hpp"

namespace negzero::oracle_cross {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Integers = std::set<Integer>;
using number::FormatId;

const Integer kLowest = -(Integer(1) << 31), kHighest = (Integer(1) << 31) - 1;

Integer clamped(const Integer& value) { return value < kLowest ? kLowest : value > kHighest ? kHighest : value; }

/// The number modulo 2^32 that I32 holds.
Integer wrapped(const Integer& value) {
  const Integer whole = Integer(1) << 32;
  Integer rest = value % whole;
  if (rest < kLowest) rest += whole;
  return rest > kHighest ? Integer(rest - whole) : rest;
}

/// A word of a format as two's complement has it, or as it is where there is no sign.
Integer value_of(FormatId id, std::uint64_t word) {
  const int bits = id == FormatId::I32 ? 32 : 8;
  const bool is_negative = id != FormatId::U8 && ((word >> (bits - 1)) & 1) != 0;
  return Integer(word) - (is_negative ? Integer(1) << bits : Integer(0));
}

/// One element: what it is made of, and what is declared.
struct Product {
  std::vector<Integer> a{}, b{};
  Integer alpha, beta, c;
  bool wraps = false, ascending = false, wider = false;

  [[nodiscard]] std::vector<Integer> terms(const Integer& factor) const {
    std::vector<Integer> all;
    for (std::size_t i = 0; alpha != 0 && i < a.size(); ++i) all.push_back(a[i] * b[i] * factor);
    return all;
  }
};

/// Every result of adding terms in pairs, in any order: a term or a sum is clamped, or, where it may be wider, not.
/// `chain`: in the order given alone, from the left.
Integers sums_of(const std::vector<Integer>& terms, bool chain, bool wider) {
  const auto stored = [&](const Integers& values) {
    Integers all;
    for (const Integer& value : values) {
      all.insert(clamped(value));
      if (wider) all.insert(value);
    }
    return all;
  };
  if (terms.empty()) return {Integer(0)};
  // By sets of terms, as bits; a product joins a sum as it is.
  std::vector<Integers> reached(std::size_t{1} << terms.size());
  for (std::size_t set = 1; set < reached.size(); ++set) {
    Integers& here = reached[set];
    for (std::size_t left = (set - 1) & set; left > 0; left = (left - 1) & set) {
      const std::size_t right = set & ~left;
      const bool is_one = (right & (right - 1)) == 0;
      if (chain && !(is_one && right > left)) continue;
      for (const Integer& x : reached[left]) {
        for (const Integer& y : reached[right]) here.insert(x + y);
      }
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (set == std::size_t{1} << i) here = {terms[i], clamped(terms[i])};
    }
    const bool is_leaf = (set & (set - 1)) == 0;
    if (!is_leaf) here = stored(here);
  }
  return stored(reached.back());
}

/// Every result of the element, clamped.
Integers clamped_results(const Product& product) {
  Integers all;
  const Integer c = product.beta == 0 ? Integer(0) : Integer(product.c * product.beta);
  for (const Integer& sum : sums_of(product.terms(1), product.ascending, product.wider)) {
    all.insert(clamped(clamped(product.alpha * clamped(sum)) + clamped(c)));
    if (product.wider) all.insert(clamped(product.alpha * sum + c));
  }
  if (product.beta == 0) return all;
  // C is where the sum starts, with alpha in each product.
  std::vector<Integer> terms{c};
  for (const Integer& term : product.terms(product.alpha)) terms.push_back(term);
  for (const Integer& sum : sums_of(terms, product.ascending, product.wider)) all.insert(clamped(sum));
  return all;
}

Integer wrapped_result(const Product& product) {
  Integer sum = product.beta == 0 ? Integer(0) : Integer(product.c * product.beta);
  for (const Integer& term : product.terms(product.alpha)) sum += term;
  return wrapped(sum);
}

std::uint64_t draw_word(base::Random& random, FormatId id) {
  if (id != FormatId::I32) {
    constexpr std::uint64_t kEnds[] = {0, 1, 0x7f, 0x80, 0x81, 0xff};
    return random.below(2) == 0 ? one_of(random, kEnds) : random.below(256);
  }
  constexpr std::uint64_t kEnds[] = {0, 1, 2, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 0x40000000, 0xc0000000};
  if (random.below(2) == 0) return one_of(random, kEnds);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(random.next()) >> random.below(31));
}

TEST(Integers, ProductsAgreeWithEveryOrderAndClamp) {
  const std::uint64_t wanted = sets_of_run(60'000);
  base::Random random(seed_of_run());
  std::uint64_t single = 0, ends = 0, clamps = 0, count = 0;
  while (count < wanted) {
    constexpr FormatId kFactors[] = {FormatId::I8, FormatId::U8, FormatId::I32};
    operation::Gemm gemm{.batch = 1, .m = 2, .n = 2, .k = static_cast<std::int64_t>(random.below(5))};
    gemm.a = one_of(random, kFactors);
    gemm.b = one_of(random, kFactors);
    gemm.d = FormatId::I32;
    const auto scalar = [&](std::uint64_t usual) {
      return operation::Scalar{FormatId::I32, random.below(3) != 0 ? usual : draw_word(random, FormatId::I32)};
    };
    gemm.alpha = scalar(1);
    gemm.beta = scalar(random.below(2));
    operation::Case value;
    value.operation = gemm;
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      tensor::Tensor tensor(spec.format, spec.shape);
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, draw_word(random, spec.format));
      value.tensors.emplace(spec.name, std::move(tensor));
    }
    operation::pack_missing_layouts(value);
    contract::Contract contract{.accumulate = FormatId::I32, .wider = random.below(2) == 0};
    if (random.below(2) == 0) contract.order = contract::Order::Ascending;
    if (random.below(3) != 0) contract.integer_overflow = contract::IntegerOverflow::Saturate;
    ASSERT_TRUE(operation::validate(value)) << operation::validate(value).error().message;
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    for (std::int64_t element = 0; element < 4; ++element, ++count) {
      const auto at = [&](const char* name, std::int64_t i) {
        const tensor::Tensor& tensor = value.tensors.at(name);
        return value_of(tensor.format_id(), tensor.get(i));
      };
      Product product{.alpha = value_of(FormatId::I32, gemm.alpha.bits),
                      .beta = value_of(FormatId::I32, gemm.beta.bits),
                      .c = at("c", element),
                      .wraps = contract.integer_overflow == contract::IntegerOverflow::Wrap,
                      .ascending = contract.order == contract::Order::Ascending,
                      .wider = contract.wider};
      for (std::int64_t i = 0; i < gemm.k; ++i) {
        product.a.push_back(at("a", element / 2 * gemm.k + i));
        product.b.push_back(at("b", i * 2 + element % 2));
      }
      const oracle::Permitted permitted = oracle->permitted(element);
      const Integers results = product.wraps ? Integers{wrapped_result(product)} : clamped_results(product);
      const auto line = [&] {
        std::string text = fmt::format("alpha {} beta {} c {}{}{}{}", product.alpha.str(), product.beta.str(),
                                       product.c.str(), product.wraps ? " wraps" : "",
                                       product.ascending ? " ascending" : "", product.wider ? " wider" : "");
        for (std::size_t i = 0; i < product.a.size(); ++i) {
          text += fmt::format(" {} * {}", product.a[i].str(), product.b[i].str());
        }
        return text + "; permitted " + permitted.to_string();
      };
      for (const Integer& result : results) {
        const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(result));
        ASSERT_TRUE(permitted.contains(word)) << result.str() << " is reached, and not permitted: " << line();
      }
      const oracle::Interval hull = permitted.hull();
      const bool is_one = hull.low == hull.high;
      single += is_one ? 1 : 0;
      ends += *results.begin() == hull.low && *results.rbegin() == hull.high ? 1 : 0;
      clamps += *results.begin() == kLowest || *results.rbegin() == kHighest ? 1 : 0;
      if (product.wraps) {
        ASSERT_TRUE(is_one) << line();
      }
      // Nothing clamps where no term or sum leaves the range: one result, which every order has.
      Integer positive = 0, negative = 0;
      for (const Integer& term : product.terms(1)) (term > 0 ? positive : negative) += term;
      const bool is_plain = product.alpha == 1 && product.beta == 0;
      if (is_plain && positive <= kHighest && negative >= kLowest) {
        ASSERT_TRUE(is_one) << line();
      }
      // A chain that is followed gives one result, whatever it clamps.
      bool fits = true;
      for (const Integer& term : product.terms(1)) fits = fits && clamped(term) == term;
      if (is_plain && fits && product.ascending && !product.wider) {
        ASSERT_TRUE(is_one) << line();
      }
    }
  }
  std::cout << fmt::format("{} elements, {} of one result, {} with both ends reached, {} at an end of I32\n", count,
                           single, ends, clamps);
  EXPECT_GT(clamps, count / 20);
  EXPECT_GT(ends, count * 8 / 10);
}

}  // namespace
}  // namespace negzero::oracle_cross
