// What the screen lets pass is in the set, under any field's any value; and each kind of sum has a screen.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

#include "drawn.hpp"

namespace negzero::oracle_paths {
namespace {

using number::Format;

/// Words at the ends of a set, beside them, between them, off a coarser grid, and special ones; and the exact value
/// times and over so many terms.
std::vector<std::uint64_t> words_around(const oracle::Permitted& set, double terms, base::Random& random) {
  const Format& format = number::format(set.format);
  std::vector<std::uint64_t> words{number::zero(format),          number::zero(format, true),
                                   number::infinity(format),      number::infinity(format, true),
                                   number::canonical_nan(format), random.next() & format.word_mask()};
  if (!set.finite || !set.only.empty()) return words;
  for (const double value : {set.exact * terms, set.exact / terms}) words.push_back(number::from_double(format, value));
  const auto [low, high] = set.hull();
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const auto at = [&](std::uint64_t steps) {
    return number::from_ordinal(format, low + static_cast<std::int64_t>(steps));
  };
  for (int i = 0; i < 6; ++i) words.push_back(at(width == ~std::uint64_t{0} ? 0 : random.below(width + 1)));
  for (const std::uint64_t end : {at(0), at(width), at(width / 2)}) {
    words.insert(words.end(), {end, number::next_up(format, end), number::next_down(format, end)});
  }
  return words;
}

TEST(ScreenOfPaths, PassesNothingThatASetLacks) {
  // NEGZERO_SCREEN_ELEMENTS asks for more of each value of each field: 12500 come to 10^7 words.
  const char* const asked = std::getenv("NEGZERO_SCREEN_ELEMENTS");
  const int most = asked == nullptr ? 300 : std::atoi(asked);
  const std::vector<std::string> of_sums{"gemm",           "gemm",           "gemm",
                                         "gemm.grouped",   "reduce.sum",     "reduce.mean",
                                         "scan.inclusive", "scan.exclusive", "scatter.add"};
  std::int64_t compared = 0, settled = 0, held = 0;
  std::vector<int> screened(of_sums.size());
  for (std::size_t v = 0; v < values().size(); ++v) {
    const base::Random stream(1000 + v);
    int elements = 0;
    for (std::uint64_t i = 0; elements < most && i < 4 * static_cast<std::uint64_t>(most); ++i) {
      base::Random random = stream.split(i);
      const std::size_t which = random.below(of_sums.size());
      const operation::Case value = drawn_case(of_sums[which], random);
      const auto contract = drawn_contract(value, values()[v], random);
      if (!contract) continue;
      const auto oracle = oracle::Oracle::make(value, *contract, {.screen = false});
      if (!oracle.ok()) continue;
      const auto under = oracle::Oracle::make(value, *contract);
      const auto screens = under->make_screens();
      const auto output = operation::output_specs(value.operation).front();
      const auto terms = static_cast<double>(std::max<std::int64_t>(value.operation.extents().back(), 2));
      for (std::int64_t e = 0; e < tensor::count_elements(output.shape); ++e, ++elements) {
        if (screens.empty()) continue;
        const oracle::Permitted set = oracle->permitted(e);
        if (set.rule == "counts.padding") continue;
        for (const std::uint64_t word : words_around(set, terms, random)) {
          ++compared;
          held += set.contains(word) ? 1 : 0;
          const bool passes =
              std::ranges::any_of(screens, [&](const auto& screen) { return screen->settle(e, word).passes; });
          settled += passes ? 1 : 0;
          screened[which] += passes ? 1 : 0;
          const auto decides = [&] {
            const std::vector<oracle::Reached> reached = oracle->reached(e);
            return reached.front().member.empty() && screens.front()->decides(e);
          };
          ASSERT_FALSE(passes && set.vacuous && decides()) << contract::to_json(*contract) << "\n" << words_of(value);
          ASSERT_TRUE(!passes || set.contains(word)) << fmt::format(
              "{:x} of {} under {}: {}\n{}", word, e, contract::to_json(*contract), set.to_string(), words_of(value));
        }
      }
    }
  }
  std::printf("%lld words, %lld in their sets, %lld settled\n", static_cast<long long>(compared),
              static_cast<long long>(held), static_cast<long long>(settled));
  EXPECT_GT(settled, held / 4);
  for (std::size_t i = 0; i < of_sums.size(); ++i) {
    if (of_sums[i] == "gemm.grouped") continue;  // it is screened as the GEMM that it is rewritten to
    EXPECT_GT(screened[i], 0) << of_sums[i] << " has no screen";
  }
}

}  // namespace
}  // namespace negzero::oracle_paths
