// The loop over worker processes: every item gets one event, nothing is left behind, and it can be stopped.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/isolated.hpp>

#include "worker_items.hpp"

namespace negzero::run {
namespace {

using namespace run_test;

TEST(Isolation, ManyTasksOverSeveralChildren) {
  const auto work = [](std::string_view request, std::uint64_t index) {
    return std::string(request) + ":" + std::to_string(index);
  };
  Isolation isolation(options(4), work);
  std::vector<Task> tasks;
  for (std::uint64_t tag = 0; tag < 100; ++tag) {
    tasks.push_back({std::to_string(7 * tag), 10 * tag, 10 * tag + tag % 7, tag});
  }
  for (int again = 0; again < 3; ++again) {
    const Items seen = run_all(isolation, tasks);
    std::size_t wanted = 0;
    for (const Task& task : tasks) {
      wanted += task.end - task.begin;
      for (std::uint64_t i = task.begin; i < task.end; ++i) {
        EXPECT_EQ(seen.at({task.tag, i}).reply, task.request + ":" + std::to_string(i));
      }
    }
    EXPECT_EQ(seen.size(), wanted);
  }
}

TEST(Isolation, EmptyTasksDoNotEndTheRun) {
  Isolation isolation(options(2), work_by_letter);
  const Items seen = run_all(
      isolation, {by_letters("", 0), by_letters("", 1), by_letters("k", 2), by_letters("", 3), by_letters("k", 4)});
  EXPECT_EQ(seen.size(), 2u);
}

TEST(Isolation, NextIsNotAskedAgainAfterItsEnd) {
  Isolation isolation(options(2), work_by_letter);
  int ends = 0, tasks = 0;
  const auto next = [&]() -> std::optional<Task> {
    if (tasks++ < 20) return by_letters("kk", static_cast<std::uint64_t>(tasks));
    ++ends;
    return std::nullopt;
  };
  ASSERT_TRUE(isolation
                  .run(
                      next, [](const Event&) { return true; }, never)
                  .ok());
  EXPECT_EQ(ends, 1);
}

RC_GTEST_PROP(Isolation, EveryItemGetsOneEventWhateverItsNeighboursDo, ()) {
  const auto letters = *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(
      rc::gen::weightedElement<char>({{12, 'k'}, {1, 'r'}, {1, 'x'}, {1, 's'}, {1, 'g'}, {1, 'e'}})));
  const int jobs = *rc::gen::inRange(1, 4);
  Isolation isolation(options(jobs), work_by_letter);
  std::vector<Task> tasks;
  for (std::size_t t = 0; t < std::min<std::size_t>(letters.size(), 8); ++t) {
    tasks.push_back(by_letters(letters[t].substr(0, 12), t));
  }
  const Items seen = run_all(isolation, tasks);
  std::size_t wanted = 0;
  for (const Task& task : tasks) {
    for (std::uint64_t i = 0; i < task.end; ++i, ++wanted) {
      const char letter = task.request[i];
      const auto found = seen.find({task.tag, i});
      RC_ASSERT(found != seen.end());
      RC_ASSERT(found->second.death.has_value() == (letter != 'k' && letter != 'r'));
      if (letter == 'k') RC_ASSERT(found->second.reply == "did k");
      if (letter == 'x') RC_ASSERT(found->second.death->code == 3);
      if (letter == 's') RC_ASSERT(found->second.death->code == SIGKILL);
    }
  }
  RC_ASSERT(seen.size() == wanted);
}

TEST(Isolation, WhoRetiresLeavesNothingToTheNextItem) {
  const auto work = [](std::string_view request, std::uint64_t index) {
    static int items = 0;
    if (request[static_cast<std::size_t>(index)] == 'r') retire_worker();
    return std::to_string(++items);
  };
  Isolation isolation(options(1), work);
  for (int again = 0; again < 20; ++again) {
    const Items seen = run_all(isolation, {by_letters("kkrkrr", 0), by_letters("kr", 1)});
    const auto reply = [&](std::uint64_t tag, std::uint64_t index) { return seen.at({tag, index}).reply; };
    EXPECT_EQ(reply(0, 0) + reply(0, 1) + reply(0, 2), "123");
    EXPECT_EQ(reply(0, 3) + reply(0, 4), "12");
    EXPECT_EQ(reply(0, 5), "1");
    EXPECT_EQ(reply(1, 0) + reply(1, 1), "12");
  }
}

TEST(Isolation, TheRestOfATaskIsDroppedWhenItIsNotWanted) {
  Isolation isolation(options(1), work_by_letter);
  for (const std::string letters : {"kkkk", "kxkk"}) {
    Queue queue({by_letters(letters, 0), by_letters("k", 1)});
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    const auto on_event = [&](const Event& event) {
      seen.emplace_back(event.tag, event.index);
      return event.tag != 0 || event.index != 1;
    };
    ASSERT_TRUE(isolation.run([&] { return queue(); }, on_event, never).ok());
    EXPECT_EQ(seen, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {0, 1}, {1, 0}})) << letters;
  }
}

TEST(Isolation, AWorkerKilledInItsWorkIsChargedToItsItem) {
  Isolation isolation(options(1), [](std::string_view, std::uint64_t index) {
    if (index == 1) ::pause();
    return std::to_string(::getpid());
  });
  Queue queue({{"", 0, 3, 0}});
  std::vector<Event> seen;
  const auto on_event = [&](const Event& event) {
    seen.push_back(event);
    if (event.index == 0) ::kill(std::stoi(event.reply), SIGKILL);
    return true;
  };
  ASSERT_TRUE(isolation.run([&] { return queue(); }, on_event, never).ok());
  ASSERT_EQ(seen.size(), 3u);
  ASSERT_TRUE(seen[1].death);
  EXPECT_EQ(seen[1].death->kind, Death::Kind::Signal);
  EXPECT_EQ(seen[1].death->code, SIGKILL);
  EXPECT_FALSE(seen[2].death);
  EXPECT_NE(seen[2].reply, seen[0].reply) << "a fresh process goes on";
}

TEST(Isolation, AWorkerKilledWhileItIsIdleIsChargedToNobody) {
  Isolation isolation(options(1), [](std::string_view, std::uint64_t) { return std::to_string(::getpid()); });
  const Items before = run_all(isolation, {{"", 0, 1, 0}});
  const pid_t pid = std::stoi(before.at({0, 0}).reply);
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT), 0);
  const Items after = run_all(isolation, {{"", 0, 1, 0}});
  EXPECT_FALSE(after.at({0, 0}).death);
  EXPECT_NE(after.at({0, 0}).reply, before.at({0, 0}).reply);
}

TEST(Isolation, WorkersStayBetweenRuns) {
  Isolation isolation(options(1), [](std::string_view, std::uint64_t) { return std::to_string(::getpid()); });
  const Items first = run_all(isolation, {{"", 0, 2, 0}});
  const Items second = run_all(isolation, {{"", 0, 1, 0}});
  EXPECT_EQ(first.at({0, 1}).reply, second.at({0, 0}).reply);
  EXPECT_NE(first.at({0, 0}).reply, std::to_string(::getpid()));
}

TEST(Isolation, StopEndsAHangLongBeforeItsTimeLimit) {
  Isolation isolation(options(2, 600000), work_by_letter);
  Queue queue({by_letters("kH", 0), by_letters("H", 1)});
  const auto start = std::chrono::steady_clock::now();
  int polls = 0;
  const auto stop = [&] { return ++polls > 4; };
  std::size_t events = 0;
  const auto on_event = [&](const Event& event) {
    EXPECT_FALSE(event.death);
    ++events;
    return true;
  };
  ASSERT_TRUE(isolation.run([&] { return queue(); }, on_event, stop).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_LE(events, 1u);
  EXPECT_EQ(run_all(isolation, {by_letters("kk")}).size(), 2u) << "it can be used again";
}

TEST(Isolation, LargeRequestsAndReplies) {
  Isolation isolation(options(2), [](std::string_view request, std::uint64_t index) {
    std::string reply(request);
    std::reverse(reply.begin(), reply.end());
    reply.push_back(static_cast<char>('0' + index));
    return reply;
  });
  std::vector<Task> tasks;
  for (std::uint64_t tag = 0; tag < 3; ++tag) {
    std::string request(5'000'000 + tag * 1'000'003, 'a');
    for (std::size_t i = 0; i < request.size(); i += 101) request[i] = static_cast<char>('b' + i % 23);
    tasks.push_back({std::move(request), 0, 3, tag});
  }
  const Items seen = run_all(isolation, tasks);
  for (const Task& task : tasks) {
    std::string reversed(task.request.rbegin(), task.request.rend());
    for (std::uint64_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(seen.at({task.tag, i}).reply == reversed + static_cast<char>('0' + i)) << "task " << task.tag;
    }
  }
}

TEST(Isolation, NoDescriptorAndNoZombieIsLeft) {
  const auto descriptors = [] {
    std::size_t count = 0;
    for_each_descriptor([&](int) { ++count; });
    return count;
  };
  const std::size_t before = descriptors();
  {
    Isolation isolation(options(3), work_by_letter);
    std::vector<Task> tasks;
    for (std::uint64_t tag = 0; tag < 10; ++tag) tasks.push_back(by_letters("kxksgkek", tag));
    EXPECT_EQ(run_all(isolation, tasks).size(), 80u);
    EXPECT_LE(descriptors(), before + 3) << "one socket a child";
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
  EXPECT_EQ(errno, ECHILD);
}

TEST(Isolation, AChildHoldsNoSocketOfItsSiblings) {
  Isolation isolation(options(3), [](std::string_view, std::uint64_t) {
    std::size_t sockets = 0;
    for_each_descriptor([&](int fd) {
      struct stat about {};
      if (::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode)) ++sockets;
    });
    ::usleep(20000);  // Long enough for the siblings to get the other tasks.
    return std::to_string(sockets);
  });
  std::size_t outside = 0;
  for_each_descriptor([&](int fd) {
    struct stat about {};
    if (::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode)) ++outside;
  });
  for (const auto& [key, event] : run_all(isolation, {{"", 0, 1, 0}, {"", 0, 1, 1}, {"", 0, 1, 2}})) {
    EXPECT_EQ(event.reply, std::to_string(outside + 1));
  }
}

TEST(Isolation, StandardOutputOfAChildIsTheParentsStandardError) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  {
    Isolation isolation(options(1), [](std::string_view, std::uint64_t) -> std::string {
      std::puts("from the kernel");
      ::raise(SIGKILL);
      return "";
    });
    run_all(isolation, {{"", 0, 1, 0}});
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "from the kernel\n");
}

TEST(Isolation, InProcessRunsHereInOrder) {
  std::vector<std::string> done;
  Isolation isolation({.in_process = true}, [&](std::string_view request, std::uint64_t index) {
    done.push_back(std::string(request) + std::to_string(index));
    return std::to_string(::getpid());
  });
  const Items seen = run_all(isolation, {{"a", 0, 2, 0}, {"", 5, 5, 1}, {"b", 3, 4, 2}});
  EXPECT_EQ(done, (std::vector<std::string>{"a0", "a1", "b3"}));
  EXPECT_EQ(seen.at({2, 3}).reply, std::to_string(::getpid()));
}

TEST(Isolation, InProcessStopsAndDropsTheRestOfATask) {
  Isolation isolation({.in_process = true}, work_by_letter);
  Queue queue({by_letters("kkkk", 0), by_letters("kkkk", 1)});
  std::size_t events = 0;
  const auto on_event = [&](const Event& event) {
    ++events;
    return event.tag != 0;
  };
  ASSERT_TRUE(isolation.run([&] { return queue(); }, on_event, [&] { return events == 3; }).ok());
  EXPECT_EQ(events, 3u) << "one of the first task, two of the second";
}

}  // namespace
}  // namespace negzero::run
