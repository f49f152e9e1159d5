// Examiners that are killed while they work: every case has its one reply all the same.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/run/child_process.hpp>

#include "kernels.hpp"
#include "processes.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using ::testing::HasSubstr;
using verdict::Verdict;
using verdict::VerdictKind;
using Clock = std::chrono::steady_clock;

const auto kNever = [] { return false; };

using Next = std::function<std::optional<Task>(int)>;
using OnReply = std::function<bool(std::uint64_t, const Reply&)>;

base::Status run_crew(Crew& crew, Next next, OnReply on_reply, const Stop& stop) {
  struct Given final : Source, Sink {
    std::optional<Task> next(int examiner) override { return next_(examiner); }
    bool take(std::uint64_t tag, const Reply& reply) override { return on_reply_(tag, reply); }
    Next next_;
    OnReply on_reply_;
  } given;
  given.next_ = std::move(next);
  given.on_reply_ = std::move(on_reply);
  return crew.run(given, given, stop);
}

Task generated(std::uint64_t begin, std::uint64_t end, std::uint64_t tag = 0) {
  return {.request = {.kernel = "good.max", .watch = Watch::Never, .source = GeneratedRange{1, begin, end, {}}},
          .tag = tag};
}

/// `tasks` tasks of 40 cases each, numbered.
Next tasks_of(std::uint64_t tasks) {
  return [tasks, next = std::uint64_t{0}](int) mutable -> std::optional<Task> {
    if (next == tasks) return std::nullopt;
    const std::uint64_t number = next++;
    return generated(40 * number, 40 * number + 40, number);
  };
}

/// Passes the cases of a request, and stays at the one of strategy "stays" for ever.
const bool stays = add_claim("stays", [](const Question& question) {
  for (const operation::Case& value : question.cases) {
    while (value.strategy == "stays") ::usleep(10000);
  }
  return std::vector<Verdict>(question.cases.size(), Verdict{.kind = VerdictKind::Pass});
});

/// Ends the examiner, as a case of strategy "exits" or "babbles" says.
const bool ends = add_claim("ends", [](const Question& question) {
  if (question.cases.front().strategy == "exits") ::_exit(3);
  (void)::send(protocol::kChildSocket, "garbage", 7, MSG_NOSIGNAL);
  return std::vector<Verdict>(question.cases.size(), Verdict{.kind = VerdictKind::Pass});
});

std::string some_setup() { return to_bytes(Setup{.sources = kernel::sources(kernel::registry())}); }

/// An examiner, started by hand.
run::ChildProcess started_examiner() {
  auto child = run::ChildProcess::start({.command = {"/proc/self/exe", kExaminerFlag}});
  EXPECT_TRUE(child.ok());
  return *std::move(child);
}

/// Twenty cases, of which the one with that number stays.
Task staying(std::uint64_t at) {
  WholeCases files;
  for (std::uint64_t i = 0; i < 20; ++i) {
    operation::Case value = max_case({1});
    value.strategy = i == at ? "stays" : "";
    const auto bytes = case_file::write(value);
    files.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return {.request = {.kernel = "good.max", .claim = "stays", .watch = Watch::Never, .source = std::move(files)}};
}

Next once(Task task) {
  return [task = std::move(task), done = false](int) mutable -> std::optional<Task> {
    if (std::exchange(done, true)) return std::nullopt;
    return task;
  };
}

TEST(Processes, AFileThatOpensAndCannotBeReadIsEmpty) {
  EXPECT_EQ(file_text("/proc/self"), "") << "a folder: /proc/PID/stat is such while its process ends";
  EXPECT_NE(file_text("/proc/self/stat"), "");
}

TEST(Crew, EveryCaseHasOneReplyInOrder) {
  for (const int jobs : {1, 3}) {
    const EvaluationOptions options{.jobs = jobs};
    Crew crew(options);
    EXPECT_EQ(crew.size(), jobs);
    std::map<std::uint64_t, std::vector<std::uint64_t>> replies;
    const auto done = run_crew(
        crew, tasks_of(6),
        [&](std::uint64_t tag, const Reply& reply) {
          EXPECT_EQ(reply.verdict.kind, VerdictKind::Pass) << reply.verdict.reason;
          replies[tag].push_back(reply.index);
          return true;
        },
        kNever);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_EQ(replies.size(), 6u);
    for (const auto& [tag, indices] : replies) {
      ASSERT_EQ(indices.size(), 40u);
      for (std::uint64_t i = 0; i < 40; ++i) EXPECT_EQ(indices[i], 40 * tag + i);
    }
  }
}

TEST(Crew, KilledExaminersCostNoReplyAndBringNoVerdict) {
  // Among several, one that has not replied yet must not be met three times: two rounds at most.
  for (const auto& [jobs, most_rounds] : {std::pair{1, 17}, std::pair{3, 2}}) {
    const EvaluationOptions options{.jobs = jobs};
    Crew crew(options);
    std::map<std::uint64_t, int> replies;
    std::map<std::uint64_t, std::uint64_t> next;
    int rounds = 0, kills = 0;
    const auto done = run_crew(
        crew, tasks_of(10),
        [&](std::uint64_t tag, const Reply& reply) {
          EXPECT_EQ(reply.verdict.kind, VerdictKind::Pass) << reply.verdict.reason;
          EXPECT_EQ(reply.index, 40 * tag + next[tag]++) << "in order within a task";
          ++replies[reply.index];
          if (replies.size() % 23 == 0 && rounds < most_rounds) {
            ++rounds;
            for (const pid_t pid : examiners()) kills += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
          }
          return true;
        },
        kNever);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(replies.size(), 400u);
    for (const auto& [index, count] : replies) EXPECT_EQ(count, 1) << index;
    EXPECT_GE(kills, 2);
  }
}

TEST(Crew, ACaseAtWhichThreeExaminersEndedIsAnError) {
  for (const std::uint64_t at : {0, 7, 19}) {
    const EvaluationOptions options{};
    Crew crew(options);
    std::vector<Reply> replies;
    std::set<pid_t> killed;
    auto heard = Clock::now();
    const auto done = run_crew(
        crew, once(staying(at)),
        [&](std::uint64_t, const Reply& reply) {
          replies.push_back(reply);
          heard = Clock::now();
          return true;
        },
        [&] {
          // Cases that are examined together with the one that stays have their replies only without it.
          if (Clock::now() - heard < std::chrono::milliseconds(200)) return false;
          for (const pid_t pid : examiners()) {
            if (killed.insert(pid).second) ::kill(pid, SIGKILL);
          }
          heard = Clock::now();
          return false;
        });
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_GE(killed.size(), 3u);
    ASSERT_EQ(replies.size(), 20u);
    for (std::uint64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(replies[i].index, i);
      EXPECT_EQ(replies[i].verdict.kind, i == at ? VerdictKind::Error : VerdictKind::Pass) << i;
    }
    EXPECT_THAT(replies[at].verdict.reason, HasSubstr("the process that examined the case ended 3 times"));
    EXPECT_THAT(replies[at].verdict.reason, HasSubstr("killed by signal 9"));
  }
}

TEST(Crew, HowAnExaminerEndedIsSaid) {
  for (const auto& [strategy, cause] :
       {std::pair{"exits", "ended with exit status 3"}, {"babbles", "sent what is no reply"}}) {
    Task task = staying(20);
    operation::Case value = max_case({1});
    value.strategy = strategy;
    const auto bytes = case_file::write(value);
    task.request.claim = "ends";
    task.request.source = WholeCases{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    Crew crew(EvaluationOptions{});
    std::string reason;
    const auto done = run_crew(
        crew, once(task),
        [&](std::uint64_t, const Reply& reply) {
          EXPECT_EQ(reply.verdict.kind, VerdictKind::Error);
          reason = reply.verdict.reason;
          return true;
        },
        kNever);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_THAT(reason, HasSubstr(cause));
  }
}

TEST(Examiner, WhatIsNoFrameOrNoRequestIsAProblemThatSaysSo) {
  const std::string setup = some_setup();
  const auto kind = [](CampaignFrame frame) { return static_cast<std::uint8_t>(frame); };
  using Talk = std::function<void(run::ChildProcess&)>;
  const std::pair<const char*, Talk> talks[] = {
      {"no frame",
       [&](run::ChildProcess& child) {
         ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Setup), setup));
         ASSERT_EQ(::send(child.socket(), "garbage", 7, MSG_NOSIGNAL), 7);
       }},
      {"no frame", [](run::ChildProcess& child) { ASSERT_EQ(::send(child.socket(), "garbage", 7, MSG_NOSIGNAL), 7); }},
      {"no setup",
       [&](run::ChildProcess& child) { ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Setup), "garbage")); }},
      {"no setup",
       [&](run::ChildProcess& child) { ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Request), setup)); }},
      {"no request",
       [&](run::ChildProcess& child) {
         ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Setup), setup));
         ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Request), "garbage"));
       }},
      {"no request",
       [&](run::ChildProcess& child) {
         ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Setup), setup));
         ASSERT_TRUE(child.frames().send(kind(CampaignFrame::Replies), to_bytes(std::vector<Reply>{})));
       }},
  };
  for (const auto& [cause, talk] : talks) {
    run::ChildProcess child = started_examiner();
    talk(child);
    const auto answer = child.frames().receive();
    ASSERT_TRUE(answer) << cause;
    EXPECT_EQ(answer->kind, kind(CampaignFrame::Problem)) << cause;
    EXPECT_THAT(answer->body, HasSubstr(cause));
    EXPECT_EQ(WEXITSTATUS(child.end().status), EXIT_FAILURE) << cause;
  }
}

TEST(Examiner, TheEndOfTheCampaignIsNoFailure) {
  run::ChildProcess child = started_examiner();
  const std::string setup = some_setup();
  ASSERT_TRUE(child.frames().send(static_cast<std::uint8_t>(CampaignFrame::Setup), setup));
  ::shutdown(child.socket(), SHUT_WR);
  EXPECT_FALSE(child.frames().receive());
  EXPECT_EQ(child.end().status, 0);
}

TEST(Crew, ACaseThatIsTooLongForAFrameIsAnErrorWithBothSizes) {
  const Task task = staying(20);
  const std::uint64_t bytes = case_bytes(task.request);
  for (const bool fits : {true, false}) {
    Crew crew(EvaluationOptions{}, bytes - (fits ? 0 : 1));
    std::vector<Reply> replies;
    const auto done = run_crew(
        crew, once(task),
        [&](std::uint64_t, const Reply& reply) {
          replies.push_back(reply);
          return true;
        },
        kNever);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_EQ(replies.size(), 20u);
    for (std::uint64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(replies[i].index, i);
      EXPECT_EQ(replies[i].verdict.kind, fits ? VerdictKind::Pass : VerdictKind::Error);
      if (!fits) {
        EXPECT_THAT(replies[i].verdict.reason, HasSubstr(std::to_string(bytes) + " bytes, and at most " +
                                                         std::to_string(bytes - 1) + " go to the process"));
      }
    }
    EXPECT_EQ(examiners().empty(), !fits);
  }
}

TEST(Crew, AnExaminerThatEndsWhileIdleIsHeldAgainstNoCase) {
  const EvaluationOptions options{};
  Crew crew(options);
  for (int runs = 0; runs < 5; ++runs) {
    int replies = 0;
    const auto done = run_crew(
        crew, once(generated(0, 1)),
        [&](std::uint64_t, const Reply& reply) {
          EXPECT_EQ(reply.verdict.kind, VerdictKind::Pass) << reply.verdict.reason;
          ++replies;
          return true;
        },
        kNever);
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(replies, 1);
    ASSERT_EQ(examiners().size(), 1u) << "it is kept";
    ::kill(examiners().front(), SIGKILL);
  }
}

TEST(Crew, TheRestOfATaskThatIsNotWantedIsLeft) {
  const EvaluationOptions options{};
  Crew crew(options);
  std::map<std::uint64_t, int> replies;
  const auto done = run_crew(
      crew, tasks_of(3), [&](std::uint64_t tag, const Reply&) { return ++replies[tag] < 5 || tag == 1; }, kNever);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(replies, (std::map<std::uint64_t, int>{{0, 5}, {1, 40}, {2, 5}}));
}

TEST(Crew, AStopEndsItAtOnceAndNobodyIsLeft) {
  {
    const EvaluationOptions options{.jobs = 2};
    Crew crew(options);
    const auto start = Clock::now();
    bool stays_now = false;
    const auto done = run_crew(
        crew, [given = 0](int) mutable { return given++ < 2 ? std::optional(staying(0)) : std::nullopt; },
        [](std::uint64_t, const Reply&) {
          ADD_FAILURE() << "a reply to what stays";
          return true;
        },
        [&] {
          stays_now = stays_now || examiners().size() == 2;
          return stays_now;
        });
    EXPECT_TRUE(done.ok());
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    EXPECT_TRUE(examiners().empty()) << "busy ones are ended";
    EXPECT_TRUE(run_crew(
                    crew, tasks_of(2), [](std::uint64_t, const Reply&) { return true; }, kNever)
                    .ok());
    EXPECT_FALSE(examiners().empty());
  }
  EXPECT_TRUE(examiners().empty()) << "idle ones end with the crew";
}

TEST(Crew, InProcessThereAreNoExaminers) {
  const EvaluationOptions options{.in_process = true};
  Crew crew(options);
  std::uint64_t replies = 0;
  const auto done = run_crew(
      crew, tasks_of(2),
      [&](std::uint64_t, const Reply&) {
        EXPECT_TRUE(examiners().empty());
        return ++replies > 0;
      },
      kNever);
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(replies, 80u);
}

}  // namespace
}  // namespace negzero::campaign
