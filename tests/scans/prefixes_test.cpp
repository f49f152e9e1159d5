// An element of a scan permits what the reduction of its terms permits, whatever is asked before it.

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/operation/operation.hpp>

#include "lines.hpp"

namespace negzero::scans {
namespace {

enum class Asked { Ascending, Descending, Shuffled };

std::vector<std::int64_t> elements_of(std::int64_t count, Asked order, base::Random& random) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(count));
  std::iota(elements.begin(), elements.end(), 0);
  if (order == Asked::Descending) std::ranges::reverse(elements);
  for (std::size_t i = elements.size(); order == Asked::Shuffled && i > 1; --i) {
    std::swap(elements[i - 1], elements[random.below(i)]);
  }
  return elements;
}

/// Asks a scan for each element, and compares every field with the reduction's. Adds to `compared`.
void compare(const operation::Case& value, const contract::Contract& contract, Asked order, base::Random& random,
             std::size_t& compared) {
  const auto scan = oracle::Oracle::make(value, contract);
  const std::int64_t outputs = operation::Lines(value.operation).outputs();
  if (outputs == 0) return;
  const auto nothing = oracle::Oracle::make(reduction_of(value, 0), contract);
  ASSERT_EQ(scan.ok(), nothing.ok());
  if (!scan) return;
  for (const std::int64_t element : elements_of(outputs, order, random)) {
    const operation::Case reduction = reduction_of(value, element);
    const auto wanted = oracle::Oracle::make(reduction, contract);
    ASSERT_TRUE(wanted) << wanted.error().message;
    ASSERT_EQ(answer_text(*scan, element), answer_text(*wanted, 0))
        << "element " << element << " of " << outputs << ", " << operation::name(value.operation) << " under "
        << contract::to_json(contract);
    ++compared;
  }
}

contract::Contract valid_contract(const Formats& formats, base::Random& random) {
  while (true) {
    contract::Contract drawn = draw_contract(formats, random);
    if (contract::validate(drawn)) return drawn;
  }
}

TEST(ScanPrefixes, OfHardLinesUnderDrawnContracts) {
  base::Random random = base::Random(1).split(77);
  std::size_t compared = 0;
  for (int round = 0; round < 600; ++round) {
    const Formats& formats = kFormats[random.below(std::size(kFormats))];
    const char* const name = random.one_in(2) ? "scan.inclusive" : "scan.exclusive";
    const std::int64_t most = random.one_in(12) ? 300 : random.one_in(3) ? 90 : 24;
    const auto columns = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
    operation::Case value = scan_case(*operation::find_signature(name), formats.x, formats.y,
                                      {static_cast<std::int64_t>(1 + random.below(2)), columns});
    fill(value.tensors.at("x"), random.below(5), random);
    const contract::Contract contract = valid_contract(formats, random);
    compare(value, contract, static_cast<Asked>(random.below(3)), random, compared);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 10'000U);
}

TEST(ScanPrefixes, OfEveryStrategysLines) {
  base::Random random = base::Random(2).split(77);
  std::size_t compared = 0;
  for (const generate::Strategy& strategy : generate::strategies()) {
    for (const Formats& formats : kFormats) {
      generate::Request request;
      request.operation = random.one_in(2) ? "scan.inclusive" : "scan.exclusive";
      request.limits.formats = {{formats.x, formats.y}};
      request.limits.extents["rows"].max = 2;
      request.limits.extents["columns"].max = 120;
      request.contract = valid_contract(formats, random);
      request.mix.weights = {{std::string(strategy.name), 1.0}};
      for (std::uint64_t index = 0; index < 3; ++index) {
        const operation::Case value = generate::make_case(request, 5, index);
        compare(value, request.contract, static_cast<Asked>(random.below(3)), random, compared);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(compared, 10'000U);
}

/// Lines that take turns in the output: more of them than elements, fewer, and none.
TEST(ScanPrefixes, AlongAnyDimension) {
  base::Random random = base::Random(3).split(77);
  std::size_t compared = 0;
  for (const char* const line : {"z: y[k<n, i<m] = sum(j<=k: x[j,i])", "z: y[o<m, k<n, i<l] = sum(j<k: x[o,j,i])",
                                 "z: y[i<m, k<n] = sum(j<=k: x[j,i])", "z: y[k<n] = sum(j<=k: x[j])"}) {
    const auto signature = notation::parse_signature(line);
    ASSERT_TRUE(signature) << signature.error().message;
    const std::size_t rank = signature->extents.size();
    for (int round = 0; round < 24; ++round) {
      std::vector<std::int64_t> extents;
      for (std::size_t e = 0; e < rank; ++e) extents.push_back(static_cast<std::int64_t>(random.below(7)));
      extents[random.below(rank)] *= 4;
      const Formats& formats = kFormats[random.below(std::size(kFormats))];
      operation::Case value = scan_case(*signature, formats.x, formats.y, extents);
      if (operation::Lines(value.operation).outputs() == 0) continue;
      fill(value.tensors.at("x"), random.below(5), random);
      compare(value, valid_contract(formats, random), static_cast<Asked>(round % 3), random, compared);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 1'000U);
}

TEST(ScanPrefixes, OfIntegers) {
  base::Random random = base::Random(4).split(77);
  std::size_t compared = 0;
  for (const auto policy : {contract::IntegerOverflow::Wrap, contract::IntegerOverflow::Saturate}) {
    for (const auto order : {contract::Order::Any, contract::Order::Ascending}) {
      for (const char* const name : {"scan.inclusive", "scan.exclusive"}) {
        for (const Asked asked : {Asked::Ascending, Asked::Descending, Asked::Shuffled}) {
          operation::Case value = scan_case(*operation::find_signature(name), FormatId::I32, FormatId::I32, {2, 100});
          tensor::Tensor& x = value.tensors.at("x");
          for (std::int64_t i = 0; i < x.element_count(); ++i) x.set(i, random.next() & 0xffffffffU);
          contract::Contract contract;
          contract.accumulate = FormatId::I32;
          contract.integer_overflow = policy;
          contract.order = order;
          if (random.one_in(2)) contract.empty = 7;
          compare(value, contract, asked, random, compared);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_EQ(compared, 24U * 200);
}

}  // namespace
}  // namespace negzero::scans
