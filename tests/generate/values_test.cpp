// Cases within ranges of values: every strategy, format and kind of operation obeys them and reaches their ends.

#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/views.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

using number::Format;
using number::FormatId;
using operation::Infinities;
using operation::ValueRange;

const std::vector<ValueRange>& some_ranges() {
  static const std::vector<ValueRange> all = {
      {-1e4, 1e4},   {0, 1},           {-8, 7},      {0.5, 3},
      {-3e-5, 1e-5}, {.greatest = 0},  {.least = 0}, {-2, 100, Infinities::Negative},
      {2, 2},        {-1, 1, {}, true}};
  return all;
}

/// Whether a format has numbers of the range.
bool has(FormatId format, const ValueRange& range) { return !operation::FormatRange(range, format).is_empty(); }

struct Param {
  std::string_view strategy;
  FormatId format;
};

std::vector<Param> all_params() {
  std::vector<Param> params;
  for (const Strategy& strategy : strategies()) {
    for (const Format& format : number::all_formats()) {
      if (format.id != FormatId::TF32 && format.id != FormatId::I64) params.push_back({strategy.name, format.id});
    }
  }
  return params;
}

class ValuesOf : public testing::TestWithParam<Param> {};
INSTANTIATE_TEST_SUITE_P(All, ValuesOf, testing::ValuesIn(all_params()), [](const auto& each) {
  return std::string(each.param.strategy) + "_" + std::string(number::format(each.param.format).name);
});

TEST_P(ValuesOf, AMillionElementsLieInside) {
  const auto [strategy, format] = GetParam();
  const char* const kLine = "own: y[rows] <- x[rows, columns], w[columns]";
  std::int64_t elements = 0;
  for (std::uint64_t seed = 0; elements < 1'000'000; ++seed) {
    const ValueRange& range = some_ranges()[seed % some_ranges().size()];
    if (!has(format, range)) continue;
    // The line of one's own draws the values of each of its tensors as those of a reduction.
    const bool is_own = seed % 3 == 0 || number::format(format).is_integer() || number::format(format).only_stores();
    Request request;
    request.operation = is_own ? kLine : seed % 3 == 1 ? "reduce.sum" : "reduce.max";
    operation::Operation operation = *operation::operation_named(request.operation);
    operation.extent("rows") = 64;
    operation.extent("columns") = 512;
    const std::vector<FormatId> formats(operation.signature().own_formats, format);
    operation.set_formats(formats);
    request.limits.formats = {formats};
    request.limits.values = {{"x", range}};
    if (is_own) request.limits.values["w"] = range;
    const base::Status valid = operation::validate(request.limits, request.operation);
    ASSERT_TRUE(valid.ok()) << valid.error().message;
    Plan plan;
    plan.strategy = strategy;
    plan.operation = operation;
    plan.element_seed = seed;
    const operation::Case value = expand(request, plan);
    const auto why = operation::values_outside(request.limits, value);
    ASSERT_FALSE(why.has_value()) << *why << ", seed " << seed;
    for (const auto& [name, tensor] : value.tensors) elements += tensor.element_count();
  }
}

TEST(Values, CasesOfEveryOperationLieInside) {
  for (const Request& plain : all_requests()) {
    Request request = plain;
    const notation::Signature& signature = *operation::find_signature(request.operation);
    std::uint64_t which = 0;
    for (const notation::TensorSignature& tensor : signature.tensors) {
      if (tensor.role == notation::Role::Input || tensor.role == notation::Role::Initial) {
        request.limits.values[tensor.name] = which++ % 2 == 0 ? ValueRange{-1e4, 1e4} : ValueRange{0, 240};
      }
    }
    for (const bool finite : {false, true}) {
      request.mix.finite = finite;
      ASSERT_TRUE(validate(request).ok()) << validate(request).error().message;
      for (std::uint64_t index = 0; index < 150; ++index) {
        const operation::Case value = make_case(request, 5, index);
        const auto why = operation::values_outside(request.limits, value);
        ASSERT_FALSE(why.has_value()) << request.operation << ", index " << index << ", " << value.strategy << ": "
                                      << *why;
        ASSERT_TRUE(operation::validate(value).ok()) << operation::validate(value).error().message;
      }
    }
  }
}

/// The words of a tensor in so many cases.
std::set<std::uint64_t> words_of(const Request& request, const std::string& name, std::uint64_t cases) {
  std::set<std::uint64_t> words;
  for (std::uint64_t index = 0; index < cases; ++index) {
    const operation::Case value = make_case(request, 1, index);
    const tensor::Tensor& tensor = value.tensors.at(name);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) words.insert(tensor.get(i));
  }
  return words;
}

TEST(Values, EndsZerosAndSubnormalsAreReached) {
  const Format& format = number::format(FormatId::F32);
  Request request;
  request.operation = "own: y[rows] <- x[rows, columns]";
  request.limits.formats = {{FormatId::F32, FormatId::F32}};
  request.limits.values = {{"x", {-1e4, 3e4}}};
  const std::set<std::uint64_t> words = words_of(request, "x", 200);
  for (const double end : {-1e4, 3e4, 0.0, -0.0, 1.0, -1.0}) {
    EXPECT_TRUE(words.contains(number::from_double(format, end))) << end;
  }
  for (const bool negative : {false, true}) {
    EXPECT_TRUE(words.contains(number::min_subnormal(format, negative)));
    EXPECT_TRUE(words.contains(number::max_subnormal(format, negative)));
    EXPECT_TRUE(words.contains(number::min_normal(format, negative)));
  }
  request.limits.values = {{"x", {0.5, 2, Infinities::Positive}}};
  const std::set<std::uint64_t> others = words_of(request, "x", 200);
  EXPECT_TRUE(others.contains(number::from_double(format, 0.5)));
  EXPECT_TRUE(others.contains(number::from_double(format, 2)));
  EXPECT_TRUE(others.contains(number::infinity(format)));
  EXPECT_FALSE(others.contains(number::infinity(format, true)));
  request.mix.finite = true;
  EXPECT_TRUE(words_of(request, "x", 200).contains(number::infinity(format))) << "values ask for it";
  request.limits.values = {};
  EXPECT_FALSE(words_of(request, "x", 200).contains(number::infinity(format)));
}

TEST(Values, CodesOfAnIntegerAreAllDrawn) {
  Request request;
  request.operation = "own: y[n] <- q[n]";
  request.limits.formats = {{FormatId::I32, FormatId::F32}};
  request.limits.values = {{"q", {-8, 7}}};
  EXPECT_EQ(words_of(request, "q", 300).size(), 16u);
}

TEST(Values, SumsStayExactWithinARangeAroundZero) {
  // Where small numbers are values, `exact` aims at them: its integers keep their one unit and are not folded.
  Request request = reduce_request("reduce.sum", FormatId::F32, FormatId::F32, FormatId::F32);
  request.mix.weights = {{"exact", 1}};
  request.limits.values = {{"x", {-1e-3, 1e-3}}};
  request.limits.extents["columns"].min = 8;
  request.limits.extents["columns"].max = 64;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const operation::Case value = make_case(request, 3, index);
    const tensor::Tensor& x = value.tensors.at("x");
    int lowest = 0;
    double sum = 0;
    for (std::int64_t i = 0; i < x.element_count(); ++i) {
      const number::Decoded d = number::decode(x.format(), x.get(i));
      if (d.significand == 0) continue;
      lowest = std::min(lowest, d.exponent + std::countr_zero(d.significand));
      sum = std::max(sum, std::abs(number::to_double(x.format(), x.get(i))));
    }
    const double columns = static_cast<double>(value.operation.extent("columns"));
    if (sum > 0) {
      EXPECT_LE(sum * columns, std::ldexp(1.0, lowest + 30)) << "index " << index;
    }
  }
}

TEST(Values, WithoutValuesCasesAreWhatTheyWere) {
  for (const Request& request : all_requests()) {
    Request other = request;
    other.limits.values["nothing"] = {0, 0};  // Of no tensor: the same draws, and no element is folded.
    for (std::uint64_t index = 0; index < 20; ++index)
      ASSERT_EQ(make_case(request, 9, index), make_case(other, 9, index));
  }
}

}  // namespace
}  // namespace negzero::generate
