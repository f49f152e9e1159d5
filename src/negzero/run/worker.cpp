// A process that launches one kernel, as its parent sees it: requests, answers, time limits.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/own_time.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
/// For loading a program, its static initialisers, and a CUDA context.
constexpr std::uint64_t kStartMs = 60000;
constexpr std::uint32_t kMostAnswerBytes = std::uint32_t{1} << 26;

/// What confines workers of a program, made once for each place, whichever thread asks first. Null where the address
/// sanitizer needs what it refuses.
confine::Confinement* confinement_of(const std::string& program, kernel::Place place) {
#ifdef NEGZERO_SANITIZE
  (void)program, (void)place;
  return nullptr;
#else
  const confine::Profile profile = place == kernel::Place::Device ? confine::Profile::Cuda : confine::Profile::Host;
  static std::mutex mutex;
  static std::map<std::pair<std::string, confine::Profile>, confine::Confinement> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find({program, profile});
  if (found != made.end()) return &found->second;
  return &made.try_emplace({program, profile}, confine::Confined{.profile = profile, .program = program}).first->second;
#endif
}

std::vector<std::string> command_of(const std::vector<std::string>& program, std::vector<std::string> words) {
  std::vector<std::string> command = program;
  std::error_code code;
  if (command.empty()) command.push_back(std::filesystem::read_symlink("/proc/self/exe", code).string());
  command.emplace_back(protocol::kWorkerFlag);
  std::ranges::move(words, std::back_inserter(command));
  return command;
}

}  // namespace

base::Result<Worker> Worker::start(const WorkerOptions& options, const kernel::Kernel& kernel,
                                   const SharedMemory& memory) {
  std::vector<std::string> words{kernel.name, std::string(kernel::name(options.place))};
  if (options.place == kernel::Place::Device) words.push_back(std::to_string(options.gpu));
  ChildSpec spec{.command = command_of(kernel.build.program, std::move(words)), .captured = true};
  spec.confinement = confinement_of(spec.command.front(), options.place);
  auto process = ChildProcess::start(spec);
  if (!process) return process.error();
  Worker worker;
  worker.process_ = std::move(*process);
  worker.memory_ = &memory;
  if (spec.confinement != nullptr) worker.key_ = spec.confinement->calls().runtime_key();
  worker.on_gpu_ = options.place == kernel::Place::Device;
  memory.progress() = {};
  protocol::Frame frame;
  std::uint64_t limit_ms = kStartMs;
  const Wait came = worker.wait_for(frame, kStartMs, 0, limit_ms);
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Ready)) return worker;
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Failed)) {
    return base::infrastructure_error(frame.body);
  }
  const Death death = worker.bury(came, limit_ms);
  return base::infrastructure_error(
      fmt::format("the process for kernel {} did not start: {}{}{}", kernel.name, death.to_string(),
                  worker.printed_.first.empty() ? "" : "; it printed: ", worker.printed_.first));
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
  base::ByteWriter request;
  request.u8(watched ? 1 : 0);
  request.u32(static_cast<std::uint32_t>(plans.size()));
  for (const protocol::LaunchPlan& plan : plans) write(request, plan);
  memory_->progress() = {};
  Served answer;
  protocol::Frame frame;
  std::uint64_t limit_ms = 0;
  // A request that does not arrive shows itself as the end of the worker.
  send_memory();
  (void)process_.frames().send(static_cast<std::uint8_t>(protocol::WorkerFrame::Launch), request.bytes());
  Wait came = wait_for(frame, timeout_ms, plans.size(), limit_ms);
  if (came == Wait::Frame) {
    base::ByteReader reply(frame.body);
    const auto count = static_cast<std::size_t>(reply.at_most(reply.u32(), plans.size()));
    for (std::size_t i = 0; i < count && reply.ok(); ++i) answer.outcomes.push_back(protocol::read_outcome(reply));
    const bool last = answer.outcomes.size() < plans.size() || (count > 0 && answer.outcomes.back().spoilt);
    // What no launcher says is the kernel's own: that nothing became of a single plan, that a host is lost.
    const bool is_empty = answer.outcomes.empty() && plans.size() == 1;
    const bool is_lost = !on_gpu_ && std::ranges::any_of(answer.outcomes, [](const protocol::LaunchOutcome& outcome) {
      return outcome.status == protocol::LaunchOutcome::Status::Lost;
    });
    const bool is_reply = frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Launched) &&
                          reply.is_complete() && process_.frames().is_empty() && !is_empty && !is_lost;
    if (is_reply && !last) return answer;
    if (is_reply) {
      process_.kill();
      process_.end();
      return answer;
    }
    came = Wait::Garbage;
    answer.outcomes.clear();
  }
  answer.plan = std::min<std::uint64_t>(__atomic_load_n(&memory_->progress().plan, __ATOMIC_RELAXED), plans.size() - 1);
  answer.death = bury(came, limit_ms);
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
    switch (process_.frames().take(frame, kMostAnswerBytes)) {
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
      std::min<std::uint64_t>(__atomic_load_n(&progress.where, __ATOMIC_RELAXED), 2));
  const bool in_kernel = __atomic_load_n(&progress.in_kernel, __ATOMIC_RELAXED) != 0;
  if (death.where == protocol::Whereabouts::InWrapper && in_kernel) death.where = protocol::Whereabouts::InKernel;
  const ChildProcess::End end = process_.end();
  if (why == Wait::Overdue) {
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

base::Result<std::string> describe_kernels(const std::vector<std::string>& program) {
  // Its static initialisers are the kernels' own: they may print, and they may never end.
  ChildSpec spec{.command = command_of(program, {"describe"}), .captured = true};
  spec.confinement = confinement_of(spec.command.front(), kernel::Place::Host);
  constexpr int kMostTries = 3;
  for (int tries = 1;; ++tries) {
    auto process = ChildProcess::start(spec);
    if (!process) return process.error();
    OwnTime time;
    Clock::time_point last = Clock::now();
    Printed printed;
    protocol::Frame frame;
    bool has_ended = false;
    while (!has_ended && time.whole_ms() < kStartMs) {
      const protocol::FrameSocket::State state = process->frames().take(frame, kMostAnswerBytes);
      if (state == protocol::FrameSocket::State::Garbage) break;
      if (state == protocol::FrameSocket::State::Complete) {
        if (frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Kernels)) return std::move(frame.body);
        break;
      }
      const bool had_ended = process->has_ended();
      pollfd polls[] = {{process->socket(), POLLIN, 0}, {process->output(), POLLIN, 0}};
      ::poll(polls, 2, kPollMs);
      if (polls[1].revents != 0) printed.drain(process->output());
      has_ended = polls[0].revents != 0 ? !process->frames().pump() : had_ended;
      const Clock::time_point now = Clock::now();
      time.turn(now - std::exchange(last, now), times_of(process->pid()));
    }
    printed.drain(process->output());
    if (!has_ended) process->kill();
    const ChildProcess::End end = process->end();
    const bool is_killed = has_ended && !end.lived_on && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
    if (is_killed && tries < kMostTries) continue;
    return base::infrastructure_error(fmt::format(
        "{} {}{}{}", spec.command.front(),
        is_killed ? "was killed from outside (signal 9) before it said which kernels it holds: by too little memory, "
                    "most likely; see `negzero doctor`"
                  : "did not say which kernels it holds; build or install all of negzero",
        printed.first.empty() ? "" : "; it printed: ", printed.first));
  }
}

}  // namespace negzero::run
