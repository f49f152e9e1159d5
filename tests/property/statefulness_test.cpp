// Kernels that remember launches are found out by the launches that show it; honest memory and honest kernels are not.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <negzero/property/state_looks.hpp>
#include <negzero/property/statefulness.hpp>
#include <negzero/run/worker_executor.hpp>

#include "../run/workers.hpp"

namespace negzero::property {
namespace {

using namespace run_test;
using operation::Case;
using operation::Contents;
using operation::History;
using ::testing::HasSubstr;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// Sums of the first `columns` columns of each row.
void sum_columns(const ReduceArgs& args, std::int64_t columns) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      sum += args.x.as<float>()[i * args.x.strides[0] + j * args.x.strides[1]];
    }
    args.y.as<float>()[i * args.y.strides[0]] = sum;
  }
}

std::vector<float> elements(const ReduceArgs& args, std::int64_t most) {
  std::vector<float> result;
  for (std::int64_t i = 0; i < args.rows * args.columns && i < most; ++i) {
    result.push_back(args.x.as<float>()[i / args.columns * args.x.strides[0] + i % args.columns * args.x.strides[1]]);
  }
  return result;
}

/// Sums kept under a key, and given again where it is the same.
template <typename Key>
void cached(const Key& key, const ReduceArgs& args) {
  static std::map<std::tuple<Key, std::int64_t, std::int64_t>, std::vector<float>> answers;
  std::vector<float>& answer = answers[{key, args.rows, args.columns}];
  if (answer.empty()) {
    sum_columns(args, args.columns);
    for (std::int64_t i = 0; i < args.rows; ++i) answer.push_back(args.y.as<float>()[i * args.y.strides[0]]);
  }
  for (std::int64_t i = 0; i < args.rows; ++i) {
    args.y.as<float>()[i * args.y.strides[0]] = answer[static_cast<std::size_t>(i)];
  }
}

void sum_all(const Args& args) { sum_columns(reduce_args(args), reduce_args(args).columns); }

bool add_launch(const std::string& name, std::function<LaunchResult(const Args&, Workspace&, engine::Stream&)> launch) {
  kernel::Kernel kernel = make_kernel("reduce.sum", std::move(launch));
  kernel.name = name;
  return kernel::registry().add(std::move(kernel));
}

bool add_sum(const std::string& name, void (*work)(const ReduceArgs&)) {
  return add_launch(name, [work](const Args& args, Workspace&, engine::Stream& stream) {
    on_device(stream, [&] { work(reduce_args(args)); });
    return LaunchResult::launched();
  });
}

/// Launches of this process, each of which is a worker's.
int launches = 0;

const bool added[] = {
    add_sum("state.none", [](const ReduceArgs& args) { sum_columns(args, args.columns); }),
    add_sum("state.honest_cache", [](const ReduceArgs& args) { cached(elements(args, 1 << 20), args); }),
    add_sum("state.by_pointer", [](const ReduceArgs& args) { cached(args.x.data, args); }),
    add_sum("state.by_first_element", [](const ReduceArgs& args) { cached(elements(args, 1), args); }),
    add_sum("state.by_ends",
            [](const ReduceArgs& args) {
              const auto all = elements(args, 1 << 20);
              cached(std::vector<float>{all.front(), all.back()}, args);
            }),
    add_sum("state.drifts",
            [](const ReduceArgs& args) { sum_columns(args, args.columns - (++launches > 10 ? 1 : 0)); }),
    add_sum("state.third_launch",
            [](const ReduceArgs& args) { sum_columns(args, args.columns - (++launches % 3 == 0 ? 1 : 0)); }),
    add_sum("state.by_shape",
            [](const ReduceArgs& args) {
              static std::int64_t before = args.columns;
              sum_columns(args, std::min(std::exchange(before, args.columns), args.columns));
            }),
    add_launch("state.first_stream",
               [](const Args& args, Workspace&, engine::Stream& stream) {
                 static engine::Stream* const first = &stream;
                 on_device(*first, [&] { sum_all(args); });
                 return LaunchResult::launched();
               }),
    add_launch("state.copy_of_stream",
               [](const Args& args, Workspace&, engine::Stream& stream) {
                 static engine::Stream first = stream;
                 on_device(first, [&] { sum_all(args); });
                 return LaunchResult::launched();
               }),
    add_launch("state.by_stream",
               [](const Args& args, Workspace&, engine::Stream& stream) {
                 static const void* const first = stream.handle();
                 on_device(stream, [&] {
                   const auto& sum = reduce_args(args);
                   sum_columns(sum, sum.columns - (stream.handle() == first ? 0 : 1));
                 });
                 return LaunchResult::launched();
               }),
    add_launch("state.copies_stream",
               [](const Args& args, Workspace&, engine::Stream& stream) {
                 engine::Stream mine = stream;
                 on_device(mine, [&] { sum_all(args); });
                 return LaunchResult::launched();
               }),
    add_sum("state.too_much_for_five_rows",
            [](const ReduceArgs& args) {
              if (args.rows == 5) ::operator delete(::operator new (std::size_t{1} << 46));
              cached(args.x.data, args);
            }),
    add_sum("state.dies_third",
            [](const ReduceArgs& args) {
              if (++launches == 3) std::abort();
              sum_columns(args, args.columns);
            }),
    // Whatever came before: the first element is not that of case_of().
    add_sum("state.dies_of_others",
            [](const ReduceArgs& args) {
              if (elements(args, 1).front() != 1) std::abort();
              sum_columns(args, args.columns);
            }),
    // Right of three rows, unless one row was summed before: the launch that fails by itself also breaks those after
    // it.
    add_sum("state.few_rows",
            [](const ReduceArgs& args) {
              static bool is_broken = false;
              is_broken = is_broken || args.rows < 3;
              sum_columns(args, args.columns - (is_broken ? 1 : 0));
            }),
    add_sum("state.wrong", [](const ReduceArgs& args) { sum_columns(args, args.columns - 1); }),
    add_sum("state.slow",
            [](const ReduceArgs& args) {
              ::usleep(200000);
              sum_columns(args, args.columns);
            }),
};

Case case_of(std::int64_t rows, std::int64_t columns, History history = {}) {
  Case value = sum_case(rows, columns);
  value.history = std::move(history);
  return value;
}

std::optional<StateFound> look(const std::string& name, const History& history) {
  run::WorkerExecutor executor(run::WorkerOptions{});
  const Case value = case_of(3, 4);
  return std::move(look_for_state(std::vector<Look>{{&value, history}}, named(name), executor, {}).front());
}

Verdict after(const std::string& name, History history) {
  run::WorkerExecutor executor(run::WorkerOptions{});
  return conformance_after(case_of(3, 4, std::move(history)), named(name), executor, {});
}

void expect_state(const std::string& name, const History& launched, const History& history) {
  const auto found = look(name, launched);
  ASSERT_TRUE(found) << name;
  EXPECT_EQ(found->history, history) << name << ": " << operation::describe(found->history);
  EXPECT_EQ(found->verdict.failure->kind, FailureClass::Stateful) << name;
  EXPECT_EQ(found->verdict.failure->rule, verdict::Rule("run.state"));
  EXPECT_EQ(after(name, history).failure->kind, FailureClass::Stateful) << "again from the history alone";
}

TEST(Statefulness, FewLaunchesShowAnswersFromBefore) {
  const History few = few_launches(base::Random(1), operation::Reduce{});
  ASSERT_EQ(few.size(), 2u);
  for (const char* name : {"state.by_pointer", "state.by_first_element"}) expect_state(name, few, {few[1]});
}

TEST(Statefulness, FewLaunchesChangeScalarsWhereThereAreSome) {
  int scalars = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Contents of_gemm = few_launches(base::Random(seed), operation::Gemm{})[1].contents;
    scalars += of_gemm == Contents::Scalars ? 1 : 0;
    EXPECT_TRUE(of_gemm == Contents::Scalars || of_gemm == Contents::Later);
    EXPECT_EQ(few_launches(base::Random(seed), operation::Scatter{})[1].contents, Contents::Later);
  }
  EXPECT_GT(scalars, 60);
  EXPECT_LT(scalars, 140);
}

TEST(Statefulness, EachKindIsShownByItsLaunches) {
  expect_state("state.by_ends", {{}, {.contents = Contents::One, .seed = 5}}, {{.contents = Contents::One, .seed = 5}});
  expect_state("state.drifts", {{.times = 13}}, {{.times = 10}});
  expect_state("state.third_launch", {{.times = 13}}, {{.times = 2}});
  expect_state("state.by_shape", {{}, {.same_shape = false, .seed = 9}, {}}, {{}, {.same_shape = false, .seed = 9}});
  expect_state("state.dies_third", {{.times = 13}}, {{.times = 2}});
  for (const char* name : {"state.first_stream", "state.copy_of_stream", "state.by_stream"}) {
    expect_state(name, {{}, {.same_stream = false}, {}}, {{.same_stream = false}});
  }
}

TEST(Statefulness, EachOfManyLooksFindsItsOwn) {
  const Case value = case_of(3, 4), larger = case_of(5, 2);
  const History one = {{}, {.contents = Contents::One, .seed = 5}};
  for (const std::size_t threads : {1, 3}) {
    run::WorkerExecutor executor(run::WorkerOptions{});
    const std::vector<Look> looks = {{&value, {{.times = 3}}}, {&larger, one}, {&value, {}}, {&value, one}};
    const auto found = look_for_state(looks, named("state.by_ends"), executor, {.threads = threads});
    ASSERT_EQ(found.size(), 4u);
    EXPECT_FALSE(found[0]);
    EXPECT_FALSE(found[2]);
    for (const std::size_t i : {1, 3}) {
      ASSERT_TRUE(found[i]) << i;
      EXPECT_EQ(found[i]->history, History{one[1]}) << i;
    }
  }
}

TEST(Statefulness, AProcessThatEndsTakesNoLookWithIt) {
  const Case value = case_of(3, 4);
  run::WorkerExecutor executor(run::WorkerOptions{});
  const Look look{&value, {{.times = 3}}};
  const auto found = look_for_state(std::vector<Look>(3, look), named("state.dies_third"), executor, {});
  ASSERT_EQ(found.size(), 3u);
  for (const auto& each : found) {
    ASSERT_TRUE(each);
    EXPECT_EQ(each->history, (History{{.times = 2}}));
  }
}

TEST(Statefulness, AProcessThatIsKilledTakesNoLookWithIt) {
  const Case value = case_of(3, 4), deadly = case_of(5, 4);
  run::WorkerExecutor executor(run::WorkerOptions{});
  const History one = {{}, {.contents = Contents::Other, .seed = 5}};
  const std::vector<Look> looks = {{&value, one}, {&deadly, one}, {&value, one}};
  const auto found = look_for_state(looks, named("state.too_much_for_five_rows"), executor, {});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]) << "too little memory, most likely";
  EXPECT_TRUE(found[2]);
}

TEST(Statefulness, LaunchesAreCutInPairsOrTimes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const History all = many_launches(base::Random(seed));
    for (const std::uint32_t most : {4u, 5u, 7u, 20u, 50u}) {
      const History some = at_most(all, most);
      EXPECT_LE(operation::launches(some), most);
      EXPECT_GE(operation::launches(some) + 1, std::min(most, operation::launches(all)));
      ASSERT_LE(some.size(), all.size());
      for (std::size_t i = 0; i < some.size() && all.size() > 1; ++i) EXPECT_EQ(some[i], all[i]);
    }
  }
}

TEST(Statefulness, HonestKernelsShowNone) {
  std::vector<History> all = usual_histories();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    all.push_back(few_launches(base::Random(seed), operation::Gemm{}));
    all.push_back(many_launches(base::Random(seed)));
    EXPECT_LE(operation::launches(all.back()), operation::kMostEarlierLaunches);
  }
  for (const char* name : {"state.none", "state.honest_cache", "state.copies_stream"}) {
    for (const History& history : all) EXPECT_FALSE(look(name, history)) << name << operation::describe(history);
  }
}

TEST(Statefulness, ManyLaunchesAreOfEveryKind) {
  std::size_t same = 0, elsewhere = 0, shape = 0, stream = 0;
  std::map<Contents, int> contents;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const History history = many_launches(base::Random(seed));
    EXPECT_EQ(history, many_launches(base::Random(seed)));
    same += history.size() == 1 ? 1 : 0;
    for (const auto& each : history) {
      elsewhere += each.same_storage ? 0 : 1;
      shape += each.same_shape ? 0 : 1;
      stream += each.same_stream ? 0 : 1;
      ++contents[each.contents];
    }
  }
  EXPECT_GT(same, 20u);
  EXPECT_GT(elsewhere, 50u);
  EXPECT_GT(shape, 50u);
  EXPECT_GT(stream, 50u);
  EXPECT_EQ(contents.size(), 5u);
}

TEST(Statefulness, AnOrdinaryFailureIsNoState) {
  const Verdict verdict = after("state.wrong", {{.times = 3}});
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::WrongValue);
  const auto found = look("state.wrong", {{.times = 3}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->history.empty());
  EXPECT_EQ(found->verdict.failure->kind, FailureClass::WrongValue);
}

TEST(Statefulness, ALaunchThatFailsAloneIsAFindingOfItsOwn) {
  const operation::EarlierLaunches other{.contents = Contents::Other, .seed = 3};
  const auto died = look("state.dies_of_others", {{}, other});
  ASSERT_TRUE(died);
  EXPECT_TRUE(died->history.empty());
  EXPECT_EQ(died->launch, other);
  EXPECT_EQ(died->verdict.failure->kind, FailureClass::Crash);

  const operation::EarlierLaunches smaller{.same_shape = false, .seed = 9};
  for (const History& earlier : {History{{}, smaller}, History{{}, smaller, {}}}) {
    const auto wrong = look("state.few_rows", earlier);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->launch, smaller);
    EXPECT_EQ(wrong->verdict.failure->kind, FailureClass::WrongValue) << "one row of two, by itself";
  }
}

TEST(Statefulness, BehindALaunchThatFailsAloneNothingIsState) {
  for (const History& history :
       {History{{.contents = Contents::Other, .seed = 3}}, History{{}, {.contents = Contents::Other, .seed = 3}}}) {
    const Verdict verdict = after("state.dies_of_others", history);
    ASSERT_EQ(verdict.kind, VerdictKind::Fail) << "the launch does end it";
    EXPECT_EQ(verdict.failure->kind, FailureClass::Crash);
    EXPECT_THAT(verdict.failure->message,
                HasSubstr("A launch of the history fails by itself (after 1 launch with other"));
  }
}

TEST(Statefulness, AHistoryThatIsNotTheOneIsAPass) {
  EXPECT_EQ(after("state.third_launch", {{.times = 1}}).kind, VerdictKind::Pass);
  EXPECT_EQ(after("state.by_pointer", {{.contents = Contents::Other, .same_storage = false}}).kind, VerdictKind::Pass);
  EXPECT_EQ(after("state.by_first_element", {{.contents = Contents::Other, .seed = 1}}).kind, VerdictKind::Pass);
}

TEST(Statefulness, WhatIsWrongSaysBehindWhat) {
  const Verdict verdict = after("state.third_launch", {{.times = 2}});
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_THAT(
      verdict.failure->message,
      HasSubstr("Right in a fresh process, wrong after 2 launches with the same contents in the same storage ("));
  EXPECT_TRUE(verdict.failure->permitted_under.empty());
  EXPECT_FALSE(verdict.failure->coordinates.empty()) << "what the oracle says of the element";
}

TEST(Statefulness, ADeathOnTheWayIsAFailure) {
  const Verdict verdict = after("state.dies_third", {{.times = 5}});
  ASSERT_EQ(verdict.kind, VerdictKind::Fail);
  EXPECT_EQ(verdict.failure->kind, FailureClass::Stateful);
  EXPECT_THAT(verdict.failure->message,
              HasSubstr("Right in a fresh process, in launch 3 of 6 that run after 5 launches"));
  EXPECT_THAT(verdict.failure->message, HasSubstr("signal 6"));
}

TEST(Statefulness, AWorkerThatIsKilledFromOutsideIsNobodysState) {
  std::atomic<bool> stop{false};
  std::atomic<int> killed{0};
  std::thread killer([&] {
    while (!stop) {
      ::usleep(300000);
      for (const pid_t child : children()) killed += ::kill(child, SIGKILL) == 0 ? 1 : 0;
    }
  });
  for (int again = 0; again < 2; ++again) {
    EXPECT_FALSE(look("state.slow", {{.times = 3}}));
    EXPECT_NE(after("state.slow", {{.times = 3}}).kind, VerdictKind::Fail);
  }
  stop = true;
  killer.join();
  EXPECT_GT(killed, 0);
}

TEST(Statefulness, AContractThatIsNoneIsAnError) {
  run::WorkerExecutor executor(run::WorkerOptions{});
  Case value = case_of(3, 4, {{.times = 1}});
  value.contract = "{";
  EXPECT_EQ(conformance_after(value, named("state.none"), executor, {}).kind, VerdictKind::Error);
  const Look look{&value, {{.times = 3}}};
  EXPECT_FALSE(look_for_state({&look, 1}, named("state.none"), executor, {}).front());
}

}  // namespace
}  // namespace negzero::property
