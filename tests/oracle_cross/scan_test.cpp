// A scan's element against the reduction of the terms that it takes in, which the enumerator is held against.

#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawing.hpp"
#include "operands.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

operation::Case scan_case(const char* name, FormatId id, std::int64_t rows, std::int64_t columns, const Codes& codes) {
  operation::Case value;
  operation::Operation scan = *operation::operation_named(name);
  scan.extent("rows") = rows;
  scan.extent("columns") = columns;
  scan.formats()[0] = scan.formats()[1] = id;
  value.operation = scan;
  tensor::Tensor x(id, {rows, columns});
  for (std::size_t i = 0; i < codes.size(); ++i) x.set(static_cast<std::int64_t>(i), to_word(id, codes[i]));
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

TEST(Scan, EveryResultOfEveryOrderOfItsTermsIsPermittedAndNoOther) {
  base::Random random = base::Random(seed_of_run()).split(401);
  Tally tally;
  std::uint64_t compared = 0;
  while (compared < sets_of_run(20'000) / 4) {
    const FormatId id = std::vector{FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16, FormatId::BF16,
                                    FormatId::F32}[random.below(5)];
    Scenario scenario = plain_sum(id);
    scenario.contract.order = random.one_in(3) ? contract::Order::Ascending : contract::Order::Any;
    scenario.contract.start = contract::Start::PlusZero;
    constexpr std::int64_t kRows = 16;  // As many as leave eight terms to rule b, as in one row.
    const auto columns = static_cast<std::int64_t>(1 + random.below(4));
    Draw draw = draw_style(random);
    draw.specials = random.one_in(3) ? 5 : 0;
    Codes codes;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Codes drawn = draw_values(random, id, static_cast<std::size_t>(columns), draw);
      codes.insert(codes.end(), drawn.begin(), drawn.end());
    }
    for (const bool inclusive : {true, false}) {
      const operation::Case value =
          scan_case(inclusive ? "scan.inclusive" : "scan.exclusive", id, kRows, columns, codes);
      const auto oracle = oracle::Oracle::make(value, scenario.contract);
      ASSERT_TRUE(oracle) << oracle.error().message;
      for (std::int64_t element = 0; element < kRows * columns; ++element, ++compared) {
        const std::int64_t column = element % columns, count = column + (inclusive ? 1 : 0);
        const auto first = codes.begin() + (element - column);
        OperandSet set;
        set.a.assign(first, first + count);
        const oracle::Permitted permitted = oracle->permitted(element);
        if (count == 0) {
          EXPECT_TRUE(permits(permitted, 0.0));
          EXPECT_FALSE(permitted.contains(to_word(id, kSignBit))) << "a sum of nothing is +0";
          EXPECT_FALSE(permitted.contains(to_word(id, 1)));
          continue;
        }
        const auto disagreement = compare(scenario, set, permitted, tally);
        ASSERT_FALSE(disagreement) << *disagreement << " element " << element << " of " << columns << " columns";
      }
    }
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "scans: " << compared << " elements\n" << tally.to_string();
}

}  // namespace
}  // namespace negzero::oracle_cross
