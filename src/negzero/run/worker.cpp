// A process that launches one kernel, as its parent sees it: requests, answers, time limits.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/base/printable.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/own_time.hpp>
#include <negzero/run/program.hpp>
#include <negzero/run/worker.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

/// The access that a process noted before it ended, in words; empty where it noted none. It may say anything.
std::string touched(const protocol::LaunchPlan& plan, const engine::DistantFault& fault) {
  if (fault.kind == 0 || fault.reservation >= plan.buffers.size()) return "";
  const protocol::PlannedBuffer& buffer = plan.buffers[fault.reservation];
  const auto size = static_cast<std::int64_t>(buffer.element_bytes());
  // Rounded down, so that what lies before the buffer has an element below 0.
  const std::int64_t element = fault.byte / size - (fault.byte % size < 0 ? 1 : 0);
  const char* const where = element < 0                         ? ", before its start"
                            : element >= buffer.layout.extent() ? ", past its end"
                                                                : ", where none of its elements lies";
  return fmt::format("a {} at element {} of the memory of {}{}", fault.kind == 2 ? "write" : "read", element,
                     buffer.name, where);
}

confine::Profile profile_of(const WorkerOptions& options, const kernel::Kernel& kernel) {
  if (options.place == kernel::Place::Device) return confine::Profile::Cuda;
  return kernel.build.values_only ? confine::Profile::Stranger : confine::Profile::Host;
}

}  // namespace

Worker::Start Worker::start(const WorkerOptions& options, const kernel::Kernel& kernel, const SharedMemory& memory) {
  std::vector<std::string> words{kernel.name, std::string(kernel::name(options.place))};
  if (options.place == kernel::Place::Device) words.push_back(std::to_string(options.gpu));
  auto program = program_to_start(kernel.build.program);
  if (!program) return {.trouble = program.error().message};
  const auto spec = worker_spec(*std::move(program), profile_of(options, kernel), std::move(words));
  if (!spec) return {.trouble = spec.error().message};
  auto process = ChildProcess::start(*spec);
  if (!process) return {.trouble = process.error().message};
  Start start{.worker = Worker()};
  Worker& worker = *start.worker;
  worker.process_ = std::move(*process);
  worker.memory_ = &memory;
  if (spec->confinement != nullptr) worker.key_ = spec->confinement->calls().runtime_key();
  worker.on_gpu_ = options.place == kernel::Place::Device;
  worker.values_only_ = kernel.build.values_only;
  memory.progress() = {};
  protocol::Frame frame;
  std::uint64_t limit_ms = options.start_ms;
  Wait came = worker.wait_for(frame, options.start_ms, 0, limit_ms);
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Ready)) return start;
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Failed)) {
    return {.trouble = base::one_line(frame.body.substr(0, protocol::kMostText), ' ')};
  }
  if (came == Wait::Frame) came = Wait::Garbage;
  Death death = worker.bury(came, limit_ms);
  death.is_start = true;
  if (worker.values_only_) death.where = protocol::Whereabouts::InFunction;
  return {.trouble = fmt::format("the process for kernel {} did not start: {}{}{}", kernel.name, death.to_string(),
                                 worker.printed_.first.empty() ? "" : "; it printed: ",
                                 worker.printed_.first.empty() ? "" : base::quoted(worker.printed_.first, kMostQuoted)),
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
    const bool is_reply = frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Launched) && is_read &&
                          process_.frames().is_empty() && !is_empty && !is_lost;
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
  if (answer.death->kind == Death::Kind::Signal) {
    answer.death->touched = touched(plans[std::min<std::uint64_t>(plan, plans.size() - 1)], memory_->progress().fault);
  }
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
    if (!listen(process_, printed_)) return Wait::Ended;
  }
}

Death Worker::bury(Wait why, std::uint64_t limit_ms) {
  if (why != Wait::Ended) process_.kill();
  printed_.drain(process_.output());
  const protocol::Progress& progress = memory_->progress();
  Death death{.printed = printed_.last.substr(0, printed_.last.find_last_not_of("\r\n ") + 1)};
  death.where = static_cast<protocol::Whereabouts>(std::min(
      __atomic_load_n(&progress.where, __ATOMIC_RELAXED),
      static_cast<std::uint64_t>(values_only_ ? protocol::Whereabouts::InFunction : protocol::Whereabouts::InKernel)));
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

}  // namespace negzero::run
