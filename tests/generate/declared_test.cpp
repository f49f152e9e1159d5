// Cases of declared operations: valid, inside limits, of every role that a line can give a tensor, shrunk and changed.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;
using operation::Case;

constexpr const char* kLines[] = {
    "softmax: y[rows, columns] <- x[rows, columns] each rows",
    "norm: y[rows, columns], mean[rows] <- x[rows, columns], weight[columns], epsilon each rows",
    "topk: values[rows, k], at[rows, k] < columns <- x[rows, columns] each rows",
    "histogram: counts[bins] <- at[n] < bins",
    "segments: y[segments] <- x[elements], ends[segments] <= elements ascending",
    "ragged: y[rows, columns] <- x[rows, columns], lengths[rows] <= columns",
    "gather: y[a, b, c] <- x[n, c], at[a, b] < n, other[b] < n",
    "square: y[n] <- x[n, n], s, t",
    "made: y[n] <-",
};

Request request_of(std::string_view line) {
  Request request{.operation = std::string(line)};
  EXPECT_TRUE(validate(request).ok()) << line;
  return request;
}

TEST(Declared, CasesAreValidAndOfAllSizes) {
  for (const char* line : kLines) {
    SCOPED_TRACE(line);
    const Request request = request_of(line);
    std::set<std::vector<std::int64_t>> shapes;
    bool any_empty = false;
    for (std::uint64_t index = 0; index < 300; ++index) {
      const Case value = make_case(request, 3, index);
      const base::Status status = operation::validate(value);
      ASSERT_TRUE(status.ok()) << index << ": " << status.error().message;
      const auto extents = value.operation.extents();
      shapes.insert({extents.begin(), extents.end()});
      any_empty = any_empty || std::ranges::count(extents, 0) > 0;
      std::int64_t elements = 0;
      for (const auto& [name, tensor] : value.tensors) elements += tensor.element_count();
      ASSERT_LE(elements, std::int64_t{1} << 23) << index;
      ASSERT_EQ(make_case(request, 3, index), value) << "a case depends on its number alone";
    }
    EXPECT_GT(shapes.size(), 60u);
    EXPECT_TRUE(any_empty);
  }
}

/// Every strategy gives each input more than one value now and then, and what it stands for.
TEST(Declared, ValuesAreThoseOfTheStrategies) {
  Request request = request_of("add: y[rows, columns] <- a[rows, columns], b[columns]");
  request.limits.formats = {{FormatId::F16, FormatId::F32, FormatId::F16}};
  for (const Strategy& strategy : strategies()) {
    request.mix.weights = {{std::string(strategy.name), 1}};
    bool any_nan = false, any_infinity = false, any_number = false;
    for (std::uint64_t index = 0; index < 200; ++index) {
      for (const auto& [name, tensor] : make_case(request, 1, index).tensors) {
        for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
          any_nan = any_nan || number::is_nan(tensor.format(), tensor.get(i));
          any_infinity = any_infinity || number::is_infinity(tensor.format(), tensor.get(i));
          any_number = any_number || (tensor.get(i) & ~tensor.format().sign_mask()) != 0;
        }
      }
    }
    EXPECT_TRUE(any_number) << strategy.name;
    const bool has_specials = strategy.name == "special" || strategy.name == "bits";
    EXPECT_EQ(any_nan, has_specials) << strategy.name;
    EXPECT_TRUE(any_infinity || !has_specials) << strategy.name;
  }
}

TEST(Declared, ScalarsStayInTheirRanges) {
  Request request = request_of("norm: y[n] <- x[n], epsilon, other");
  request.limits.scalars = {{"epsilon", {1e-6, 0.1}}, {"other", {-2, 3}}};
  std::set<std::uint64_t> seen;
  for (std::uint64_t index = 0; index < 300; ++index) {
    const Case value = make_case(request, 1, index);
    ASSERT_FALSE(operation::outside(request.limits, value.operation, value.layouts).has_value());
    seen.insert(value.operation.scalars()[0].bits);
  }
  EXPECT_GT(seen.size(), 50u);
  EXPECT_TRUE(seen.contains(number::from_double(number::format(FormatId::F32), 0.1) - 1)) << "the end that F32 has";
}

TEST(Declared, ChangedCasesAreValid) {
  for (const char* line : kLines) {
    SCOPED_TRACE(line);
    const Request request = request_of(line);
    Case value = make_case(request, 5, 1);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      base::Random random(seed);
      mutate::Child child = mutate::child_of(request, value, random);
      const base::Status status = operation::validate(child.value);
      ASSERT_TRUE(status.ok()) << seed << ": " << status.error().message;
      if (seed % 3 != 0) value = std::move(child.value);
    }
  }
}

/// A failure that any case shows shrinks to next to nothing, and one of a certain element to that.
TEST(Declared, CasesShrink) {
  for (const char* line : kLines) {
    SCOPED_TRACE(line);
    const Request request = request_of(line);
    const verdict::Failure failure{.kind = verdict::FailureClass::DataRace, .rule = "run.race"};
    const auto evaluate = [&](std::span<const Case> cases) {
      std::vector<verdict::Verdict> verdicts;
      for (const Case& value : cases) {
        EXPECT_TRUE(operation::validate(value).ok());
        const auto extents = value.operation.extents();
        const bool fails = std::ranges::all_of(extents, [](std::int64_t extent) { return extent >= 2; });
        verdicts.push_back(fails ? verdict::Verdict{.kind = verdict::VerdictKind::Fail, .failure = failure}
                                 : verdict::Verdict{.kind = verdict::VerdictKind::NotJudged});
      }
      return verdicts;
    };
    Case value;
    for (std::uint64_t index = 0;
         value.operation.extents().empty() || std::ranges::min(value.operation.extents()) < 3 ||
         !operation::is_of(value.operation, request.operation);
         ++index) {
      value = make_case(request, 9, index);
    }
    const shrink::Minimised least =
        shrink::minimise(value, {.kind = verdict::VerdictKind::Fail, .failure = failure}, evaluate, {});
    for (const std::int64_t extent : least.value.operation.extents()) EXPECT_EQ(extent, 2);
    for (const auto& [name, tensor] : least.value.tensors) {
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) EXPECT_EQ(tensor.get(i), 0u) << name;
    }
  }
}

}  // namespace
}  // namespace negzero::generate
