// Cases of lines with relations: drawn, asked for, changed and shrunk, all of them keep what the line says.

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::generate {
namespace {

using operation::Case;
using ::testing::HasSubstr;

constexpr const char* kConv = "conv: y[rows, o] <- x[rows, n], w[k] with o = n - k + 1, k <= n";
constexpr const char* kPool = "pool: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n, width >= 1";
/// Each with the extents of the smallest case all of whose extents are 2 or more, in the line's order.
const std::pair<const char*, std::vector<std::int64_t>> kRelated[] = {
    {kConv, {2, 2, 3, 2}},
    {"valid: y[o] <- x[o + k - 1], w[k]", {2, 3, 2}},
    {kPool, {2, 4, 2, 2}},
    {"topk: values[rows, k], at[rows, k] < n <- x[rows, n] each rows with k <= n", {2, 2, 2}},
    {"csr: y[rows] <- v[entries], column[entries] < columns, ends[rows + 1] <= entries ascending, x[columns]",
     {2, 2, 2, 3}},
    {"scaled: y[n, k] <- x[n, k], scales[n, (k + 31) / 32]", {2, 33, 2}},
    {"packed: y[n, k] <- words[n, w] with w = k / 8, k % 8 = 0", {2, 16, 2}},
    {"gated: y[tokens, d] <- x[tokens, two, d] with two = 2", {2, 2, 2}},
    {"edges: counts[n] <- x[m], edges[n + 1] with n < m", {2, 3, 3}},
};

Request related_request(std::string_view line) {
  Request request{.operation = std::string(line)};
  const base::Status status = validate(request);
  EXPECT_TRUE(status.ok()) << line << ": " << status.error().message;
  return request;
}

TEST(LineRelations, HoldInEveryCaseThatIsDrawn) {
  for (const auto& [line, least] : kRelated) {
    SCOPED_TRACE(line);
    const Request request = related_request(line);
    std::set<std::vector<std::int64_t>> shapes;
    for (std::uint64_t index = 0; index < 300; ++index) {
      const Case value = make_case(request, 3, index);
      const base::Status status = operation::validate(value);
      ASSERT_TRUE(status.ok()) << index << ": " << status.error().message;
      const auto extents = value.operation.extents();
      shapes.insert({extents.begin(), extents.end()});
    }
    EXPECT_GT(shapes.size(), 60u);
  }
}

TEST(LineRelations, TieNoCasesToTheEndOfARange) {
  const Request conv = related_request(kConv), pool = related_request(kPool);
  int is_longer = 0, has_stride = 0;
  for (std::uint64_t index = 0; index < 300; ++index) {
    is_longer += make_case(conv, 3, index).operation.extent("o") > 2 ? 1 : 0;
    const Case value = make_case(pool, 3, index);
    has_stride += value.operation.extent("stride") > 1 && value.operation.extent("o") > 1 ? 1 : 0;
  }
  EXPECT_GT(is_longer, 100);
  EXPECT_GT(has_stride, 30);
}

TEST(LineRelations, HoldForWhatIsAskedFor) {
  Request request = related_request(kConv);
  for (const ExtentRanges& asked :
       {ExtentRanges{{"o", {5, 5, 1}}}, {{"k", {7, 7, 1}}}, {{"o", {3, 9, 1}}, {"n", {20, 30, 1}}}}) {
    request.mix.extents = asked;
    ASSERT_TRUE(validate(request).ok());
    for (std::uint64_t index = 0; index < 100; ++index) {
      const Case value = make_case(request, 1, index);
      ASSERT_TRUE(operation::validate(value).ok());
      ASSERT_TRUE(fits(asked, value.operation)) << index;
    }
  }
  request.mix.extents = {{"o", {5, 5, 1}}, {"n", {2, 3, 1}}};
  const base::Status none = validate(request);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("the line wants o = n - k + 1"));
}

TEST(LineRelations, HoldInChangedCases) {
  for (const auto& [line, least] : kRelated) {
    SCOPED_TRACE(line);
    const Request request = related_request(line);
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

/// The smallest case that fails, of the first one that a request makes.
Case smallest(const Request& request, const std::function<bool(const Case&)>& fails) {
  const verdict::Failure failure{.kind = verdict::FailureClass::DataRace, .rule = "run.race"};
  const auto evaluate = [&](std::span<const Case> cases) {
    std::vector<verdict::Verdict> verdicts;
    for (const Case& value : cases) {
      const base::Status status = operation::validate(value);
      EXPECT_TRUE(status.ok()) << status.error().message;
      verdicts.push_back(fails(value) ? verdict::Verdict{.kind = verdict::VerdictKind::Fail, .failure = failure}
                                      : verdict::Verdict{.kind = verdict::VerdictKind::NotJudged});
    }
    return verdicts;
  };
  std::uint64_t index = 0;
  Case value = make_case(request, 9, index);
  while (!fails(value) && index < 3000) value = make_case(request, 9, ++index);
  EXPECT_TRUE(fails(value));
  return shrink::minimise(value, {.kind = verdict::VerdictKind::Fail, .failure = failure}, evaluate, {}).value;
}

std::vector<std::int64_t> extents_of(const Case& value) {
  const auto extents = value.operation.extents();
  return {extents.begin(), extents.end()};
}

TEST(LineRelations, HoldWhileACaseShrinks) {
  const auto fails = [](const Case& value) { return std::ranges::min(value.operation.extents()) >= 2; };
  for (const auto& [line, least] : kRelated) {
    SCOPED_TRACE(line);
    EXPECT_EQ(extents_of(smallest(related_request(line), fails)), least);
  }
}

TEST(LineRelations, LetAParameterShrinkWithWhatItStridesOver) {
  // The element that the second output begins at is not 0: a shorter stride needs a shorter x, at the same time.
  const auto fails = [](const Case& value) {
    const std::int64_t stride = value.operation.extent("stride");
    return value.operation.extent("o") >= 2 && stride >= 4 && value.tensors.at("x").get(stride) != 0;
  };
  EXPECT_EQ(extents_of(smallest(related_request(kPool), fails)), (std::vector<std::int64_t>{2, 5, 1, 4}));
}

}  // namespace
}  // namespace negzero::generate
