// The table Flushing of numerics.md section 2, row by row (flushing_rows.hpp): what the oracle permits and refuses, and
// what the enumerator reaches.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/oracle.hpp>

#include "flushing_rows.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using flushing_rows::Flushed;
using flushing_rows::Words;
using number::FormatId;

Codes codes_of_words(FormatId id, const Words& words) {
  Codes codes;
  for (const std::uint64_t word : words) codes.push_back(to_code(id, word));
  return codes;
}

/// What the enumerator knows: sums of products, rows and locations.
std::optional<Scenario> scenario_of(const Flushed& row, const contract::Contract& contract) {
  Scenario scenario;
  const std::string operation = row.operation;
  if (operation == "gemm") scenario.shape = Scenario::Shape::Gemm;
  if (operation == "reduce.sum" || operation == "reduce.mean") scenario.shape = Scenario::Shape::Reduce;
  if (operation == "scatter.add") scenario.shape = Scenario::Shape::Scatter;
  if (operation == "convert" || operation.starts_with("scan") || operation.starts_with("reduce.max") ||
      operation.starts_with("reduce.min") || operation.starts_with("reduce.arg")) {
    return std::nullopt;
  }
  scenario.mean = operation == "reduce.mean";
  scenario.a = scenario.b = row.x;
  scenario.d = row.y;
  scenario.alpha.bits = row.alpha;
  scenario.beta.bits = row.beta;
  scenario.contract = contract;
  return scenario;
}

OperandSet operands_of(const Flushed& row) {
  return {codes_of_words(row.x, row.a), codes_of_words(row.x, row.b), to_code(row.y, row.c)};
}

operation::Case case_of(const Flushed& row, const contract::Contract& contract) {
  if (const auto scenario = scenario_of(row, contract)) {
    const OperandSet set = operands_of(row);
    return make_case(*scenario, std::span(&set, 1));
  }
  operation::Case value;
  value.operation = *operation::operation_named(row.operation);
  const auto count = static_cast<std::int64_t>(row.a.size());
  const bool converts = std::string(row.operation) == "convert";
  value.operation.extent(converts ? "count" : "columns") = count;
  if (!converts) value.operation.extent("rows") = 1;
  value.operation.formats()[0] = row.x;
  value.operation.formats()[1] = row.y;
  tensor::Tensor x(row.x, converts ? std::vector<std::int64_t>{count} : std::vector<std::int64_t>{1, count});
  for (std::int64_t i = 0; i < count; ++i) x.set(i, row.a[static_cast<std::size_t>(i)]);
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

class FlushingTable : public testing::TestWithParam<const std::vector<Flushed>*> {};

TEST_P(FlushingTable, PermitsWhatArithmeticGivesAndNotWhatIsNextToIt) {
  for (const Flushed& row : *GetParam()) {
    const auto contract = contract::parse(row.contract);
    ASSERT_TRUE(contract) << row.contract << " " << contract.error().message;
    const operation::Case value = case_of(row, *contract);
    ASSERT_TRUE(operation::validate(value)) << operation::validate(value).error().message;
    const auto oracle = oracle::Oracle::make(value, *contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    const oracle::Permitted permitted = oracle->permitted(row.element);
    std::string text = std::string(row.operation) + " " + std::string(number::format(row.x).name);
    for (const std::uint64_t word : row.a) text += " " + number::to_hex(number::format(row.x), word);
    text += std::string(" ") + row.contract + ": " + permitted.to_string() + " by " + std::string(permitted.rule.id());
    for (const std::uint64_t word : row.permitted) {
      EXPECT_TRUE(permitted.contains(word)) << std::hex << word << " must be permitted: " << text;
    }
    for (const std::uint64_t word : row.refused) {
      EXPECT_FALSE(permitted.contains(word)) << std::hex << word << " must be refused: " << text;
    }
    // The enumerator has no tensor cores.
    const auto scenario = scenario_of(row, *contract);
    if (!scenario || contract->tensor_core != contract::TensorCore::No) continue;
    const Codes codes = reach(*scenario, operands_of(row));
    for (const std::uint64_t word : row.permitted) {
      EXPECT_TRUE(std::ranges::count(codes, to_code(row.y, word)) > 0)
          << std::hex << word << " is not reached: " << text;
    }
    Words unreached = row.refused;
    unreached.insert(unreached.end(), row.unreached.begin(), row.unreached.end());
    for (const std::uint64_t word : unreached) {
      EXPECT_FALSE(std::ranges::count(codes, to_code(row.y, word)) > 0) << std::hex << word << " is reached: " << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, FlushingTable,
                         testing::Values(&flushing_rows::kF32Arithmetic, &flushing_rows::kUntouched,
                                         &flushing_rows::kOpen, &flushing_rows::kWider, &flushing_rows::kFactors,
                                         &flushing_rows::kAlone, &flushing_rows::kConversions,
                                         &flushing_rows::kSelections));

}  // namespace
}  // namespace negzero::oracle_cross
