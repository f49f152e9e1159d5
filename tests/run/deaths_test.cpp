// Every way in which an item can end its process, or lose the way to its parent: how it is told, and that the work goes
// on.

#include <csignal>

#include <gtest/gtest.h>

#include <negzero/run/isolated.hpp>

#include "worker_items.hpp"

namespace negzero::run {
namespace {

using namespace run_test;

constexpr std::uint64_t kTimeoutMs = 1500;  // Far more than a healthy item needs on a machine that is busy.

/// Item 1 of three does `how`; the others must come through, and its death is returned.
Death death_of(char how, std::uint64_t timeout_ms = 60000) {
  Isolation isolation(options(1, timeout_ms), work_by_letter);
  const Items seen = run_all(isolation, {by_letters(std::string("k") + how + "k")});
  EXPECT_EQ(seen.size(), 3u);
  for (const std::uint64_t index : {0u, 2u}) {
    const Event& event = seen.at({0, index});
    EXPECT_FALSE(event.death) << "item " << index;
    EXPECT_EQ(event.reply, "did k");
  }
  const Event& event = seen.at({0, 1});
  EXPECT_TRUE(event.death) << how << " gave the reply " << event.reply;
  return event.death.value_or(Death{});
}

void expect(const Death& death, Death::Kind kind, int code) {
  EXPECT_EQ(death.kind, kind) << death.to_string();
  EXPECT_EQ(death.code, code) << death.to_string();
}

TEST(Deaths, Abort) { expect(death_of('a'), Death::Kind::Signal, SIGABRT); }
TEST(Deaths, ExitWithSuccessIsADeath) { expect(death_of('e'), Death::Kind::Exit, 0); }
TEST(Deaths, ExitStatusIsKept) { expect(death_of('x'), Death::Kind::Exit, 3); }
TEST(Deaths, ExitInAThreadOfAKernel) { expect(death_of('E'), Death::Kind::Exit, 4); }
TEST(Deaths, Kill) { expect(death_of('s'), Death::Kind::Signal, SIGKILL); }
TEST(Deaths, KillAfterAFork) { expect(death_of('f'), Death::Kind::Signal, SIGKILL); }
TEST(Deaths, AnExceptionEndsTheProcess) { expect(death_of('b'), Death::Kind::Signal, SIGABRT); }
TEST(Deaths, EndlessKernel) { expect(death_of('H', kTimeoutMs), Death::Kind::Hang, kTimeoutMs); }
// Outside of a kernel, and for kernels that show progress, the limit is kPatience times the time given.
TEST(Deaths, EndlessLoop) { expect(death_of('h', kTimeoutMs / 10), Death::Kind::Hang, kTimeoutMs); }
TEST(Deaths, StoppedProcess) { expect(death_of('t', kTimeoutMs / 10), Death::Kind::Hang, kTimeoutMs); }
TEST(Deaths, EndlessProgress) { expect(death_of('P', 500), Death::Kind::Hang, 5000); }

TEST(Deaths, ALongKernelThatShowsProgressDoesNotHang) {
  Isolation isolation(options(1, kTimeoutMs), work_by_letter);
  const Items seen = run_all(isolation, {by_letters("p")});
  EXPECT_FALSE(seen.at({0, 0}).death);
}
TEST(Deaths, GarbageOnTheSocket) { expect(death_of('g'), Death::Kind::Garbage, 0); }
TEST(Deaths, OneByteOfGarbageIsEnough) { expect(death_of('1'), Death::Kind::Garbage, 0); }
TEST(Deaths, ClosedDescriptors) { expect(death_of('c'), Death::Kind::Garbage, 0); }
TEST(Deaths, ClosedDescriptorsAndNoEnd) { expect(death_of('C'), Death::Kind::Garbage, 0); }
TEST(Deaths, ReplacedDescriptors) { expect(death_of('d'), Death::Kind::Garbage, 0); }

TEST(Deaths, Segfault) {
  const Death death = death_of('v');
#ifdef NEGZERO_SANITIZE
  EXPECT_EQ(death.kind, Death::Kind::Exit) << death.to_string();  // The sanitizer reports and exits.
#else
  expect(death, Death::Kind::Signal, SIGSEGV);
#endif
}

TEST(Deaths, AllMemory) {
  const Death death = death_of('m');
  EXPECT_TRUE(death.kind == Death::Kind::Signal || death.kind == Death::Kind::Exit) << death.to_string();
}

TEST(Deaths, ADeathSaysWhatHappened) {
  EXPECT_EQ((Death{Death::Kind::Signal, SIGSEGV}).to_string(), "killed by signal 11 (Segmentation fault)");
  EXPECT_EQ((Death{Death::Kind::Exit, 3}).to_string(), "the process ended itself with exit status 3");
  EXPECT_EQ((Death{Death::Kind::Hang, 1500}).to_string(), "no answer within 1.5 s");
}

}  // namespace
}  // namespace negzero::run
