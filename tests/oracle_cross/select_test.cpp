// Selections, indices and integers against brute force over every order.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawing.hpp"
#include "operands.hpp"
#include "selecting.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::AllNan;
using contract::NanPolicy;
using contract::Ties;
using contract::ZeroSign;
using number::FormatId;
using operation::ReduceKind;

/// One max or min of two codes: every result that the contract leaves open.
struct Selection {
  bool want_max = true;
  bool propagate = true;
  bool order_zeros = true;  ///< -0 < +0; otherwise either of two zeros

  [[nodiscard]] Codes operator()(Code a, Code b) const {
    if (a == kNan && b == kNan) return {kNan};
    if (a == kNan || b == kNan) return {propagate ? kNan : (a == kNan ? b : a)};
    if (steps(a) == steps(b) && a != b) {
      if (!order_zeros) return {a, b};
      const Code negative = (a & kSignBit) != 0 ? a : b;
      return {want_max ? negative ^ kSignBit : negative};
    }
    return {(steps(a) > steps(b)) == want_max ? a : b};
  }

  /// Over all trees of `values`.
  [[nodiscard]] Codes operator()(const Codes& values) const {
    const std::size_t full = (std::size_t{1} << values.size()) - 1;
    std::vector<Codes> reach(full + 1);
    for (std::size_t set = 1; set <= full; ++set) {
      if ((set & (set - 1)) == 0) {
        std::size_t i = 0;
        while ((set >> i) != 1) ++i;
        reach[set] = {values[i]};
      }
      for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        for (const Code u : reach[part]) {
          for (const Code v : reach[set ^ part]) {
            for (const Code result : (*this)(u, v)) reach[set].push_back(result);
          }
        }
      }
      tidy(reach[set]);
    }
    return reach[full];
  }
};

/// The same where comparisons may flush: each reading of the row, and what the winners of it are in memory.
Codes selected(const Selection& select, const Selecting& flushing, const Codes& row) {
  Codes out;
  for (const Codes& read : flushing.readings(row)) {
    for (const Code winner : select(read)) {
      bool is_there = false;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (read[i] != winner) continue;
        is_there = true;
        const Codes given = flushing.given(row[i], read[i]);
        out.insert(out.end(), given.begin(), given.end());
      }
      EXPECT_TRUE(is_there);
    }
  }
  tidy(out);
  return out;
}

/// Flags, and the format that elements are compared in: their own, or F32.
void draw_flushing_of_selections(base::Random& random, FormatId id, contract::Contract& contract) {
  contract.subnormal_inputs = static_cast<contract::Subnormals>(random.below(3));
  contract.subnormal_results = static_cast<contract::Subnormals>(random.below(3));
  contract.accumulate = id != FormatId::F64 && random.one_in(2) ? FormatId::F32 : id;
}

operation::Case reduce_case(ReduceKind kind, FormatId x, FormatId y, const std::vector<Codes>& rows) {
  operation::Case value;
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto columns = static_cast<std::int64_t>(rows.front().size());
  value.operation = operation::Reduce{kind, count, columns, x, y};
  tensor::Tensor tensor(x, {count, columns});
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    tensor.set(i, to_word(x, rows[static_cast<std::size_t>(i / columns)][static_cast<std::size_t>(i % columns)]));
  }
  value.tensors.emplace("x", std::move(tensor));
  operation::pack_missing_layouts(value);
  return value;
}

/// A few values of many kinds; NaN, infinities and zeros of both signs are common.
Codes draw_row(base::Random& random, FormatId id, std::size_t count) {
  Draw draw = draw_style(random);
  draw.specials = random.one_in(2) ? 3 : 0;
  draw.subnormals = random.one_in(2) ? 3 : 0;
  Codes row = draw_values(random, id, count, draw);
  if (random.one_in(4)) {
    for (Code& code : row) code = random.one_in(2) ? kSignBit : (random.one_in(3) ? code : 0);
  }
  if (!row.empty() && random.one_in(6)) std::fill(row.begin(), row.end(), row.front());
  return row;
}

TEST(Select, MaxAndMinOfEveryOrder) {
  base::Random random = base::Random(seed_of_run()).split(201);
  const std::uint64_t wanted = sets_of_run(20'000) / 2;
  std::uint64_t compared = 0;
  while (compared < wanted) {
    const FormatId id = std::vector{FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16,
                                    FormatId::BF16,    FormatId::F64,     FormatId::F32}[random.below(6)];
    const bool want_max = random.one_in(2);
    contract::Contract contract;
    draw_flushing_of_selections(random, id, contract);
    if (random.one_in(4)) contract.start = contract::Start::PlusZero;
    const Selecting flushing = selecting(contract, small_format(id), small_format(contract.accumulate));
    contract.nan = random.one_in(2) ? NanPolicy::Propagate : NanPolicy::Ignore;
    contract.all_nan = std::vector{AllNan::Nan, AllNan::Identity, AllNan::Any}[random.below(3)];
    contract.zero_sign = std::vector{ZeroSign::Default, ZeroSign::Ieee, ZeroSign::Any}[random.below(3)];
    const Selection select{want_max, contract.nan == NanPolicy::Propagate, contract.zero_sign != ZeroSign::Any};
    std::vector<Codes> rows;
    const std::size_t count = 1 + random.below(5);
    for (int i = 0; i < 32; ++i) rows.push_back(draw_row(random, id, count));
    const operation::Case value = reduce_case(want_max ? ReduceKind::Max : ReduceKind::Min, id, id, rows);
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    for (std::size_t i = 0; i < rows.size(); ++i, ++compared) {
      const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
      Codes expected = selected(select, flushing, rows[i]);
      if (count == 1 && contract.start != contract::Start::PlusZero) {
        // No comparison takes it.
        expected = {rows[i].front()};
        if (flushing.touches(rows[i].front()) && may_flush(contract)) expected.push_back(rows[i].front() & kSignBit);
      }
      const bool all_nan = std::all_of(rows[i].begin(), rows[i].end(), [](Code code) { return code == kNan; });
      const SmallFormat format = small_format(id);
      if (all_nan && !select.propagate && contract.all_nan != AllNan::Nan) {
        const Code identity = format.has_infinity ? format.infinity() : format.max_magnitude;
        if (contract.all_nan == AllNan::Identity) expected.clear();
        expected.push_back(want_max ? identity | kSignBit : identity);
      }
      const bool free_zero = contract.zero_sign == ZeroSign::Any;
      // Every encoding of the small formats, and the reachable ones and their neighbours of the large ones.
      std::set<Code> candidates(expected.begin(), expected.end());
      for (const Code code : rows[i]) candidates.insert(code);
      for (const Code code : corner_values(id)) candidates.insert(code);
      for (const Code code : {Code{0}, kSignBit, kNan, format.infinity(), format.infinity() | kSignBit}) {
        if (format.has_infinity || is_finite(format, code) || code == kNan) candidates.insert(code);
      }
      for (const Code code : candidates) {
        const bool reachable = std::find(expected.begin(), expected.end(), code) != expected.end();
        const bool allowed = permitted.contains(to_word(id, code));
        if (free_zero && steps(code) == 0 && code != kNan && !reachable) continue;
        ASSERT_EQ(allowed, reachable) << number::to_decimal(number::format(id), to_word(id, code)) << " of "
                                      << (want_max ? "max" : "min") << " row " << i << " " << to_json(contract) << " "
                                      << permitted.to_string() << " by " << permitted.rule;
      }
    }
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "max and min: " << compared << " operand sets\n";
}

/// The indices an argmax may give: those of a permitted value, as the declared ties say.
std::set<std::int64_t> arg_indices(const Codes& row, bool want_max, const contract::Contract& contract) {
  const bool any_nan = std::find(row.begin(), row.end(), kNan) != row.end();
  const bool all_nan = std::all_of(row.begin(), row.end(), [](Code code) { return code == kNan; });
  const bool nan_wins = all_nan || (any_nan && contract.nan == NanPolicy::Propagate);
  std::set<std::int64_t> found;
  for (std::size_t i = 0; i < row.size(); ++i) {
    bool best = nan_wins ? row[i] == kNan : row[i] != kNan;
    for (std::size_t j = 0; j < row.size() && best && !nan_wins; ++j) {
      if (row[j] == kNan) continue;
      best = want_max ? steps(row[i]) >= steps(row[j]) : steps(row[i]) <= steps(row[j]);
    }
    if (best) found.insert(static_cast<std::int64_t>(i));
  }
  if (contract.ties == Ties::First) return {*found.begin()};
  if (contract.ties == Ties::Last) return {*found.rbegin()};
  return found;
}

TEST(Select, IndicesOfTheExtremes) {
  base::Random random = base::Random(seed_of_run()).split(202);
  const std::uint64_t wanted = sets_of_run(20'000) / 2;
  std::uint64_t compared = 0;
  while (compared < wanted) {
    const FormatId id = std::vector{FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16,
                                    FormatId::BF16,    FormatId::F64,     FormatId::F32}[random.below(6)];
    const bool want_max = random.one_in(2);
    contract::Contract contract;
    draw_flushing_of_selections(random, id, contract);
    const Selecting flushing = selecting(contract, small_format(id), small_format(contract.accumulate));
    contract.nan = random.one_in(2) ? NanPolicy::Propagate : NanPolicy::Ignore;
    contract.ties = std::vector{Ties::First, Ties::Last, Ties::Any}[random.below(3)];
    std::vector<Codes> rows;
    const std::size_t count = 1 + random.below(6);
    for (int i = 0; i < 32; ++i) rows.push_back(draw_row(random, id, count));
    const operation::Case value =
        reduce_case(want_max ? ReduceKind::Argmax : ReduceKind::Argmin, id, FormatId::I32, rows);
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    for (std::size_t i = 0; i < rows.size(); ++i, ++compared) {
      const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
      std::set<std::int64_t> expected;
      for (const Codes& read : flushing.readings(rows[i])) expected.merge(arg_indices(read, want_max, contract));
      const bool nothing_left =
          contract.nan == NanPolicy::Ignore && std::count(rows[i].begin(), rows[i].end(), kNan) == std::ssize(rows[i]);
      for (std::int64_t index = -1; index <= static_cast<std::int64_t>(count); ++index) {
        const bool allowed = permitted.contains(static_cast<std::uint32_t>(static_cast<std::int32_t>(index)));
        // A row of nothing but ignored NaN has no extreme to point at: any index may be what the search started from.
        if (nothing_left && allowed && index >= 0 && index < static_cast<std::int64_t>(count)) continue;
        ASSERT_EQ(allowed, expected.contains(index))
            << "index " << index << " row " << i << (want_max ? " argmax " : " argmin ") << to_json(contract) << " "
            << permitted.to_string() << " by " << permitted.rule;
      }
    }
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "argmax and argmin: " << compared << " operand sets\n";
}

TEST(Select, ScatteredExtremesWithTheirInitialValues) {
  base::Random random = base::Random(seed_of_run()).split(203);
  const std::uint64_t wanted = sets_of_run(20'000) / 2;
  std::uint64_t compared = 0;
  while (compared < wanted) {
    const FormatId id =
        std::vector{FormatId::F8_E5M2, FormatId::F16, FormatId::BF16, FormatId::F64, FormatId::F32}[random.below(5)];
    const bool want_max = random.one_in(2);
    contract::Contract contract;
    draw_flushing_of_selections(random, id, contract);
    const Selecting flushing = selecting(contract, small_format(id), small_format(contract.accumulate));
    contract.wider = false;
    contract.nan = random.one_in(2) ? NanPolicy::Propagate : NanPolicy::Ignore;
    contract.all_nan = AllNan::Nan;
    const Selection select{want_max, contract.nan == NanPolicy::Propagate, true};
    Scenario scenario = plain_scenario(id, Scenario::Shape::Scatter);
    std::vector<OperandSet> sets;
    const std::size_t count = random.below(5);
    for (int i = 0; i < 16; ++i) sets.push_back({draw_row(random, id, count), {}, draw_row(random, id, 1).front()});
    operation::Case value = make_case(scenario, sets);
    auto scatter = operation::view<operation::Scatter>(value.operation);
    scatter.kind = want_max ? operation::ScatterKind::Max : operation::ScatterKind::Min;
    value.operation = scatter;
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    for (std::size_t i = 0; i < sets.size(); ++i, ++compared) {
      Codes leaves = sets[i].a;
      leaves.push_back(sets[i].c);
      const Codes expected = count == 0 ? leaves : selected(select, flushing, leaves);
      const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
      Codes candidates = leaves;
      for (const Code code : leaves) {
        if (code != kNan) candidates.push_back(code & kSignBit);
      }
      for (const Code code : candidates) {
        const bool reachable = std::find(expected.begin(), expected.end(), code) != expected.end();
        ASSERT_EQ(permitted.contains(to_word(id, code)), reachable)
            << describe(scenario, sets[i]) << (want_max ? " max " : " min ") << to_json(contract) << " "
            << permitted.to_string() << " by " << permitted.rule;
      }
      for (const Code code : expected) ASSERT_TRUE(permitted.contains(to_word(id, code)));
    }
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "scatter max and min: " << compared << " operand sets\n";
}

/// Sums of integers over every tree: modulo 2^32, or clamped at each addition.
TEST(Select, IntegerSumsWrapOrSaturate) {
  base::Random random = base::Random(seed_of_run()).split(204);
  const std::uint64_t wanted = sets_of_run(20'000) / 2;
  constexpr std::int64_t kLow = INT32_MIN;
  constexpr std::int64_t kHigh = INT32_MAX;
  std::uint64_t compared = 0;
  while (compared < wanted) {
    const bool saturate = random.one_in(2);
    contract::Contract contract;
    contract.accumulate = FormatId::I32;
    contract.wider = false;
    contract.integer_overflow = saturate ? contract::IntegerOverflow::Saturate : contract::IntegerOverflow::Wrap;
    const std::size_t count = 1 + random.below(5);
    std::vector<std::int64_t> row;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t span = random.one_in(2) ? kHigh : 1000;
      row.push_back(random.between(-span, span));
    }
    operation::Case value;
    value.operation =
        operation::Reduce{ReduceKind::Sum, 1, static_cast<std::int64_t>(count), FormatId::I32, FormatId::I32};
    tensor::Tensor tensor(FormatId::I32, {1, static_cast<std::int64_t>(count)});
    for (std::size_t i = 0; i < count; ++i) {
      tensor.set(static_cast<std::int64_t>(i), static_cast<std::uint32_t>(row[i]));
    }
    value.tensors.emplace("x", std::move(tensor));
    operation::pack_missing_layouts(value);
    const auto oracle = oracle::Oracle::make(value, contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    const oracle::Permitted permitted = oracle->permitted(0);
    const std::size_t full = (std::size_t{1} << count) - 1;
    std::vector<std::set<std::int64_t>> reached(full + 1);
    for (std::size_t set = 1; set <= full; ++set) {
      if ((set & (set - 1)) == 0) {
        std::size_t i = 0;
        while ((set >> i) != 1) ++i;
        reached[set].insert(row[i]);
      }
      for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        for (const std::int64_t u : reached[part]) {
          for (const std::int64_t v : reached[set ^ part]) {
            const std::int64_t sum = u + v;
            reached[set].insert(saturate ? std::clamp(sum, kLow, kHigh)
                                         : static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)));
          }
        }
      }
    }
    for (const std::int64_t result : reached[full]) {
      ASSERT_TRUE(permitted.contains(static_cast<std::uint32_t>(result))) << result << " " << permitted.to_string();
    }
    ASSERT_EQ(permitted.hull().low, *reached[full].begin()) << permitted.to_string() << " by " << permitted.rule;
    ASSERT_EQ(permitted.hull().high, *reached[full].rbegin()) << permitted.to_string() << " by " << permitted.rule;
    ++compared;
  }
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "integer sums: " << compared << " operand sets\n";
}

}  // namespace
}  // namespace negzero::oracle_cross
