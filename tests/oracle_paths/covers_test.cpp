// What covers() leaves out adds nothing: the union of all paths, against that of those which are followed.

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawn.hpp"

namespace negzero::oracle_paths {
namespace {

/// Which of the special words are in a set.
std::vector<bool> specials_of(const oracle::Permitted& set) {
  const number::Format& format = number::format(set.format);
  std::vector<bool> held;
  for (const bool negative : {false, true}) {
    held.push_back(set.contains(number::zero(format, negative)));
    held.push_back(set.contains(number::infinity(format, negative)));
  }
  held.push_back(set.contains(number::canonical_nan(format)));
  return held;
}

/// Whether all that one set has is in the other.
bool is_within(const oracle::Permitted& few, const oracle::Permitted& many) {
  const std::vector<bool> inside = specials_of(few), outside = specials_of(many);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] && !outside[i]) return false;
  }
  return std::ranges::all_of(few.intervals(), [&](const oracle::Interval& each) {
    return std::ranges::any_of(many.intervals(), [&](const oracle::Interval& other) {
      return other.low <= each.low && each.high <= other.high;
    });
  });
}

TEST(Covers, LeaveOutNothingUnderAnyFieldsAnyValue) {
  constexpr int kElements = 300;  // of each value of each field
  const std::vector<std::string> of_sums{"gemm", "gemm", "gemm", "gemm", "gemm.grouped", "reduce.sum", "reduce.mean"};
  std::int64_t compared = 0, differing = 0;
  for (std::size_t v = 0; v < values().size(); ++v) {
    const base::Random stream(v);
    int elements = 0;
    for (std::uint64_t i = 0; elements < kElements && i < 8 * kElements; ++i) {
      base::Random random = stream.split(i);
      const operation::Case value = drawn_case(of_sums[random.below(of_sums.size())], random);
      const auto contract = drawn_contract(value, values()[v], random);
      if (!contract) continue;
      const auto pruned = oracle::Oracle::make(value, *contract),
                 all = oracle::Oracle::make(value, *contract, {.prunes = false});
      if (!pruned.ok()) continue;
      const auto output = operation::output_specs(value.operation).front();
      for (std::int64_t e = 0; e < tensor::count_elements(output.shape); ++e, ++elements) {
        const oracle::Permitted few = pruned->permitted(e), many = all->permitted(e);
        const bool are_same =
            few.intervals() == many.intervals() && specials_of(few) == specials_of(many) && few.vacuous == many.vacuous;
        differing += are_same ? 0 : 1;
        EXPECT_TRUE(are_same || is_within(few, many))
            << operation::name(value.operation) << " " << contract::to_json(*contract) << " value " << v << " draw "
            << i << " element " << e << ": " << few.to_string() << " by " << few.rule.id() << ", unpruned "
            << many.to_string() << "\n"
            << words_of(value);
      }
    }
    compared += elements;
  }
  EXPECT_GT(compared, 30000);
  // The bound of a sum with C among its terms is not always wider than that of the sum with C behind it.
  EXPECT_LT(differing * 1000, compared);
  std::printf("%lld elements, %lld wider unpruned\n", static_cast<long long>(compared),
              static_cast<long long>(differing));
}

}  // namespace
}  // namespace negzero::oracle_paths
