// What the strategies promise of selections, special values, structures and index lists.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/generate/work.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::Format;
using number::FormatId;

std::vector<operation::Case> selection_cases(Request request, const std::string& strategy, int cases = 300) {
  request.mix.weights = {{strategy, 1.0}};
  std::vector<operation::Case> result;
  for (int index = 0; index < cases; ++index)
    result.push_back(make_case(request, 8, static_cast<std::uint64_t>(index)));
  return result;
}

Request max_request() { return reduce_request("reduce.max", FormatId::F32, FormatId::F32, FormatId::F32); }
Request argmin_request() { return reduce_request("reduce.argmin", FormatId::F32, FormatId::F32, FormatId::I32); }

/// The rows of a Reduce as encodings.
std::vector<std::vector<std::uint64_t>> rows_of(const operation::Case& value) {
  const auto& reduce = operation::view<operation::Reduce>(value.operation);
  std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(reduce.rows));
  const tensor::Tensor& x = value.tensors.at("x");
  for (std::int64_t i = 0; i < x.element_count(); ++i)
    rows[static_cast<std::size_t>(i / reduce.columns)].push_back(x.get(i));
  return rows;
}

TEST(Special, GridHoldsEveryEncodingThatMatters) {
  const auto& grid = special_grid(number::format(FormatId::F32));
  for (const std::uint64_t word :
       {0x00000000u, 0x80000000u, 0x00000001u, 0x80000001u, 0x007fffffu, 0x00800000u, 0x80800000u, 0x3f800000u,
        0x3f800001u, 0x3f7fffffu, 0xbf800000u, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u,
        0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fbfffffu, 0x7fffffffu, 0x7fc00001u}) {
    EXPECT_THAT(grid, testing::Contains(word)) << std::hex << word;
  }
  for (const Format& format : number::all_formats()) {
    const auto& words = special_grid(format);
    EXPECT_EQ(std::set<std::uint64_t>(words.begin(), words.end()).size(), words.size()) << format.name;
    for (const std::uint64_t word : words) EXPECT_EQ(word & ~format.word_mask(), 0u) << format.name;
  }
  EXPECT_THAT(special_grid(number::format(FormatId::F8_E4M3)), testing::IsSupersetOf({0x00, 0x80, 0x7e, 0x7f, 0xff}));
}

TEST(Special, PutsEachSpecialEverywhereAndAlone) {
  const Format& format = number::format(FormatId::F32);
  std::set<std::uint64_t> seen;
  int one_nan = 0, one_value = 0;
  for (const operation::Case& value : selection_cases(max_request(), "special", 500)) {
    for (const auto& row : rows_of(value)) {
      const auto is_nan = [&](std::uint64_t word) { return number::is_nan(format, word); };
      const std::set<std::uint64_t> words(row.begin(), row.end());
      seen.insert(words.begin(), words.end());
      const auto nans = std::count_if(row.begin(), row.end(), is_nan);
      one_nan += nans == 1 ? 1 : 0;
      if (row.size() > 1) one_value += std::all_of(row.begin(), row.end(), [&](auto w) { return w == row[0]; }) ? 1 : 0;
    }
  }
  for (const std::uint64_t word : special_grid(format)) EXPECT_THAT(seen, testing::Contains(word)) << std::hex << word;
  EXPECT_GT(one_nan, 150);
  EXPECT_GT(one_value, 150);
  Request warp = max_request();
  warp.limits.extents["columns"] = {.min = 32, .max = 32};
  std::set<std::ptrdiff_t> positions;
  for (const operation::Case& value : selection_cases(warp, "special")) {
    for (const auto& row : rows_of(value)) {
      const auto is_nan = [&](std::uint64_t word) { return number::is_nan(format, word); };
      const auto at = std::find_if(row.begin(), row.end(), is_nan);
      if (at != row.end() && std::none_of(at + 1, row.end(), is_nan)) positions.insert(at - row.begin());
    }
  }
  EXPECT_EQ(positions.size(), 32u);
}

// The triggers of faults.md, as often as a run of a few hundred cases of all strategies needs to meet them.
TEST(Triggers, OfAtomicMaxFaultsOccur) {
  const Request request = scatter_request("scatter.max", FormatId::F32);
  const Format& format = number::format(FormatId::F32);
  int negative_zero = 0, nan = 0, cases = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const operation::Case value = make_case(request, 6, index);
    const auto& scatter = operation::view<operation::Scatter>(value.operation);
    const auto &x = value.tensors.at("x"), &init = value.tensors.at("init"), &at = value.tensors.at("index");
    // A1 takes -0 for minus infinity: visible where everything else at a destination is below zero.
    std::vector<bool> has_zero(static_cast<std::size_t>(scatter.destinations)), below(has_zero.size());
    bool has_nan = false;
    for (std::size_t d = 0; d < below.size(); ++d) {
      const std::uint64_t word = init.get(static_cast<std::int64_t>(d));
      below[d] = number::is_negative(format, word) && !number::is_zero(format, word) && !number::is_nan(format, word);
    }
    for (std::int64_t i = 0; i < scatter.updates; ++i) {
      const auto d = static_cast<std::size_t>(at.get(i));
      if (x.get(i) == number::zero(format, true)) {
        has_zero[d] = true;
      } else {
        below[d] = below[d] && number::is_negative(format, x.get(i)) && !number::is_nan(format, x.get(i));
      }
      // A5 spins once a NaN is the old value of a destination that gets an update.
      has_nan =
          has_nan || number::is_nan(format, init.get(static_cast<std::int64_t>(d))) || number::is_nan(format, x.get(i));
    }
    bool visible = false;
    for (std::size_t d = 0; d < below.size(); ++d) visible = visible || (below[d] && has_zero[d]);
    negative_zero += visible ? 1 : 0;
    nan += has_nan ? 1 : 0;
    ++cases;
  }
  EXPECT_GE(negative_zero, cases / 50);
  EXPECT_GE(nan, cases / 13);
}

TEST(Triggers, OfReductionFaultsOccur) {
  const Format& format = number::format(FormatId::F32);
  int all_minus_infinity = 0, all_negative = 0, one_nan_before_the_end = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    bool minus_infinity = false, negative = false, nan = false;
    for (const auto& row : rows_of(make_case(max_request(), 6, index))) {
      if (row.empty()) continue;
      minus_infinity = minus_infinity || std::all_of(row.begin(), row.end(), [&](std::uint64_t word) {
                         return word == number::infinity(format, true);
                       });
      negative = negative || std::all_of(row.begin(), row.end(), [&](std::uint64_t word) {
                   return number::is_negative(format, word) && !number::is_zero(format, word);
                 });
      const auto nans =
          std::count_if(row.begin(), row.end(), [&](std::uint64_t w) { return number::is_nan(format, w); });
      nan = nan || (nans == 1 && !number::is_nan(format, row.back()));
    }
    all_minus_infinity += minus_infinity ? 1 : 0;
    all_negative += negative ? 1 : 0;
    one_nan_before_the_end += nan ? 1 : 0;
  }
  EXPECT_GE(all_minus_infinity, 25);      // R1, R3
  EXPECT_GE(all_negative, 100);           // R20
  EXPECT_GE(one_nan_before_the_end, 50);  // R4, R5
}

TEST(Triggers, OfGemmFaultsOccur) {
  Request request = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  const Format& format = number::format(FormatId::F32);
  int unread_nan = 0, empty_sum = 0, tail = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const operation::Case value = make_case(request, 6, index);
    const auto& gemm = operation::view<operation::Gemm>(value.operation);
    const tensor::Tensor& c = value.tensors.at("c");
    const bool beta_zero = number::is_zero(format, gemm.beta.bits);
    unread_nan += beta_zero && c.element_count() > 0 && number::is_nan(format, c.get(0)) ? 1 : 0;
    empty_sum += gemm.k == 0 && c.element_count() > 0 && !beta_zero ? 1 : 0;
    tail += gemm.k % 16 != 0 ? 1 : 0;
  }
  EXPECT_GE(unread_nan, 250);  // G1
  EXPECT_GE(empty_sum, 8);     // G6
  EXPECT_GE(tail, 500);        // G8
}

TEST(SelectExact, HoldsNeighboursThatNarrowerFormatsConfuse) {
  const Format &f32 = number::format(FormatId::F32), &bf16 = number::format(FormatId::BF16);
  int rows = 0, confused = 0;
  for (const operation::Case& value : selection_cases(max_request(), "exact")) {
    for (const auto& row : rows_of(value)) {
      std::set<std::uint64_t> exact(row.begin(), row.end()), rounded;
      if (exact.size() < 2) continue;
      for (const std::uint64_t word : row) rounded.insert(number::convert(f32, word, bf16, {}));
      ++rows;
      confused += rounded.size() < exact.size() ? 1 : 0;
    }
  }
  EXPECT_GT(rows, 1000);
  EXPECT_EQ(confused, rows);
}

TEST(SelectSparse, HasOneWinnerAndSelectTieSeveral) {
  const Format& format = number::format(FormatId::F32);
  std::map<std::string, std::map<std::ptrdiff_t, int>> winners;
  for (const std::string strategy : {"sparse", "tie"}) {
    for (const operation::Case& value : selection_cases(argmin_request(), strategy)) {
      for (const auto& row : rows_of(value)) {
        if (row.size() < 8) continue;
        std::vector<std::int64_t> ordinals;
        for (const std::uint64_t word : row) ordinals.push_back(number::ordinal(format, word));
        const std::int64_t least = *std::min_element(ordinals.begin(), ordinals.end());
        ++winners[strategy][std::min<std::ptrdiff_t>(5, std::count(ordinals.begin(), ordinals.end(), least))];
      }
    }
  }
  EXPECT_EQ(winners["sparse"].size(), 1u);
  EXPECT_GT(winners["sparse"][1], 500);
  EXPECT_GT(winners["tie"][2] + winners["tie"][3] + winners["tie"][4], 2 * winners["tie"][1]);
  EXPECT_EQ(winners["tie"][5], 0);
}

TEST(SelectExtreme, IsMadeOfTheEndsOfTheRange) {
  const Format& format = number::format(FormatId::F32);
  std::map<std::string, int> seen;
  for (const operation::Case& value : selection_cases(max_request(), "extreme")) {
    for (const auto& row : rows_of(value)) {
      for (const std::uint64_t word : row) ++seen[number::to_decimal(format, word)];
    }
  }
  EXPECT_EQ(seen.size(), 10u) << testing::PrintToString(seen);
}

TEST(Structural, IdentityTimesRampIsTheRamp) {
  const Request request = gemm_request(FormatId::F16, FormatId::F32, FormatId::F16);
  int identities = 0;
  std::set<std::uint64_t> values;
  for (const operation::Case& value : selection_cases(request, "structural")) {
    const auto& gemm = operation::view<operation::Gemm>(value.operation);
    const tensor::Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b");
    bool identity = gemm.m > 1 && gemm.k > 1;
    for (std::int64_t i = 0; identity && i < a.element_count(); ++i) {
      const std::int64_t row = i / gemm.k, column = i % gemm.k;
      const std::uint64_t one = number::one(a.format());
      identity = a.get(i) == (column == row % gemm.k ? one : 0);
    }
    identities += identity ? 1 : 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(b.element_count(), 100); ++i) values.insert(b.get(i));
  }
  EXPECT_GT(identities, 3);
  EXPECT_GT(values.size(), 100u);
}

TEST(Index, ListsOfEveryKindOccur) {
  std::map<std::string, int> kinds;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const operation::Case value = make_case(scatter_request("scatter.add", FormatId::F32), 3, index);
    const auto& scatter = operation::view<operation::Scatter>(value.operation);
    if (scatter.updates < 8 || scatter.destinations < 8) continue;
    std::map<std::uint64_t, int> multiplicity;
    const tensor::Tensor& list = value.tensors.at("index");
    bool runs = true;
    for (std::int64_t i = 0; i < scatter.updates; ++i) {
      ++multiplicity[list.get(i)];
      runs = runs && (i % 2 == 0 || list.get(i) == list.get(i - 1));
    }
    int most = 0;
    for (const auto& [at, count] : multiplicity) most = std::max(most, count);
    ++kinds[multiplicity.size() == 1 ? "one destination" : runs ? "runs" : most == 1 ? "permutation" : "duplicates"];
    kinds["few destinations"] += multiplicity.size() > 1 && multiplicity.size() <= 4 ? 1 : 0;
    kinds["skewed"] +=
        multiplicity.size() > 4 && most > 4 * scatter.updates / static_cast<int>(multiplicity.size()) ? 1 : 0;
  }
  for (const char* kind : {"one destination", "runs", "permutation", "duplicates", "few destinations", "skewed"}) {
    EXPECT_GT(kinds[kind], 15) << kind;
  }
}

TEST(Broadcast, ElementsThatShareAnAddressAreEqual) {
  int shared = 0;
  for (const Request& request : all_requests()) {
    for (std::uint64_t index = 0; index < 100; ++index) {
      const operation::Case value = make_case(request, 13, index);
      for (const auto& [name, tensor] : value.tensors) {
        const tensor::Layout& layout = value.layouts.at(name);
        if (!layout.overlaps()) continue;
        std::map<std::int64_t, std::uint64_t> memory;
        for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
          const auto [at, fresh] = memory.emplace(layout.address(i), tensor.get(i));
          ASSERT_EQ(at->second, tensor.get(i)) << name << " " << value.strategy << " " << index;
        }
        ++shared;
      }
    }
  }
  EXPECT_GT(shared, 100);
}

}  // namespace
}  // namespace negzero::generate
