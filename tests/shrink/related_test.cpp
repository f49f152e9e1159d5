// Shrinking inside limits of single tensors and of extents together: it stays inside, and reaches the smallest case.

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/draw.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/shrink/passes.hpp>
#include <negzero/shrink/shrink.hpp>

#include "../generate/requests.hpp"

namespace negzero::shrink {
namespace {

using operation::Case;
using verdict::Failure;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

const generate::Request kGemm =
    generate::gemm_request(number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);

/// The smallest case for which `fails` holds, from the first such case of the request's stream.
template <typename Fails>
Case smallest(const generate::Request& request, std::uint64_t seed, const Failure& failure, const Fails& fails) {
  const EvaluateBatch evaluate = [&](std::span<const Case> cases) {
    std::vector<Verdict> verdicts;
    for (const Case& value : cases) {
      EXPECT_FALSE(operation::outside(request.limits, value));
      EXPECT_TRUE(operation::validate(value).ok());
      verdicts.push_back(fails(value) ? Verdict{.kind = VerdictKind::Fail, .failure = failure}
                                      : Verdict{.kind = VerdictKind::Pass});
    }
    return verdicts;
  };
  for (std::uint64_t index = 0;; ++index) {
    Case value = generate::make_case(request, seed, index);
    if (!fails(value)) continue;
    Options options;
    options.limits = request.limits;
    return minimise(std::move(value), {.kind = VerdictKind::Fail, .failure = failure}, evaluate, options).value;
  }
}

/// The words of a tensor, in order.
std::vector<double> values_of(const Case& value, const std::string& name) {
  const tensor::Tensor& tensor = value.tensors.at(name);
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    values.push_back(number::to_double(tensor.format(), tensor.get(i)));
  }
  return values;
}

TEST(ShrinkRelated, ValuesGoToTheSimplestOfTheirRange) {
  generate::Request request =
      generate::reduce_request("reduce.sum", number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  const auto is_wide = [](const Case& each) { return each.operation.extent("columns") >= 2; };
  for (const auto& [range, simplest] : {std::pair(operation::ValueRange{-4, 4}, 0.0), {{5, 10}, 8}, {{-3, -0.5}, -1}}) {
    SCOPED_TRACE(operation::describe(range));
    request.limits.values = {{"x", range}};
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Case value = smallest(request, seed, {.kind = FailureClass::WrongValue}, is_wide);
      EXPECT_EQ(values_of(value, "x"),
                std::vector<double>(static_cast<std::size_t>(value.operation.extent("rows")) * 2, simplest));
    }
  }
}

TEST(ShrinkRelated, AStepIsPreparedBeforeItIsTaken) {
  generate::Request request =
      generate::reduce_request("reduce.sum", number::FormatId::F32, number::FormatId::F32, number::FormatId::F32);
  request.limits.values = {{"x", {0, 100}}};
  request.limits.extents["rows"].max = 1;
  // Values that ascend along a row.
  const auto sort = [](Case& value) {
    tensor::Tensor& x = value.tensors.at("x");
    std::vector<std::uint64_t> words;
    for (std::int64_t i = 0; i < x.element_count(); ++i) words.push_back(x.get(i));
    std::ranges::sort(words, {}, [&](std::uint64_t word) { return number::ordinal(x.format(), word); });
    for (std::size_t i = 0; i < words.size(); ++i) x.set(static_cast<std::int64_t>(i), words[i]);
    operation::unify_shared_elements(value);
    return true;
  };
  const auto fails = [](const Case& each) {
    const std::vector<double> x = values_of(each, "x");
    EXPECT_TRUE(std::ranges::is_sorted(x));
    return x.size() >= 3 && x.back() > 0;
  };
  std::uint64_t index = 0;
  Case value = generate::make_case(request, 1, index);
  for (sort(value); !fails(value); sort(value)) value = generate::make_case(request, 1, ++index);
  const Failure failure{.kind = FailureClass::WrongValue, .output = "y"};
  const EvaluateBatch evaluate = [&](std::span<const Case> cases) {
    std::vector<Verdict> verdicts;
    for (const Case& each : cases) {
      verdicts.push_back(fails(each) ? Verdict{.kind = VerdictKind::Fail, .failure = failure}
                                     : Verdict{.kind = VerdictKind::Pass});
    }
    return verdicts;
  };
  Options options{.limits = request.limits, .prepare = sort};
  const Case smallest = minimise(value, {.kind = VerdictKind::Fail, .failure = failure}, evaluate, options).value;
  EXPECT_EQ(values_of(smallest, "x"), (std::vector<double>{0, 0, 1}));
}

const Failure kAnywhere{.kind = FailureClass::WrongValue, .output = "d"};

TEST(ShrinkRelated, EveryKindOfLimitReachesItsSmallestCase) {
  for (const generate::Request& request : generate::related_requests()) {
    SCOPED_TRACE(request.operation + ": " + operation::describe(request.limits, request.operation));
    const Case value = smallest(request, 5, {.kind = FailureClass::WrongValue}, [](const Case& each) {
      return std::ranges::all_of(each.operation.extents(), [](std::int64_t extent) { return extent > 0; });
    });
    const notation::Signature& signature = value.operation.signature();
    const operation::Limits limits = operation::with_common_extents(request.limits, signature);
    for (std::size_t e = 0; e < signature.extents.size(); ++e) {
      EXPECT_EQ(value.operation.extents()[e], *limits.extents[signature.extents[e]].at_least(1))
          << signature.extents[e];
    }
    for (const auto& [name, layout] : value.layouts) EXPECT_EQ(layout.offset, 0) << name;
  }
}

TEST(ShrinkRelated, EqualExtentsGoTogetherAroundTheFailingElement) {
  generate::Request request = kGemm;
  request.limits.equal = {{"m", "n", "k"}};
  // Wherever the element lies, it stays.
  for (const std::int64_t row : {0, 5, 9}) {
    const Failure failure{.kind = FailureClass::WrongValue, .output = "d", .coordinates = {0, row, 9 - row}};
    Case value = generate::make_case(request, 1, 0);
    while (value.operation.extent("m") < 12) value = generate::make_case(request, 1, ++value.index);
    int together = 0;
    shrink_extents(value, failure, request.limits, [&](Case&& candidate) {
      const operation::Operation& operation = candidate.operation;
      const bool is_square =
          operation.extent("m") == operation.extent("n") && operation.extent("n") == operation.extent("k");
      together += is_square && operation.extent("m") < value.operation.extent("m") ? 1 : 0;
      return true;
    });
    EXPECT_GE(together, 12);
  }
  const Case square = smallest(request, 3, kAnywhere, [](const Case& each) { return each.operation.extent("k") > 6; });
  for (const char* extent : {"m", "n", "k"}) EXPECT_EQ(square.operation.extent(extent), 7) << extent;
}

TEST(ShrinkRelated, PowersOfTwoAreHalved) {
  generate::Request request = kGemm;
  request.limits.extents["k"] = {.power_of_two = true};
  const Case value = smallest(request, 2, kAnywhere, [](const Case& each) { return each.operation.extent("k") > 5; });
  EXPECT_EQ(value.operation.extent("k"), 8);
  EXPECT_EQ(value.operation.extent("m") * value.operation.extent("n"), 0);
}

TEST(ShrinkRelated, PackedTensorsAreCutAndPackedAgain) {
  generate::Request request = kGemm;
  request.limits.inputs = request.limits.output = {.order = operation::LayoutOrder::Packed};
  const Case value = smallest(request, 3, kAnywhere, [](const Case& each) {
    const auto extents = each.operation.extents();
    return extents[0] >= 1 && extents[1] >= 2 && extents[2] >= 3 && extents[3] >= 4;
  });
  EXPECT_EQ(value.layouts.at("a"), tensor::Layout::packed({1, 2, 4}));
  EXPECT_EQ(value.layouts.at("b"), tensor::Layout::packed({1, 4, 3}));
  EXPECT_EQ(value.layouts.at("d"), tensor::Layout::packed({1, 2, 3}));
}

TEST(ShrinkRelated, LayoutsBecomeThePlainestThatLimitsAccept) {
  generate::Request request = kGemm;
  request.limits.inputs = {.order = operation::LayoutOrder::ColumnMajor};
  request.limits.tensors["b"] = {.order = operation::LayoutOrder::RowMajor, .shared = {"batch"}};
  const Case value = smallest(request, 4, kAnywhere, [](const Case& each) {
    const auto extents = each.operation.extents();
    return extents[0] >= 2 && extents[1] >= 3 && extents[2] >= 4 && extents[3] >= 5;
  });
  EXPECT_EQ(value.layouts.at("a"), (tensor::Layout{{2, 3, 5}, {15, 1, 3}}));
  EXPECT_EQ(value.layouts.at("b"), (tensor::Layout{{2, 5, 4}, {0, 4, 1}}));
  EXPECT_EQ(value.layouts.at("d"), tensor::Layout::packed({2, 3, 4}));
}

}  // namespace
}  // namespace negzero::shrink
