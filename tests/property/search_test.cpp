// The search in one thread: what it counts, what it finds, and how small that gets.

#include <cfenv>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/property/search.hpp>
#include <negzero/run/caller_executor.hpp>

namespace negzero::property {
namespace {

using protocol::LaunchPlan;
using run::Called;
using ::testing::HasSubstr;
using verdict::FailureClass;
using Extents = std::vector<std::int64_t>;

float load(const protocol::PlannedBuffer& buffer, const std::byte* image, std::int64_t i, std::int64_t j) {
  float value = 0;
  const std::int64_t at = buffer.layout.offset + i * buffer.layout.strides[0] + j * buffer.layout.strides[1];
  std::memcpy(&value, image + buffer.at + 4 * at, 4);
  return value;
}

/// Sums rows of F32 from `first` on, one term after the other.
Called sum_from(const LaunchPlan& plan, std::byte* image, std::int64_t first = 0) {
  const protocol::PlannedBuffer &x = plan.buffers.at(0), &y = plan.buffers.at(1);
  for (std::int64_t i = 0; i < x.layout.shape[0]; ++i) {
    float sum = 0;
    for (std::int64_t j = first; j < x.layout.shape[1]; ++j) sum += load(x, image, i, j);
    std::memcpy(image + y.at + 4 * (y.layout.offset + i * y.layout.strides[0]), &sum, 4);
  }
  return {};
}

using Function = std::function<Called(const LaunchPlan&, std::byte*)>;

struct Looked {
  base::Result<Searched> searched;
  std::set<Extents> shapes;  ///< that the function was called with
  std::int64_t launches;
};

Looked look(const Function& function, SearchOptions options, generate::Request request = {.operation = "reduce.sum"},
            int stop_after = -1) {
  request.limits.formats = {{number::FormatId::F32, number::FormatId::F32}};
  request.limits.distant = false;
  std::set<Extents> shapes;
  std::vector<std::byte> memory;
  std::fenv_t environment;
  std::fegetenv(&environment);
  run::CallerExecutor executor(
      [&](const run::Job& job, const LaunchPlan& plan, std::byte* image) {
        if (stop_after-- == 0) return Called{.how = Called::How::Stopped};
        const auto extents = job.value->operation.extents();
        shapes.insert({extents.begin(), extents.end()});
        return function(plan, image);
      },
      [&](std::size_t size) {
        memory.resize(size + 4096);
        return memory.data() + (4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096) % 4096;
      },
      environment);
  options.stop = [&] { return executor.is_stopped(); };
  kernel::Kernel kernel{.name = "function", .operation = request.operation, .contract = request.contract};
  kernel.limits = request.limits;
  auto searched = search(request, kernel, executor, options);
  return {std::move(searched), std::move(shapes), executor.launches()};
}

TEST(Search, CountsCasesThatPass) {
  const Looked looked =
      look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image); }, {.cases = 1000});
  ASSERT_TRUE(looked.searched.ok());
  EXPECT_FALSE(looked.searched->found);
  EXPECT_EQ(looked.searched->passed + looked.searched->vacuous + looked.searched->empty, 1000);
  EXPECT_GT(looked.searched->passed, 900);
  EXPECT_GT(looked.searched->empty, 0);
  EXPECT_EQ(looked.searched->errors, 0);
  EXPECT_GT(looked.shapes.size(), 50u);
}

TEST(Search, ShrinksToTheLeastCaseThatFails) {
  const Looked looked =
      look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); }, {.cases = 100});
  ASSERT_TRUE(looked.searched.ok() && looked.searched->found);
  const Found& found = *looked.searched->found;
  EXPECT_EQ(Extents(found.value.operation.extents().begin(), found.value.operation.extents().end()), Extents({1, 1}));
  EXPECT_EQ(found.verdict.failure->kind, FailureClass::WrongValue);
  EXPECT_TRUE(found.came_again);
  EXPECT_EQ(found.hits, found.runs);
  EXPECT_FALSE(found.is_cut);
  EXPECT_FALSE(found.value.contract.empty());
  const number::Format& f32 = number::format(number::FormatId::F32);
  EXPECT_EQ(found.value.tensors.at("x").get(0), number::one(f32));
}

TEST(Search, BeginsWithGivenCases) {
  const Looked drawn =
      look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); }, {.cases = 100});
  ASSERT_TRUE(drawn.searched.ok() && drawn.searched->found);
  const Looked again = look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); },
                            {.cases = 0, .first = {drawn.searched->found->value}});
  ASSERT_TRUE(again.searched.ok() && again.searched->found);
  EXPECT_EQ(again.searched->found->value, drawn.searched->found->value);
}

TEST(Search, KeepsToTheDrawnShapes) {
  const Looked right =
      look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image); }, {.cases = 200, .shapes = 5});
  ASSERT_TRUE(right.searched.ok());
  EXPECT_FALSE(right.searched->found);
  EXPECT_LE(right.shapes.size(), 5u);
  EXPECT_GT(right.shapes.size(), 1u);
  const Looked wrong = look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); },
                            {.cases = 200, .shapes = 5});
  ASSERT_TRUE(wrong.searched.ok() && wrong.searched->found);
  EXPECT_LE(wrong.shapes.size(), 10u);  // as many others for the shrinker
}

TEST(Search, AnotherExceptionIsAnotherFailure) {
  const auto raises = [](const LaunchPlan& plan, std::byte* image) {
    const std::int64_t columns = plan.buffers.at(0).layout.shape[1];
    if (columns == 13) return Called{Called::How::Raised, "ValueError: thirteen"};
    if (columns == 0) return Called{Called::How::Raised, "IndexError: none"};
    return sum_from(plan, image);
  };
  generate::Request request{.operation = "reduce.sum"};
  request.limits.extents["columns"] = {.min = 0, .max = 64};
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Looked looked = look(raises, {.seed = seed, .cases = 300}, request);
    ASSERT_TRUE(looked.searched.ok() && looked.searched->found);
    const Found& found = *looked.searched->found;
    EXPECT_EQ(found.verdict.failure->rule, verdict::Rule("run.raised"));
    const std::string type = found.verdict.failure->message.substr(0, 10);
    seen.insert(type);
    EXPECT_EQ(found.value.operation.extents()[1], type == "ValueError" ? 13 : 0);
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(Search, SaysThatAFailureComesAndGoes) {
  // The search sees it at the first launch, and never again.
  int calls = 0;
  const Looked once =
      look([&](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, calls++ == 0 ? 1 : 0); },
           {.cases = 1, .first = {}},
           [] {
             generate::Request request{.operation = "reduce.sum"};
             request.limits.extents["rows"] = {.min = 2, .max = 2};
             request.limits.extents["columns"] = {.min = 3, .max = 3};
             return request;
           }());
  ASSERT_TRUE(once.searched.ok() && once.searched->found);
  EXPECT_FALSE(once.searched->found->came_again);
  EXPECT_EQ(once.searched->found->hits, 0);
  EXPECT_EQ(once.searched->found->evaluations, 0);
}

TEST(Search, OtherBitsInASecondRunAreAFindingWhereThatIsPromised) {
  generate::Request request{.operation = "reduce.sum"};
  request.limits.extents["rows"] = {.min = 1, .max = 4};
  request.limits.extents["columns"] = {.min = 2, .max = 8};
  int calls = 0;
  const auto from_either_end = [&](const LaunchPlan& plan, std::byte* image) {
    if (++calls % 2 == 0) return sum_from(plan, image);
    const protocol::PlannedBuffer &x = plan.buffers.at(0), &y = plan.buffers.at(1);
    for (std::int64_t i = 0; i < x.layout.shape[0]; ++i) {
      float sum = 0;
      for (std::int64_t j = x.layout.shape[1]; j-- > 0;) sum += load(x, image, i, j);
      std::memcpy(image + y.at + 4 * (y.layout.offset + i * y.layout.strides[0]), &sum, 4);
    }
    return Called{};
  };
  EXPECT_FALSE(look(from_either_end, {.cases = 300}, request).searched->found);
  request.contract.determinism = contract::Determinism::RunToRun;
  const Looked promised = look(from_either_end, {.cases = 300}, request);
  ASSERT_TRUE(promised.searched->found);
  EXPECT_EQ(promised.searched->found->verdict.failure->kind, FailureClass::NotDeterministic);
  EXPECT_EQ(promised.searched->found->verdict.failure->rule, verdict::Rule("run.repeat"));
}

TEST(Search, HoldsCasesToClaims) {
  generate::Request request{.operation = "reduce.sum"};
  request.contract.determinism = contract::Determinism::RunToRun;
  const SearchOptions options{.cases = 300, .claims = {"nan_row"}};
  const Looked right =
      look([](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image); }, options, request);
  ASSERT_TRUE(right.searched.ok());
  EXPECT_FALSE(right.searched->found);
  EXPECT_GT(right.searched->held, 20);
  // A NaN in any row makes the last row 0: the oracle permits any finite result of no row, so row 0 is told apart.
  const auto leaks = [](const LaunchPlan& plan, std::byte* image) {
    const protocol::PlannedBuffer &x = plan.buffers.at(0), &y = plan.buffers.at(1);
    sum_from(plan, image);
    const std::int64_t rows = x.layout.shape[0];
    bool any = false;
    for (std::int64_t i = 0; i + 1 < rows; ++i) {
      for (std::int64_t j = 0; j < x.layout.shape[1]; ++j) any |= load(x, image, i, j) != load(x, image, i, j);
    }
    const float nan = __builtin_nanf("");
    if (any) std::memcpy(image + y.at + 4 * (y.layout.offset + (rows - 1) * y.layout.strides[0]), &nan, 4);
    return Called{};
  };
  request.mix.finite = true;  // so that conformance cannot see it
  const Looked wrong = look(leaks, options, request);
  ASSERT_TRUE(wrong.searched.ok() && wrong.searched->found);
  EXPECT_EQ(wrong.searched->found->claim, "nan_row");
  EXPECT_EQ(wrong.searched->found->verdict.failure->rule, verdict::Rule("meta.nan_row"));
  EXPECT_EQ(wrong.searched->found->hits, wrong.searched->found->runs);
}

TEST(Search, PassesOverWhatIsKnownAndHidesNothingElse) {
  generate::Request request{.operation = "reduce.sum"};
  request.limits.extents["columns"] = {.min = 1, .max = 64};
  const auto raises = [](const LaunchPlan& plan, std::byte* image) {
    const std::int64_t columns = plan.buffers.at(0).layout.shape[1];
    if (columns > 1 && columns % 2 == 0) return Called{Called::How::Raised, "ValueError: even"};
    return sum_from(plan, image);
  };
  const Looked known = look(raises, {.cases = 300, .known = {{.rule = "run.race"}, {.rule = "run.raised"}}}, request);
  ASSERT_TRUE(known.searched.ok());
  EXPECT_FALSE(known.searched->found);
  ASSERT_EQ(known.searched->known.size(), 2u);
  EXPECT_EQ(known.searched->known[0], 0);
  EXPECT_GT(known.searched->known[1], 50);
  EXPECT_EQ(known.searched->known[1] + known.searched->passed + known.searched->vacuous + known.searched->empty, 300);
  const auto also_wrong = [&](const LaunchPlan& plan, std::byte* image) {
    const Called called = raises(plan, image);
    return called.how == Called::How::Raised ? called : sum_from(plan, image, 1);
  };
  const Looked other = look(also_wrong, {.cases = 300, .known = {{.kind = FailureClass::Crash}}}, request);
  ASSERT_TRUE(other.searched.ok() && other.searched->found);
  EXPECT_EQ(other.searched->found->verdict.failure->kind, FailureClass::WrongValue);
  // By the rule that it has once it is small.
  const auto drops = [](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); };
  const Looked sharp = look(drops, {.cases = 20, .known = {{.rule = "sum.exact"}}}, request);
  ASSERT_TRUE(sharp.searched.ok());
  EXPECT_GT(sharp.searched->known[0], 0);
}

TEST(Search, EndsWhereItIsStopped) {
  const auto right = [](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image); };
  const Looked looked = look(right, {.cases = 1000}, {.operation = "reduce.sum"}, 40);
  ASSERT_TRUE(looked.searched.ok());
  EXPECT_TRUE(looked.searched->is_stopped);
  EXPECT_EQ(looked.launches, 41);
  // While shrinking: what was found stays.
  const auto wrong = [](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image, 1); };
  const Looked shrinking = look(wrong, {.cases = 1000}, {.operation = "reduce.sum"}, 12);
  ASSERT_TRUE(shrinking.searched.ok() && shrinking.searched->found);
  EXPECT_TRUE(shrinking.searched->is_stopped);
  EXPECT_TRUE(shrinking.searched->found->is_cut);
}

TEST(Search, NamesWhatIsWrongWithARequest) {
  const auto right = [](const LaunchPlan& plan, std::byte* image) { return sum_from(plan, image); };
  const Looked claim = look(right, {.claims = {"nan_rows"}});
  ASSERT_FALSE(claim.searched.ok());
  EXPECT_THAT(claim.searched.error().message, HasSubstr("'nan_rows' is no property; known: run_twice"));
  generate::Request request{.operation = "reduce.sum"};
  request.limits.extents["columns"] = {.min = 5, .max = 2};
  EXPECT_FALSE(look(right, {}, request).searched.ok());
}

}  // namespace
}  // namespace negzero::property
