// The pass over launches before a case: every step is tried, what is kept fails, and the result is the smallest.

#include <algorithm>

#include <gtest/gtest.h>

#include <negzero/shrink/passes.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::shrink {
namespace {

using operation::Case;
using operation::Contents;
using operation::EarlierLaunches;
using operation::History;
using verdict::Verdict;
using verdict::VerdictKind;

Case behind(History history) {
  Case value;
  value.operation = operation::Reduce{.kind = operation::ReduceKind::Sum, .rows = 1, .columns = 2};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  operation::pack_missing_layouts(value);
  value.history = std::move(history);
  return value;
}

const History kLong = {{},
                       {.times = 12, .contents = Contents::Other, .same_storage = false, .seed = 7},
                       {.same_shape = false, .same_stream = false, .seed = 3}};

std::vector<History> steps(const History& history) {
  std::vector<History> result;
  shrink_history(behind(history), {}, {}, [&](Case&& candidate) {
    result.push_back(candidate.history);
    return true;
  });
  return result;
}

TEST(ShrinkHistory, TriesEachStep) {
  const std::vector<History> all = steps(kLong);
  const auto tried = [&](std::size_t place, const auto& change) {
    History wanted = kLong;
    change(wanted[place]);
    EXPECT_EQ(std::ranges::count(all, wanted), 1);
  };
  for (std::size_t without = 0; without < kLong.size(); ++without) {
    History fewer = kLong;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(without));
    EXPECT_EQ(std::ranges::count(all, fewer), 1) << without;
  }
  for (const std::uint32_t times : {1u, 3u, 6u, 11u}) tried(1, [&](EarlierLaunches& each) { each.times = times; });
  for (const Contents contents : {Contents::Same, Contents::Scalars, Contents::One, Contents::Later}) {
    tried(1, [&](EarlierLaunches& each) { each.contents = contents; });
  }
  tried(1, [](EarlierLaunches& each) { each.same_storage = true; });
  tried(1, [](EarlierLaunches& each) { each.seed = 0; });
  tried(2, [](EarlierLaunches& each) { each.same_shape = true; });
  tried(2, [](EarlierLaunches& each) { each.same_stream = true; });
}

TEST(ShrinkHistory, NeverTakesAllLaunchesAway) {
  for (const History& candidate : steps({{.times = 4}})) EXPECT_FALSE(candidate.empty());
  EXPECT_TRUE(steps({}).empty());
}

TEST(ShrinkHistory, EndsWhereNoMoreIsWanted) {
  for (std::size_t wanted = 1; wanted < steps(kLong).size(); ++wanted) {
    std::size_t seen = 0;
    shrink_history(behind(kLong), {}, {}, [&](Case&&) { return ++seen < wanted; });
    EXPECT_EQ(seen, wanted);
  }
}

Minimised minimised(const History& start, const std::function<bool(const History&)>& fails) {
  const Verdict failing{.kind = VerdictKind::Fail,
                        .failure = verdict::Failure{.kind = verdict::FailureClass::Stateful, .rule = "run.state"}};
  const EvaluateBatch evaluate = [&](std::span<const Case> cases) {
    std::vector<Verdict> verdicts;
    for (const Case& value : cases) verdicts.push_back(fails(value.history) ? failing : Verdict{});
    return verdicts;
  };
  Minimised result = minimise(behind(start), failing, evaluate, {});
  EXPECT_TRUE(fails(result.value.history)) << "what is kept fails: " << operation::describe(result.value.history);
  return result;
}

TEST(ShrinkHistory, FindsTheSmallest) {
  const auto any = [](const auto& is_one) {
    return [is_one](const History& history) { return std::ranges::any_of(history, is_one); };
  };
  EXPECT_EQ(minimised(kLong, [](const History& h) { return !h.empty(); }).value.history, History{{}});
  EXPECT_EQ(minimised(kLong, [](const History& h) { return operation::launches(h) >= 5; }).value.history,
            (History{{.times = 5}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return !e.same_storage; })).value.history,
            (History{{.same_storage = false}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return !e.same_shape; })).value.history,
            (History{{.same_shape = false}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return !e.same_stream; })).value.history,
            (History{{.same_stream = false}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return e.contents != Contents::Same; })).value.history,
            (History{{.contents = Contents::Scalars}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return e.contents >= Contents::One; })).value.history,
            (History{{.contents = Contents::One}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return e.contents >= Contents::Later; })).value.history,
            (History{{.contents = Contents::Later}}));
  EXPECT_EQ(minimised(kLong, any([](const EarlierLaunches& e) { return e.seed == 7; })).value.history,
            (History{{.seed = 7}}));
}

}  // namespace
}  // namespace negzero::shrink
