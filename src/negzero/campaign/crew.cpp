// The examiners of a campaign: tasks go out to them, replies come back, and one that ends is replaced.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/examination.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
constexpr int kMostEnds = 3;
/// Longest time between two replies beside what kernels may take.
constexpr std::chrono::minutes kJudging{5};

/// Examiners that share a GPU, and threads of theirs for each job: they make and judge, and wait for the GPU in
/// between. Each has a worker with a context of its own; the driver makes one at a time, a fifth of a second each, and
/// runs the launches of one context at a time. On an H200 with 16 jobs, in 8 s with the starts, thousands of cases of
/// the default mix of gemm.naive.f32 and reduce.sum.tree.f32: 4 examiners of 3 threads a job 212 and 319, 6 of 2
/// threads 203 and 391, 8 of 2 threads 193 and 379, 10 of 2 threads 184 (gemm alone); before looks for state
/// overlapped.
constexpr kernel::AtPlace<int> kMostExaminersADevice{.host = std::numeric_limits<int>::max(), .device = 6};
constexpr kernel::AtPlace<int> kThreadsAJob{.host = 1, .device = 2};
constexpr kernel::AtPlace<std::uint64_t> kTaskCases{.host = 32, .device = 1024};

int examiners_of(const EvaluationOptions& options) {
  const std::int64_t devices = std::max<std::int64_t>(1, std::ssize(options.gpus));
  return static_cast<int>(std::min<std::int64_t>(options.jobs, kMostExaminersADevice[options.place] * devices));
}

/// For every examiner, but for the number of its GPU.
Setup setup_of(const EvaluationOptions& options) {
  return {.sources = kernel::sources(kernel::registry()),
          .place = options.place,
          .gpu = options.gpus.empty() ? 0 : options.gpus.front(),
          .exact = options.exact,
          .threads = kThreadsAJob[options.place] * options.jobs / examiners_of(options)};
}

std::string how_it_ended(const run::ChildProcess::End& end) {
  if (end.lived_on) return "it closed its socket and lived on: an error of negzero's own";
  const int status = end.status;
  if (!WIFSIGNALED(status)) {
    return fmt::format("it ended with exit status {}: too little memory, or an error of negzero's own",
                       WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  return fmt::format("it was killed by signal {} ({}): {}", signal, ::strsignal(signal),
                     signal == SIGKILL ? "too little memory, most likely; try fewer --jobs"
                                       : "too little memory, or an error of negzero's own");
}

/// Empties the descriptor of a source.
void take_wake(int descriptor) {
  std::uint64_t count = 0;
  (void)!::read(descriptor, &count, sizeof count);
}

void wait_for_wake(int descriptor) {
  pollfd poll{descriptor, POLLIN, 0};
  if (::poll(&poll, 1, kPollMs) > 0) take_wake(descriptor);
}

/// Leaves out what has been answered.
void drop_first(Request& request, std::uint64_t answered) {
  if (auto* const cases = std::get_if<WholeCases>(&request.source)) {
    cases->erase(cases->begin(), cases->begin() + static_cast<std::ptrdiff_t>(answered));
    return;
  }
  auto* const changed = std::get_if<ChangedRange>(&request.source);
  (changed != nullptr ? changed->numbers : std::get<GeneratedRange>(request.source)).begin += answered;
}

}  // namespace

class Crew::Pool {
 public:
  Pool(const EvaluationOptions& options, std::uint64_t most_bytes)
      : options_(options),
        most_bytes_(most_bytes),
        setup_(setup_of(options)),
        members_(static_cast<std::size_t>(examiners_of(options))) {}

  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }

  base::Status run(Source& source, Sink& sink, const Stop& stop) {
    base::Status result = loop(source, sink, stop);
    // Nothing in flight is wanted any more. Idle members stay for the next run.
    for (Member& member : members_) {
      if (member.task) dismiss(member);
    }
    unfinished_.clear();
    return result;
  }

 private:
  /// A task, how far it has come, and how often an examiner has ended at its first case that has no reply.
  struct Assignment {
    Task task;
    std::uint64_t answered = 0;  ///< replies since it was handed out
    std::uint64_t first = 0;     ///< cases of the caller's task that were answered before that
    int ends = 0;
  };
  struct Member {
    run::ChildProcess process;
    std::optional<Assignment> task;
    Clock::time_point heard{};
  };

  base::Status loop(Source& source, Sink& sink, const Stop& stop) {
    while (!stop()) {
      sink.pass_time();
      bool any_busy = false;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        Member& member = members_[i];
        if (member.task && !source.is_wanted(member.task->task.tag)) dismiss(member);
        if (const base::Status fed = feed(static_cast<int>(i), source, sink); !fed) return fed;
        any_busy = any_busy || member.task;
      }
      if (!any_busy && !source.is_open()) return base::Ok{};
      if (const base::Status heard = listen(source, sink); !heard) return heard;
    }
    return base::Ok{};
  }

  base::Status feed(int number, Source& source, Sink& sink) {
    Member& member = members_[static_cast<std::size_t>(number)];
    if (member.task) return base::Ok{};
    while (!member.task) {
      if (!unfinished_.empty()) {
        if (source.is_wanted(unfinished_.back().task.tag)) member.task = std::move(unfinished_.back());
        unfinished_.pop_back();
      } else if (auto task = source.next(number)) {
        if (count(task->request) > 0 && can_be_sent(*task, sink)) member.task = {std::move(*task)};
      } else {
        return base::Ok{};
      }
    }
    return assign(member, number);
  }

  /// Whether a request fits into a frame. Where it does not, its cases are answered here.
  bool can_be_sent(const Task& task, Sink& sink) const {
    const std::uint64_t bytes = case_bytes(task.request);
    if (bytes <= most_bytes_) return true;
    Reply refused;
    refused.verdict = verdict::error_verdict(
        fmt::format("the case file has {} bytes, and at most {} go to the process that examines cases; make the case "
                    "smaller, or give --in-process",
                    bytes, most_bytes_));
    const GeneratedRange* const range = range_of(task.request);
    refused.index = range == nullptr ? 0 : range->begin;
    for (std::uint64_t i = count(task.request); i > 0 && sink.take(task.tag, refused); --i) ++refused.index;
    return false;
  }

  base::Status assign(Member& member, int number) {
    // One that ended while it was idle must not be held against the next case.
    if (member.process.is_running() && (member.process.has_ended() || !member.process.frames().is_empty())) {
      member.process = {};
    }
    if (!member.process.is_running()) {
      auto started = run::ChildProcess::start({.command = {"/proc/self/exe", kExaminerFlag}});
      if (!started) return started.error();
      member.process = std::move(*started);
      if (!options_.gpus.empty()) setup_.gpu = options_.gpus[static_cast<std::size_t>(number) % options_.gpus.size()];
      send(member, CampaignFrame::Setup, to_bytes(setup_));
    }
    send(member, CampaignFrame::Request, to_bytes(member.task->task.request));
    member.heard = Clock::now();
    return base::Ok{};
  }

  /// What does not arrive shows itself as the end of the examiner.
  static void send(Member& member, CampaignFrame kind, const std::string& body) {
    (void)member.process.frames().send(static_cast<std::uint8_t>(kind), body);
  }

  base::Status listen(const Source& source, Sink& sink) {
    polls_.clear();
    busy_.clear();
    for (Member& member : members_) {
      if (!member.task) continue;
      polls_.push_back({member.process.socket(), POLLIN, 0});
      busy_.push_back(&member);
    }
    polls_.push_back({source.wakes_by(), POLLIN, 0});
    ::poll(polls_.data(), polls_.size(), kPollMs);
    if (polls_.back().revents != 0) take_wake(polls_.back().fd);
    for (std::size_t i = 0; i < busy_.size(); ++i) {
      Member& member = *busy_[i];
      const bool open = polls_[i].revents == 0 ? !member.process.has_ended() : member.process.frames().pump();
      if (const base::Status done = deliver(member, sink); !done) return done;
      if (!member.task) continue;
      const auto longest = std::chrono::milliseconds(4 * run::kPatience * member.task->task.request.timeout_ms);
      if (!open) {
        hand_over(member, sink, how_it_ended(member.process.end()));
      } else if (Clock::now() - member.heard > longest + kJudging) {
        hand_over(member, sink, "it gave no reply in time and was ended");
      }
    }
    return base::Ok{};
  }

  base::Status deliver(Member& member, Sink& sink) {
    protocol::Frame frame;
    while (member.task) {
      const auto state = member.process.frames().take(frame);
      if (state == protocol::FrameSocket::State::Incomplete) return base::Ok{};
      if (state == protocol::FrameSocket::State::Complete &&
          frame.kind == static_cast<std::uint8_t>(CampaignFrame::Problem)) {
        return base::infrastructure_error(frame.body);
      }
      const auto replies = state == protocol::FrameSocket::State::Complete ? read_replies(frame.body) : std::nullopt;
      if (!replies) {
        hand_over(member, sink, "it sent what is no reply: an error of negzero's own");
        return base::Ok{};
      }
      member.heard = Clock::now();
      for (const Reply& reply : *replies) {
        if (member.task && !answer(member, sink, reply)) dismiss(member);
      }
    }
    return base::Ok{};
  }

  /// Passes a reply on. False where the rest of the task is not wanted.
  static bool answer(Member& member, Sink& sink, Reply reply) {
    Assignment& assignment = *member.task;
    assignment.ends = 0;
    ++assignment.answered;
    if (std::holds_alternative<WholeCases>(assignment.task.request.source)) reply.index += assignment.first;
    const bool wanted = sink.take(assignment.task.tag, reply);
    const bool is_done = assignment.answered == count(assignment.task.request);
    if (is_done) member.task.reset();
    return wanted || is_done;
  }

  /// Ends a member; what its task has no replies to is not wanted.
  static void dismiss(Member& member) {
    member.process = {};
    member.task.reset();
  }

  /// Ends a member that has ended or went wrong, and lets others go on with its task.
  void hand_over(Member& member, Sink& sink, const std::string& cause) {
    Assignment rest = *std::move(member.task);
    dismiss(member);
    drop_first(rest.task.request, rest.answered);
    rest.first += rest.answered;
    rest.answered = 0;
    if (++rest.ends == kMostEnds) {
      const GeneratedRange* const range = range_of(rest.task.request);
      const std::uint64_t index = range == nullptr ? rest.first : range->begin;
      const auto why = verdict::error_verdict(
          fmt::format("the process that examined the case ended {} times; the last time {}", kMostEnds, cause));
      Reply lost;
      lost.index = index;
      lost.verdict = why;
      const bool wanted = sink.take(rest.task.tag, lost);
      drop_first(rest.task.request, 1);
      ++rest.first;
      rest.ends = 0;
      if (!wanted || count(rest.task.request) == 0) return;
    }
    unfinished_.push_back(std::move(rest));
  }

  const EvaluationOptions& options_;
  const std::uint64_t most_bytes_;
  Setup setup_;  ///< made once: the declarations of all kernels are long
  std::vector<Member> members_;
  std::vector<Assignment> unfinished_;
  std::vector<pollfd> polls_;
  std::vector<Member*> busy_;
};

Crew::Crew(const EvaluationOptions& options, std::uint64_t most_bytes) : options_(options) {
  options_.jobs = std::max(1, options_.jobs);
  if (options_.in_process) {
    here_ = std::make_unique<Examination>(setup_of(options_), true);
  } else {
    pool_ = std::make_unique<Pool>(options_, most_bytes);
  }
}
Crew::~Crew() = default;

int Crew::size() const { return pool_ ? pool_->size() : 1; }

std::uint64_t Crew::task_cases() const { return kTaskCases[options_.place]; }

base::Status Crew::run(Source& source, Sink& sink, const Stop& stop) {
  if (pool_) return pool_->run(source, sink, stop);
  while (!stop()) {
    sink.pass_time();
    if (const auto task = source.next(0)) {
      here_->examine(task->request, [&](const std::vector<Reply>& replies) {
        return !stop() && source.is_wanted(task->tag) &&
               std::ranges::all_of(replies, [&](const Reply& reply) { return sink.take(task->tag, reply); });
      });
      if (const auto lost = here_->lost()) return base::infrastructure_error(*lost);
    } else if (source.is_open()) {
      wait_for_wake(source.wakes_by());
    } else {
      return base::Ok{};
    }
  }
  return base::Ok{};
}

}  // namespace negzero::campaign
