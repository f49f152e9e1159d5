// What a child daemonised is found, and ended; other children are not touched.

#include <algorithm>
#include <array>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/orphans.hpp>

namespace negzero::run {
namespace {

/// Does nothing until it is killed, or for a minute where a broken Orphans would leave it for ever.
[[noreturn]] void stay() {
  ::alarm(60);
  for (;;) ::pause();
}

pid_t sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) stay();
  return pid;
}

/// Forks a child that daemonises `depth` generations, each of which stays, and dies. Returns when it is dead.
void leave_daemons(int depth) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (int i = 0; i < depth; ++i) {
      if (::fork() != 0) {
        if (i == 0) ::_exit(0);
        stay();
      }
      ::setsid();
    }
    ::signal(SIGTERM, SIG_IGN);
    (void)!::write(ends[1], "x", 1);
    stay();
  }
  char byte;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
}

bool lives(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == 0; }

/// Asks until none is left, as none is waited for; false after 10 seconds.
bool all_ended() {
  for (int tries = 0; tries < 10000; ++tries, ::usleep(1000)) {
    if (Orphans::end() == 0) return true;
  }
  return false;
}

TEST(Orphans, DaemonsAreEndedAndWorkersAreNot) {
  const pid_t older = sleeper();
  pid_t worker = 0;
  {
    const Orphans orphans;
    ASSERT_TRUE(orphans.adopts());
    {
      const Orphans::Birth birth;
      worker = sleeper();
      birth.name(worker);
    }
    EXPECT_EQ(Orphans::end(), 0);
    leave_daemons(3);
    EXPECT_EQ(children().size(), 3u) << "the older one, the worker, the first daemon";
    EXPECT_TRUE(all_ended());
    EXPECT_EQ(children().size(), 2u) << "generation after generation";
    EXPECT_TRUE(lives(worker));
    leave_daemons(1);
  }
  EXPECT_TRUE(lives(older)) << "it was there before";
  EXPECT_EQ(children(), (std::vector<pid_t>{older, worker})) << "the end takes the rest along";
  EXPECT_EQ(Orphans::end(), 0) << "no Orphans lives";
  for (const pid_t each : {older, worker}) {
    ::kill(each, SIGKILL);
    ::waitpid(each, nullptr, 0);
  }
  Orphans::forget(worker);
  int adopts = 1;
  EXPECT_EQ(::prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0), 0);
  EXPECT_EQ(adopts, 0);
}

}  // namespace
}  // namespace negzero::run
