// What an executor makes of the ends of processes: by one whose launches end as a test says.

#include <csignal>
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/run/executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using ::testing::HasSubstr;

/// Ends as scripted, and answers once nothing is scripted any more.
class Scripted final : public Executor {
 public:
  std::deque<std::optional<Death>> ends;
  int launches = 0;
  kernel::Place at = kernel::Place::Host;

  [[nodiscard]] kernel::Place place() const noexcept override { return at; }

 protected:
  [[nodiscard]] std::byte* memory(std::size_t size_bytes) override {
    room_.resize(size_bytes + 4096);
    return room_.data() + (4096 - reinterpret_cast<std::uintptr_t>(room_.data()) % 4096) % 4096;
  }
  [[nodiscard]] Launched launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel&) override {
    ++launches;
    Launched launched;
    if (!ends.empty()) {
      launched.death = ends.front();
      if (at == kernel::Place::Host || plans.size() == 1) launched.at = 0;
      ends.pop_front();
      if (launched.death) return launched;
    }
    launched.outcomes.resize(plans.size(), protocol::LaunchOutcome::failed(protocol::Fault::Refused, "scripted"));
    return launched;
  }
  [[nodiscard]] bool replaces_processes() const override { return true; }

 private:
  std::vector<std::byte> room_;
};

const Death kKilled{Death::Kind::Signal, SIGKILL};
const Death kAborted{Death::Kind::Signal, SIGABRT, protocol::Whereabouts::InKernel};
const Death kHungOutside{Death::Kind::Hang, 400, protocol::Whereabouts::Between};
const Death kHung{Death::Kind::Hang, 400, protocol::Whereabouts::InKernel};

const kernel::Kernel& sum() {
  static const kernel::Kernel kernel = make_kernel("reduce.sum", {});
  return kernel;
}

Outcome once(Scripted& executor) { return executor.run(sum_case(2, 3), sum(), {}); }

/// Whether a process lived to give its answer.
bool is_answer(const Outcome& outcome) { return outcome.failure && outcome.failure->message == "scripted"; }

std::vector<Outcome> in_turn(Scripted& executor, std::size_t turns) {
  static const operation::Case value = sum_case(2, 3);
  static const contract::Contract contract;
  return executor.run_in_turn(std::vector<Turn>(turns, {{&value, &contract}, false}), sum());
}

TEST(Executor, ADeathCountsWhereItComesAgain) {
  Scripted executor;
  executor.ends = {kAborted};
  const Outcome forgiven = once(executor);
  EXPECT_TRUE(is_answer(forgiven));
  ASSERT_EQ(forgiven.warnings.size(), 1u) << "never silently";
  EXPECT_EQ(forgiven.warnings[0], std::string(kCameOnce) + kAborted.to_string());
  EXPECT_TRUE(once(executor).warnings.empty());
  executor.ends = {kKilled};
  EXPECT_TRUE(once(executor).warnings.empty()) << "nobody's";
  executor.ends = {kAborted, kAborted};
  EXPECT_EQ(once(executor).failure->rule, verdict::Rule("run.crash"));
  executor.ends = {kAborted, kKilled, kAborted};
  EXPECT_EQ(once(executor).failure->rule, verdict::Rule("run.crash"));
}

TEST(Executor, AHangOutsideAnyLaunchIsTreatedLikeADeathThere) {
  for (Death death : {kAborted, kHung}) {
    death.where = protocol::Whereabouts::Between;
    const bool is_hang = death.kind == Death::Kind::Hang;
    Scripted executor;
    for (int again = 0; again < 2; ++again) {  // The second time no sooner than the first.
      executor.ends = {death};
      EXPECT_TRUE(is_answer(once(executor)));
      executor.ends = {death, death};
      const Outcome outcome = once(executor);
      ASSERT_EQ(outcome.status, Outcome::Status::Failed);
      EXPECT_EQ(outcome.failure->rule, is_hang ? verdict::Rule("run.hang") : verdict::Rule("run.crash"));
      EXPECT_THAT(outcome.failure->message, HasSubstr("outside the kernel's launch"));
      EXPECT_EQ(outcome.failure->message.find("a loop that waits"), std::string::npos) << "it is at no loop";
    }
  }
}

TEST(Executor, AHangInALaunchIsBelievedAtOnceAfterOneThatCameAgain) {
  Scripted executor;
  executor.ends = {kHung, kHung};
  EXPECT_EQ(once(executor).failure->rule, verdict::Rule("run.hang"));
  executor.ends = {kHung};
  EXPECT_EQ(once(executor).failure->rule, verdict::Rule("run.hang"));
}

TEST(Executor, AndSoIsOneInABatch) {
  static const operation::Case value = sum_case(2, 3);
  static const contract::Contract contract;
  const std::vector<Job> jobs(3, {&value, &contract});
  Scripted executor;
  executor.ends = {kHung};
  EXPECT_TRUE(is_answer(executor.run(jobs, sum(), {}).at(0))) << "it did not come again alone";
  executor.ends = {kHung, kHung};
  EXPECT_EQ(executor.run(jobs, sum(), {}).at(0).failure->rule, verdict::Rule("run.hang"));
  executor.launches = 0;
  executor.ends = {kHung};
  const std::vector<Outcome> outcomes = executor.run(jobs, sum(), {});
  EXPECT_EQ(outcomes.at(0).failure->rule, verdict::Rule("run.hang"));
  EXPECT_TRUE(is_answer(outcomes.at(1)) && is_answer(outcomes.at(2)));
  EXPECT_EQ(executor.launches, 2) << "the batch, and the rest of it";
}

TEST(Executor, OfCasesThatStoodStillTogetherOneThatHangsAloneIsBelievedAtOnce) {
  static const operation::Case value = sum_case(2, 3);
  static const contract::Contract contract;
  const std::vector<Job> jobs(3, {&value, &contract});
  Scripted executor;
  executor.at = kernel::Place::Device;
  // On several streams, then each alone: the second one hangs.
  executor.ends = {kHung, std::nullopt, kHung};
  const std::vector<Outcome> outcomes = executor.run(jobs, sum(), {.at_once = true});
  EXPECT_TRUE(is_answer(outcomes.at(0)) && is_answer(outcomes.at(2)));
  EXPECT_EQ(outcomes.at(1).failure->rule, verdict::Rule("run.hang"));
  EXPECT_EQ(executor.launches, 4);
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(outcome.alone);
  EXPECT_THAT(outcomes.at(0).warnings.back(), HasSubstr("in turn from now on"));
  // Where none hangs alone nothing is believed, and the next hang must come again.
  Scripted other;
  other.at = kernel::Place::Device;
  other.ends = {kHung};
  for (const Outcome& outcome : other.run(jobs, sum(), {.at_once = true})) EXPECT_TRUE(is_answer(outcome));
  other.ends = {kHung};
  EXPECT_TRUE(is_answer(once(other)));
}

TEST(Executor, BehindACaseThatHangsAloneTheRestIsLeftWhereThatIsAskedFor) {
  static const operation::Case value = sum_case(2, 3);
  static const contract::Contract contract;
  const std::vector<Job> jobs(5, {&value, &contract});
  Scripted executor;
  executor.at = kernel::Place::Device;
  executor.ends = {kHung, std::nullopt, kHung};
  const std::vector<Outcome> outcomes = executor.run(jobs, sum(), {.at_once = true, .until_hang = true});
  EXPECT_TRUE(is_answer(outcomes.at(0)));
  EXPECT_EQ(outcomes.at(1).failure->rule, verdict::Rule("run.hang"));
  for (const std::size_t i : {2, 3, 4}) {
    EXPECT_EQ(outcomes.at(i).status, Outcome::Status::Error);
    EXPECT_EQ(outcomes.at(i).reason, kLeft);
  }
  EXPECT_EQ(executor.launches, 3);
}

TEST(Executor, CasesThatShareALaunchAreNotAlone) {
  static const operation::Case value = sum_case(2, 3);
  static const contract::Contract contract;
  const std::vector<Job> jobs(3, {&value, &contract});
  Scripted executor;
  executor.at = kernel::Place::Device;
  for (const Outcome& outcome : executor.run(jobs, sum(), {})) EXPECT_FALSE(outcome.alone);
  EXPECT_TRUE(once(executor).alone);
}

TEST(Executor, TurnsRunAgainWhereTheirProcessIsKilledFromOutside) {
  Scripted executor;
  executor.ends = {std::nullopt, kKilled};
  const auto outcomes = in_turn(executor, 4);
  ASSERT_EQ(outcomes.size(), 4u);
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(is_answer(outcome));
  EXPECT_EQ(executor.launches, 6) << "from the first turn on";
}

TEST(Executor, TurnsWhoseProcessIsKilledEveryTimeAreAnErrorWithACure) {
  Scripted executor;
  executor.ends.assign(100, kKilled);
  const auto outcomes = in_turn(executor, 4);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].status, Outcome::Status::Error);
  EXPECT_THAT(outcomes[0].reason, HasSubstr("killed from outside 3 times"));
}

TEST(Executor, TurnsEndWhereAKernelEndsTheProcess) {
  Scripted executor;
  executor.ends = {std::nullopt, kAborted};
  const auto outcomes = in_turn(executor, 4);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].failure->rule, verdict::Rule("run.crash"));
  executor.ends = {kHungOutside};
  EXPECT_EQ(in_turn(executor, 4).at(0).failure->rule, verdict::Rule("run.hang"));
}

}  // namespace
}  // namespace negzero::run
