// Every way in which a kernel can end its process, or lose the way to its parent: how it is told, and that cases before
// and after it are judged.

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workers.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using verdict::FailureClass;

/// Cases before and behind the one that provokes the kernel come out right; what became of that one is returned.
Outcome provoked(const std::string& name, WorkerOptions options = soon()) {
  WorkerExecutor executor(std::move(options));
  const std::vector<operation::Case> cases = {harmless(), sum_case(1, 7), provoking(), sum_case(2, 2), harmless()};
  const std::vector<Outcome> outcomes = run_all(executor, name, cases);
  EXPECT_EQ(outcomes.size(), cases.size());
  for (const std::size_t i : {0u, 1u, 3u, 4u})
    expect_right(cases[i], outcomes[i], name + ", case " + std::to_string(i));
  expect_right(cases[0], executor.run(cases[0], named(name), {}), name + ", later");
  const Outcome alone = executor.run(cases[2], named(name), {});
  EXPECT_EQ(alone.status, outcomes[2].status) << name;
  EXPECT_EQ(alone.failure ? alone.failure->rule : verdict::Rule(),
            outcomes[2].failure ? outcomes[2].failure->rule : verdict::Rule())
      << name;
  return outcomes[2];
}

void expect_failure(const std::string& name, verdict::Rule rule, FailureClass kind, const std::string& words) {
  const Outcome outcome = provoked(name);
  ASSERT_EQ(outcome.status, Outcome::Status::Failed) << name << ": " << outcome.reason;
  EXPECT_EQ(outcome.failure->rule, rule) << name;
  EXPECT_EQ(outcome.failure->kind, kind) << name;
  EXPECT_NE(outcome.failure->message.find(words), std::string::npos) << name << ": " << outcome.failure->message;
}

void expect_crash(const std::string& name, const std::string& words) {
  expect_failure(name, "run.crash", FailureClass::Crash, words);
}
void expect_hang(const std::string& name, const std::string& words) {
  expect_failure(name, "run.hang", FailureClass::Hang, words);
}

TEST(Deaths, BySignal) {
  expect_crash("bad.abort", "killed by signal 6 (Aborted)");
  expect_crash("bad.abort_in_wrapper", "killed by signal 6 (Aborted) in the kernel's launch wrapper");
  expect_crash("bad.terminate", "killed by signal 6 (Aborted)");
  expect_crash("bad.throws_in_a_thread", "killed by signal 6 (Aborted)");
}

// The address sanitizer reports what it sees, and exits.
#ifndef NEGZERO_SANITIZE
TEST(Deaths, ByAnAccessOrAnInstruction) {
  expect_crash("bad.null_write", "killed by signal 11 (Segmentation fault)");
  expect_crash("bad.overflows_its_stack", "killed by signal 11 (Segmentation fault)");
  expect_crash("bad.trap", "killed by signal ");
  expect_crash("bad.frees_nonsense", "killed by signal ");
}
#endif

TEST(Deaths, ExitWithSuccessIsADeath) { expect_crash("bad.exit_0", "the process ended itself with exit status 0"); }
TEST(Deaths, ExitStatusIsKept) {
  expect_crash("bad.exit_4", "the process ended itself with exit status 4");
  expect_crash("bad._exit_3", "the process ended itself with exit status 3");
  expect_crash("bad.quick_exit", "the process ended itself with exit status 5");
}

TEST(Deaths, Hangs) {
  expect_hang("bad.spins", "no answer within 400 ms");
  expect_hang("bad.spins_in_wrapper", "no answer within 400 ms in the kernel's launch wrapper");
  expect_hang("bad.sleeps", "no answer within 400 ms");
  expect_hang("bad.waits_for_a_signal", "no answer within 400 ms");
  expect_hang("bad.ignores_signals_and_spins", "no answer within 400 ms");
}

TEST(Deaths, ALostWayToTheParent) {
  const std::string words = "the process wrote to, or closed, the socket to its parent";
  for (const char* name : {"bad.closes_descriptors", "bad.closes_descriptors_and_spins", "bad.replaces_descriptors",
                           "bad.writes_garbage", "bad.writes_a_byte_and_spins"}) {
    expect_crash(name, words);
  }
}

TEST(Deaths, WhatAWrapperThrowsIsNoDeath) {
  expect_failure("bad.throws", "run.launch", FailureClass::Crash, "the launch wrapper threw: no table");
  expect_failure("bad.throws_a_number", "run.launch", FailureClass::Crash, "threw something that is no std::exception");
  expect_failure("bad.wants_less_than_nothing", "run.launch", FailureClass::Crash, "the launch wrapper threw");
}

TEST(Deaths, TooLittleMemoryIsOurs) {
  for (const char* name : {"our.bad_alloc", "our.huge_allocation"}) {
    const Outcome outcome = provoked(name);
    EXPECT_EQ(outcome.status, Outcome::Status::Error) << name;
    EXPECT_NE(outcome.reason.find("too little memory"), std::string::npos) << outcome.reason;
  }
}

TEST(Deaths, WhatTheConfinementRefusesEndsNothing) {
  if (!are_confined()) GTEST_SKIP() << "workers are not confined in full here";
  for (const char* name : {"refused.kills_itself", "refused.stops_itself", "refused.kills_its_parent", "refused.forks",
                           "refused.execs", "refused.opens_a_socket"}) {
    expect_right(provoking(), provoked(name), name);
  }
}

TEST(Deaths, AKernelThatShowsProgressHasMoreTime) {
  expect_right(provoking(), provoked("slow.gets_on_for_a_second"));
  WorkerOptions options;
  options.timeout_ms = 100;
  const Outcome outcome = provoked("bad.pretends_to_get_on", options);
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
  EXPECT_EQ(outcome.failure->rule, verdict::Rule("run.hang"));
  EXPECT_NE(outcome.failure->message.find("no answer within 1 s"), std::string::npos) << outcome.failure->message;
}

TEST(Deaths, AForgedPlaceAccusesNobodyElse) {
  expect_crash("forges.its_place", "killed by signal 6 (Aborted)");
  expect_crash("forges.a_place_that_is_none", "killed by signal 6 (Aborted)");
}

TEST(Deaths, AForgedReplyPassesNothing) {
  WorkerExecutor executor(soon());
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(executor.run(provoking(), named("forges.a_reply"), {}).status, Outcome::Status::Failed);
    expect_right(harmless(), executor.run(harmless(), named("good.sum"), {}), "another kernel");
  }
}

TEST(Deaths, WhatFollowsAnAnswerMakesItAForgedOne) {
  const Outcome outcome = provoked("forges.more_than_a_reply");
  ASSERT_EQ(outcome.status, Outcome::Status::Failed);
}

TEST(Deaths, SeveralInOneBatch) {
  WorkerExecutor executor(soon());
  const std::vector<operation::Case> cases = {provoking(), harmless(), provoking(), provoking(), harmless()};
  const std::vector<Outcome> outcomes = run_all(executor, "bad.abort", cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i] == provoking()) {
      EXPECT_EQ(outcomes[i].status, Outcome::Status::Failed) << i;
    } else {
      expect_right(cases[i], outcomes[i], std::to_string(i));
    }
  }
}

TEST(Deaths, OneThatDoesNotComeAgainAloneIsNoFailure) {
  for (const char* name : {"rare.dies_at_its_third_launch", "rare.hangs_at_its_third_launch"}) {
    WorkerExecutor executor(soon());
    const std::vector<operation::Case> cases(6, provoking());
    for (const Outcome& outcome : run_all(executor, name, cases)) expect_right(provoking(), outcome, name);
    for (int again = 0; again < 4; ++again) {
      expect_right(provoking(), executor.run(provoking(), named(name), {}), name);
    }
  }
}

TEST(Deaths, OneBetweenLaunchesIsNoFailureOfTheNextCase) {
  WorkerExecutor executor(soon());
  const kernel::Kernel& kernel = named("rare.dies_after_its_launch");
  expect_right(provoking(), executor.run(provoking(), kernel, {}));
  ::usleep(100000);
  for (int again = 0; again < 3; ++again) expect_right(harmless(), executor.run(harmless(), kernel, {}));
}

TEST(Deaths, ADeathSaysWhatHappened) {
  EXPECT_EQ((Death{Death::Kind::Signal, SIGSEGV, protocol::Whereabouts::InKernel}).to_string(),
            "killed by signal 11 (Segmentation fault) while the kernel ran");
  EXPECT_EQ((Death{Death::Kind::Exit, 3, protocol::Whereabouts::InWrapper}).to_string(),
            "the process ended itself with exit status 3 in the kernel's launch wrapper");
  EXPECT_EQ((Death{Death::Kind::Hang, 1500, protocol::Whereabouts::Between}).to_string(),
            "no answer within 1.5 s outside the kernel's launch");
  EXPECT_EQ(
      (Death{Death::Kind::Exit, 3, protocol::Whereabouts::InFunction, "its words"}).to_string(),
      "the process ended itself with exit status 3 in the kernel's function; the last that it printed: \"its words\"");
  EXPECT_EQ((Death{Death::Kind::Hang, 60000, protocol::Whereabouts::Between, "", true}).to_string(),
            "no answer within 60 s before it was ready to run the kernel");
  EXPECT_EQ((Death{Death::Kind::Version, 9}).to_string(), protocol::other_version_text(9));
  for (const auto kind :
       {Death::Kind::Signal, Death::Kind::Exit, Death::Kind::Hang, Death::Kind::Memory, Death::Kind::Garbage}) {
    for (const int code : {SIGKILL, SIGTERM}) {
      EXPECT_EQ((Death{kind, code}).is_from_outside(),
                kind == Death::Kind::Memory || (kind == Death::Kind::Signal && code == SIGKILL));
    }
  }
}

}  // namespace
}  // namespace negzero::run
