// A process that launches one kernel, as its parent sees it: requests, answers, time limits.

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/base/duration.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/own_time.hpp>
#include <negzero/run/program.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;

static_assert(protocol::kWorkerVersion == kernel::kDeclarationVersion, "one number is all that a page has to name");

/// What confines workers of a program, made once for each profile, whichever thread asks first. Null where the address
/// sanitizer needs what it refuses.
confine::Confinement* confinement_of(const Program& program, confine::Profile profile) {
#ifdef NEGZERO_SANITIZE
  (void)program, (void)profile;
  return nullptr;
#else
  static std::mutex mutex;
  static std::map<std::pair<std::vector<std::string>, confine::Profile>, confine::Confinement> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find({program.command, profile});
  if (found != made.end()) return &found->second;
  const confine::Confined confined{
      .profile = profile, .program = program.command.front(), .readable = program.readable};
  return &made.try_emplace({program.command, profile}, confined).first->second;
#endif
}

confine::Profile profile_of(const WorkerOptions& options, const kernel::Kernel& kernel) {
  if (options.place == kernel::Place::Device) return confine::Profile::Cuda;
  return kernel.build.values_only ? confine::Profile::Stranger : confine::Profile::Host;
}

ChildSpec spec_of(Program program, confine::Profile profile, std::vector<std::string> words) {
  ChildSpec spec;
  spec.frame_version = protocol::kWorkerVersion;
  spec.captured = true;
  spec.confinement = confinement_of(program, profile);
  spec.command = std::move(program.command);
  spec.command.emplace_back(protocol::kWorkerFlag);
  std::ranges::move(words, std::back_inserter(spec.command));
  return spec;
}

}  // namespace

std::uint64_t start_limit_ms() {
  constexpr std::uint64_t kUsualMs = 60000;
  constexpr double kMostSeconds = 86400;
  const char* const said = std::getenv("NEGZERO_START_SECONDS");
  const double seconds = said == nullptr ? 0 : std::strtod(said, nullptr);
  return seconds > 0 ? static_cast<std::uint64_t>(1000 * std::min(seconds, kMostSeconds)) : kUsualMs;
}

Worker::Start Worker::start(const WorkerOptions& options, const kernel::Kernel& kernel, const SharedMemory& memory) {
  std::vector<std::string> words{kernel.name, std::string(kernel::name(options.place))};
  if (options.place == kernel::Place::Device) words.push_back(std::to_string(options.gpu));
  auto program = program_to_start(kernel.build.program);
  if (!program) return {.trouble = program.error().message};
  const ChildSpec spec = spec_of(*std::move(program), profile_of(options, kernel), std::move(words));
  auto process = ChildProcess::start(spec);
  if (!process) return {.trouble = process.error().message};
  Start start{.worker = Worker()};
  Worker& worker = *start.worker;
  worker.process_ = std::move(*process);
  worker.memory_ = &memory;
  if (spec.confinement != nullptr) worker.key_ = spec.confinement->calls().runtime_key();
  worker.on_gpu_ = options.place == kernel::Place::Device;
  worker.values_only_ = kernel.build.values_only;
  memory.progress() = {};
  protocol::Frame frame;
  std::uint64_t limit_ms = options.start_ms;
  Wait came = worker.wait_for(frame, options.start_ms, 0, limit_ms);
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Ready)) return start;
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Failed)) {
    return {.trouble = frame.body.substr(0, protocol::kMostText)};
  }
  if (came == Wait::Frame) came = Wait::Garbage;
  Death death = worker.bury(came, limit_ms);
  death.is_start = true;
  if (worker.values_only_) death.where = protocol::Whereabouts::InFunction;
  return {.trouble = fmt::format("the process for kernel {} did not start: {}{}{}", kernel.name, death.to_string(),
                                 worker.printed_.first.empty() ? "" : "; it printed: ", worker.printed_.first),
          .death = std::move(death)};
}

/// Shows the worker the memory where it is new or has grown. Not before the worker is ready: what runs before its
/// main() is the kernel's own.
void Worker::send_memory() {
  if (sent_bytes_ == memory_->size_bytes()) return;
  sent_bytes_ = memory_->size_bytes();
  base::ByteWriter body;
  body.u64(sent_bytes_);
  body.u64(key_.place);
  body.u64(key_.key);
  (void)process_.frames().send(static_cast<std::uint8_t>(protocol::WorkerFrame::Memory), body.bytes(),
                               memory_->descriptor());
}

Worker::Served Worker::launch(std::span<const protocol::LaunchPlan> plans, bool watched, std::uint64_t timeout_ms) {
  const std::string request = protocol::launch_body(plans, watched);
  memory_->progress() = {};
  Served answer;
  protocol::Frame frame;
  std::uint64_t limit_ms = 0;
  // A request that does not arrive shows itself as the end of the worker.
  send_memory();
  (void)process_.frames().send(static_cast<std::uint8_t>(protocol::WorkerFrame::Launch), request);
  Wait came = wait_for(frame, timeout_ms, plans.size(), limit_ms);
  if (came == Wait::Frame) {
    auto outcomes = protocol::read_launched(frame.body, plans.size());
    const bool is_read = outcomes.has_value();
    if (is_read) answer.outcomes = *std::move(outcomes);
    const bool last =
        answer.outcomes.size() < plans.size() || (!answer.outcomes.empty() && answer.outcomes.back().spoilt);
    // What no launcher says is the kernel's own: that nothing became of a single plan, that a host is lost.
    const bool is_empty = answer.outcomes.empty() && plans.size() == 1;
    const bool is_lost = !on_gpu_ && std::ranges::any_of(answer.outcomes, [](const protocol::LaunchOutcome& outcome) {
      return outcome.status == protocol::LaunchOutcome::Status::Lost;
    });
    const bool is_reply = frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Launched) &&
                          is_read && process_.frames().is_empty() && !is_empty && !is_lost;
    if (is_reply && !last) return answer;
    if (is_reply) {
      process_.kill();
      process_.end();
      return answer;
    }
    came = Wait::Garbage;
    answer.outcomes.clear();
  }
  const std::uint64_t plan = __atomic_load_n(&memory_->progress().plan, __ATOMIC_RELAXED);
  answer.death = bury(came, limit_ms);
  const bool is_shown = !values_only_ || plan != 0 || answer.death->where != protocol::Whereabouts::Between;
  if (is_shown) answer.plan = std::min<std::uint64_t>(plan, plans.size() - 1);
  // Nothing but its one function runs in such a process.
  if (values_only_) answer.death->where = protocol::Whereabouts::InFunction;
  return answer;
}

/// The next frame, or why there is none; `limit_ms` is the limit that has passed. protocol::Progress counts as far as
/// it can be true: of `plans` plans, one after the other, so that a worker which writes there as it likes is overdue
/// all the same.
Worker::Wait Worker::wait_for(protocol::Frame& frame, std::uint64_t timeout_ms, std::size_t plans,
                              std::uint64_t& limit_ms) {
  OwnTime time;
  Clock::time_point last = Clock::now();
  const protocol::Progress& progress = memory_->progress();
  std::uint64_t beats = 0, plan = 0;
  for (bool first = true;; first = false) {
    switch (process_.frames().take(frame, protocol::kMostWorkerFrameBytes)) {
      case protocol::FrameSocket::State::Complete:
        printed_.drain(process_.output());
        return Wait::Frame;
      case protocol::FrameSocket::State::Garbage:
        return Wait::Garbage;
      case protocol::FrameSocket::State::Incomplete:
        break;
    }
    if (!first) {  // A part of a frame is no answer: one that comes byte by byte is late too.
      const Clock::time_point now = Clock::now();
      time.turn(now - std::exchange(last, now), times_of(process_.pid()));
      const std::uint64_t now_beats = __atomic_load_n(&progress.beats, __ATOMIC_RELAXED);
      const std::uint64_t now_plan = __atomic_load_n(&progress.plan, __ATOMIC_RELAXED);
      if (now_plan > plan && now_plan < plans) {
        plan = now_plan;
        time = {};
      }
      if (std::exchange(beats, now_beats) != now_beats && plans > 0) time.restart();
      limit_ms = time.since_ms() > timeout_ms ? timeout_ms : kPatience * timeout_ms;
      if (time.since_ms() > timeout_ms || time.whole_ms() > kPatience * timeout_ms) return Wait::Overdue;
    }
    const bool had_ended = process_.has_ended();
    pollfd polls[] = {{process_.socket(), POLLIN, 0}, {process_.output(), POLLIN, 0}};
    ::poll(polls, 2, kPollMs);
    if (polls[1].revents != 0) printed_.drain(process_.output());
    if (polls[0].revents != 0) {
      if (!process_.frames().pump()) return Wait::Ended;
    } else if (had_ended) {
      return Wait::Ended;  // Something that it started may hold its socket.
    }
  }
}

Death Worker::bury(Wait why, std::uint64_t limit_ms) {
  if (why != Wait::Ended) process_.kill();
  printed_.drain(process_.output());
  const protocol::Progress& progress = memory_->progress();
  Death death{.printed = printed_.last.substr(0, printed_.last.find_last_not_of("\r\n ") + 1)};
  death.where = static_cast<protocol::Whereabouts>(
      std::min(__atomic_load_n(&progress.where, __ATOMIC_RELAXED),
               static_cast<std::uint64_t>(values_only_ ? protocol::Whereabouts::InFunction
                                                       : protocol::Whereabouts::InKernel)));
  const bool in_kernel = __atomic_load_n(&progress.in_kernel, __ATOMIC_RELAXED) != 0;
  if (death.where == protocol::Whereabouts::InWrapper && in_kernel) death.where = protocol::Whereabouts::InKernel;
  const auto version = why == Wait::Garbage ? process_.frames().other_version() : std::nullopt;
  const ChildProcess::End end = process_.end();
  if (version) {
    death.kind = Death::Kind::Version;
    death.code = *version;
  } else if (why == Wait::Overdue) {
    death.kind = Death::Kind::Hang;
    death.code = static_cast<int>(std::min<std::uint64_t>(limit_ms, std::numeric_limits<int>::max()));
  } else if (why == Wait::Garbage || end.lived_on) {
    death.kind = Death::Kind::Garbage;
  } else if (__atomic_load_n(&progress.out_of_memory, __ATOMIC_RELAXED) != 0) {
    death.kind = Death::Kind::Memory;
  } else {
    death.kind = WIFSIGNALED(end.status) ? Death::Kind::Signal : Death::Kind::Exit;
    death.code = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : WEXITSTATUS(end.status);
  }
  return death;
}

namespace {

/// One try to hear from a program which kernels it holds.
struct Described {
  std::optional<std::string> text{};
  std::string why_not{};
  bool is_killed = false;  ///< from outside
};

Described describe_once(ChildProcess process, std::uint64_t limit_ms) {
  OwnTime time;
  Clock::time_point last = Clock::now();
  Printed printed;
  protocol::Frame frame;
  std::string wrong;
  bool has_ended = false;
  while (!has_ended && wrong.empty()) {
    const protocol::FrameSocket::State state = process.frames().take(frame, protocol::kMostWorkerFrameBytes);
    if (state == protocol::FrameSocket::State::Garbage) {
      const auto version = process.frames().other_version();
      wrong = version ? protocol::other_version_text(*version) : "what it sent is no frame of the worker protocol";
      break;
    }
    if (state == protocol::FrameSocket::State::Complete) {
      if (frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Kernels)) {
        return {.text = std::move(frame.body)};
      }
      wrong = fmt::format("it sent a frame of kind {}, and not of kind {}, its kernels", frame.kind,
                          static_cast<int>(protocol::WorkerFrame::Kernels));
      break;
    }
    if (time.whole_ms() >= limit_ms) {
      wrong = "no answer within " + base::duration_text(limit_ms);
      break;
    }
    const bool had_ended = process.has_ended();
    pollfd polls[] = {{process.socket(), POLLIN, 0}, {process.output(), POLLIN, 0}};
    ::poll(polls, 2, kPollMs);
    if (polls[1].revents != 0) printed.drain(process.output());
    has_ended = polls[0].revents != 0 ? !process.frames().pump() : had_ended;
    const Clock::time_point now = Clock::now();
    time.turn(now - std::exchange(last, now), times_of(process.pid()));
  }
  printed.drain(process.output());
  if (!has_ended) process.kill();
  const ChildProcess::End end = process.end();
  Described described;
  described.is_killed = has_ended && !end.lived_on && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
  if (described.is_killed) {
    described.why_not =
        "was killed from outside (signal 9) before it said which kernels it holds: by too little memory, most likely; "
        "see `negzero doctor`";
  } else {
    if (wrong.empty()) {
      wrong = end.lived_on              ? "it closed its socket"
              : WIFSIGNALED(end.status) ? fmt::format("it was killed by signal {}", WTERMSIG(end.status))
                                        : fmt::format("it ended with exit status {}", WEXITSTATUS(end.status));
    }
    described.why_not = fmt::format(
        "did not say which kernels it holds: {}; build or install all of negzero, or see docs/worker_protocol.md for "
        "a worker of your own",
        wrong);
  }
  if (!printed.first.empty()) described.why_not += "; it printed: " + printed.first;
  return described;
}

}  // namespace

base::Result<std::string> describe_kernels(const std::vector<std::string>& program) {
  // Its static initialisers are the kernels' own: they may print, and they may never end. No result comes from it that
  // its memory would have to be kept from.
  auto found = program_to_start(program);
  if (!found) return found.error();
  const std::string name = program.empty() ? found->command.front() : program.front();
  const ChildSpec spec = spec_of(*std::move(found), confine::Profile::Stranger, {"describe"});
  constexpr int kMostTries = 3;
  for (int tries = 1;; ++tries) {
    auto process = ChildProcess::start(spec);
    if (!process) return process.error();
    Described described = describe_once(*std::move(process), start_limit_ms());
    if (described.text) return *std::move(described.text);
    if (described.is_killed && tries < kMostTries) continue;
    return base::infrastructure_error(name + " " + described.why_not);
  }
}

}  // namespace negzero::run
