// Launches that follow one another on a GPU, in the same memory: one request, chains, and what ends them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/property/state_looks.hpp>

#include "executors.hpp"

namespace negzero::run {
namespace {

using namespace run_test;

using InTurnTest = CudaExecutorTest;

/// Launches of a sum in turn, and where each of them found its memory and its workspace.
struct InTurn {
  struct Seen {
    void *x, *workspace, *stream;
  };
  std::vector<Seen> seen{};
  std::function<void(std::size_t launch, void* workspace)> also{};
  kernel::Kernel kernel = make_kernel(
      "reduce.sum", [this, sum = sum_kernel().launch](const Args& args, Workspace& workspace, engine::Stream& stream) {
        void* const room = workspace.allocate(24);
        if (also) also(seen.size(), room);
        seen.push_back({reduce_args(args).x.data, room, stream.handle()});
        fake_gpu::tell_launch(stream.handle());
        return sum(args, workspace, stream);
      });
  std::vector<operation::Case> cases = {sum_case(2, 4), sum_case(2, 4), sum_case(3, 5), sum_case(2, 4)};

  std::vector<Turn> turns() const {
    std::vector<Turn> turns;
    for (const operation::Case& value : cases) turns.push_back({{&value, &kernel.contract}, {}});
    turns[1].other.storage = true;
    turns[2].other.stream = true;
    return turns;
  }
};

TEST_F(InTurnTest, LaunchesInTurnAreOneRequestInTheSameMemory) {
  using Kind = fake_gpu::Step::Kind;
  InTurn in_turn;
  Replaced cuda;
  (void)cuda.run(in_turn.cases[0], in_turn.kernel, {});
  in_turn.seen.clear();
  (void)fake_gpu::take_steps();
  const std::vector<Turn> turns = in_turn.turns();
  const std::vector<Outcome> outcomes = cuda.run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), 4u);
  HostExecutor host;
  for (std::size_t i = 0; i < 4; ++i) {
    expect_same(host.run(in_turn.cases[i], sum_kernel(), {}), outcomes[i], std::to_string(i));
  }
  const std::vector<InTurn::Seen>& seen = in_turn.seen;
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].x, seen[2].x);
  EXPECT_EQ(seen[0].x, seen[3].x);
  EXPECT_NE(seen[0].x, seen[1].x);
  EXPECT_EQ(seen[0].workspace, seen[1].workspace);
  EXPECT_EQ(seen[0].workspace, seen[3].workspace);
  EXPECT_NE(seen[0].stream, seen[2].stream);
  EXPECT_EQ(seen[0].stream, seen[3].stream);
  // Each launch has its contents before it, and what it wrote is taken before the next one's come; one wait in all.
  std::vector<Kind> kinds;
  std::size_t ends = 0;
  const void *stream = nullptr, *awaited = nullptr;
  for (const fake_gpu::Step& step : fake_gpu::take_steps()) {
    if (step.kind == Kind::End) ++ends;
    if (step.kind == Kind::Wait) awaited = step.other;
    if (step.kind == Kind::Upload && stream != nullptr && step.stream != stream) {
      EXPECT_EQ(awaited, stream);
    }
    if (step.kind != Kind::Wait) stream = step.stream;
    const bool again = !kinds.empty() && kinds.back() == step.kind;
    if (step.kind != Kind::End && step.kind != Kind::Wait && !again) kinds.push_back(step.kind);
  }
  EXPECT_EQ(ends, 1u);
  std::vector<Kind> expected;
  for (int i = 0; i < 4; ++i) expected.insert(expected.end(), {Kind::Upload, Kind::Launch, Kind::Download});
  EXPECT_EQ(kinds, expected);
}

TEST_F(InTurnTest, ManyLaunchesInTurnAreFewRequestsInTheSameMemory) {
  InTurn in_turn;
  // An image holds some eight of these.
  in_turn.cases.assign(50, sum_case(4, 250000));
  Replaced cuda;
  const std::vector<Turn> turns = in_turn.turns();
  (void)fake_gpu::take_steps();
  const std::vector<Outcome> outcomes = cuda.run_in_turn(turns, in_turn.kernel, 2);
  std::size_t ends = 0;
  for (const fake_gpu::Step& step : fake_gpu::take_steps()) ends += step.kind == fake_gpu::Step::Kind::End ? 1 : 0;
  EXPECT_GT(ends, 5u);
  EXPECT_LT(ends, 15u);
  ASSERT_EQ(outcomes.size(), turns.size());
  const Outcome expected = HostExecutor().run(in_turn.cases[0], sum_kernel(), {});
  for (std::size_t i = 0; i < turns.size(); ++i) {
    expect_same(expected, outcomes[i], std::to_string(i));
    EXPECT_EQ(in_turn.seen[i].x == in_turn.seen[0].x, i != 1) << i;
  }
}

TEST_F(InTurnTest, ChainsHaveMemoryAndStreamsOfTheirOwn) {
  InTurn in_turn;
  in_turn.cases.assign(3 * protocol::kChains, sum_case(2, 4));
  std::vector<Turn> turns = in_turn.turns();
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i].chain = static_cast<std::uint8_t>(i % protocol::kChains);
    turns[i].other = {.storage = i / protocol::kChains == 1, .stream = i / protocol::kChains == 2};
  }
  (void)fake_gpu::take_steps();
  const std::vector<Outcome> outcomes = Replaced().run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), turns.size());
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, Outcome::Status::Completed) << outcome.reason;
  std::set<const void*> memory, streams;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    memory.insert(in_turn.seen[i].x);
    streams.insert(in_turn.seen[i].stream);
    const InTurn::Seen& first = in_turn.seen[i % protocol::kChains];
    EXPECT_EQ(in_turn.seen[i].x == first.x, i / protocol::kChains != 1) << i;
    EXPECT_EQ(in_turn.seen[i].stream == first.stream, i / protocol::kChains != 2) << i;
  }
  EXPECT_EQ(memory.size(), std::size_t{2} * protocol::kChains);
  EXPECT_EQ(streams.size(), std::size_t{2} * protocol::kChains);
}

TEST_F(InTurnTest, LooksForStateAreChainsWhereLaunchesMayOverlap) {
  InTurn in_turn;
  in_turn.kernel.name = "sums";
  const operation::Case value = sum_case(2, 4);
  const std::vector<property::Look> looks(2 * protocol::kChains, property::Look{&value, {{.times = 3}}});
  Replaced cuda;
  const auto streams = [&] {
    in_turn.seen.clear();
    for (const auto& found : look_for_state(looks, in_turn.kernel, cuda, {})) EXPECT_FALSE(found);
    EXPECT_EQ(in_turn.seen.size(), 6u * protocol::kChains);
    std::set<const void*> used;
    for (const InTurn::Seen& seen : in_turn.seen) used.insert(seen.stream);
    return used.size();
  };
  EXPECT_EQ(streams(), protocol::kChains);
  cuda.keep_in_turn(in_turn.kernel);
  EXPECT_EQ(streams(), 1u);
}

TEST_F(InTurnTest, AWriteAroundAWorkspaceIsThatOfItsTurn) {
  InTurn in_turn;
  in_turn.also = [](std::size_t launch, void* workspace) {
    if (launch == 1) flip(workspace, 24);
  };
  const std::vector<Turn> turns = in_turn.turns();
  const std::vector<Outcome> outcomes = Replaced().run_in_turn(turns, in_turn.kernel);
  ASSERT_EQ(outcomes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(outcomes[i].failure.has_value(), i == 1) << i;
  EXPECT_EQ(outcomes[1].failure->rule, verdict::Rule("run.guard"));
}

/// Requests of turns, answered as `first` says of the first of them.
struct Answered {
  explicit Answered(std::function<Replaced::Outcomes(std::size_t turns)> first)
      : executor([this, first](std::span<const protocol::LaunchPlan> plans) -> std::optional<Replaced::Outcomes> {
          requests.push_back(plans.size());
          return requests.size() == 1 ? std::optional(first(plans.size())) : std::nullopt;
        }) {}

  std::vector<std::size_t> requests{};
  InTurn in_turn{};
  Replaced executor;
  std::vector<Outcome> run() {
    const std::vector<Turn> turns = in_turn.turns();
    return executor.run_in_turn(turns, in_turn.kernel);
  }
};

TEST_F(InTurnTest, TurnsThatDoNotRunTogetherRunOneByOne) {
  const protocol::LaunchOutcome done{.status = protocol::LaunchOutcome::Status::Done};
  protocol::LaunchOutcome crash = protocol::LaunchOutcome::failed(protocol::Fault::Crash, "");
  crash.spoilt = true;
  for (const bool ends : {true, false}) {
    Answered answered([&](std::size_t turns) {
      if (!ends) return Replaced::Outcomes(turns, protocol::LaunchOutcome::error("out of memory"));
      return Replaced::Outcomes{done, crash};
    });
    for (int again = 0; again < 2; ++again) {
      const std::vector<Outcome> outcomes = answered.run();
      ASSERT_EQ(outcomes.size(), 4u);
      for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, Outcome::Status::Completed) << outcome.reason;
    }
    std::vector<std::size_t> requests{4, 1, 1, 1, 1};
    if (ends) {
      requests.insert(requests.end(), 4, 1);  // It is not tried again.
    } else {
      requests.push_back(4);
    }
    EXPECT_EQ(answered.requests, requests);
    EXPECT_EQ(answered.executor.may_run_at_once(answered.in_turn.kernel), !ends);
  }
}

TEST_F(InTurnTest, AGpuThatIsLostInTurnIsNoOutput) {
  for (const std::size_t turns : {4, 1}) {
    Answered answered([](std::size_t plans) {
      return Replaced::Outcomes(plans, {.status = protocol::LaunchOutcome::Status::Lost, .message = "the GPU is gone"});
    });
    answered.in_turn.cases.resize(std::max<std::size_t>(turns, 3));
    std::vector<Turn> some = answered.in_turn.turns();
    some.resize(turns);
    const std::vector<Outcome> outcomes = answered.executor.run_in_turn(some, answered.in_turn.kernel);
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].status, Outcome::Status::Error);
    EXPECT_EQ(outcomes[0].reason, "the GPU is gone");
    EXPECT_EQ(answered.executor.lost(), "the GPU is gone");
    EXPECT_EQ(answered.requests.size(), 1u) << "nothing is launched any more";
  }
}

TEST_F(InTurnTest, LooksThatFailOnlyWhereTheyOverlapFindNothing) {
  InTurn in_turn;
  std::set<void*> streams;
  in_turn.kernel = sum_unless([&](void* stream) {
    streams.insert(stream);
    return streams.size() > 1;
  });
  const operation::Case value = sum_case(2, 4);
  const std::vector<property::Look> looks(protocol::kChains, property::Look{&value, {{.times = 3}}});
  Replaced executor([&](std::span<const protocol::LaunchPlan>) -> std::optional<Replaced::Outcomes> {
    streams.clear();
    return std::nullopt;
  });
  for (const auto& found : look_for_state(looks, in_turn.kernel, executor, {})) EXPECT_FALSE(found);
  EXPECT_FALSE(executor.may_run_at_once(in_turn.kernel));
}

}  // namespace
}  // namespace negzero::run
