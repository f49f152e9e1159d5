// A process that launches one kernel, as its parent sees it: the memory that both share, requests, time limits, and
// what it prints.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/worker.hpp>
#include <negzero/run/worker_wire.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
/// Longest time that one turn of waiting counts: a loop that comes back later was itself not running.
constexpr std::uint64_t kMostOfATurnMs = 200;
/// For loading a program, its static initialisers, and a CUDA context.
constexpr std::uint64_t kStartMs = 60000;
constexpr std::size_t kMostPrinted = 4096;
constexpr std::uint32_t kMostAnswerBytes = std::uint32_t{1} << 26;

/// What confines workers of a program, made once. Null where the address sanitizer needs what it refuses.
Confinement* confinement_of(const std::string& program, kernel::Executor kind) {
#ifdef NEGZERO_SANITIZE
  (void)program, (void)kind;
  return nullptr;
#else
  static std::map<std::pair<std::string, kernel::Executor>, Confinement> made;
  const auto key = std::pair(program, kind);
  const auto found = made.find(key);
  if (found != made.end()) return &found->second;
  const Profile profile = kind == kernel::Executor::Cuda ? Profile::Cuda : Profile::Host;
  return &made.try_emplace(key, Confined{.profile = profile, .program = program}).first->second;
#endif
}

std::vector<std::string> command_of(const std::vector<std::string>& program, std::vector<std::string> words) {
  std::vector<std::string> command = program;
  std::error_code code;
  if (command.empty()) command.push_back(std::filesystem::read_symlink("/proc/self/exe", code).string());
  command.emplace_back(kWorkerFlag);
  std::ranges::move(words, std::back_inserter(command));
  return command;
}

std::uint64_t milliseconds(Clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

/// Time that a process could have run but had no core for, in milliseconds, so that a busy machine makes no hang: the
/// second number of /proc/PID/schedstat (Linux, Documentation/scheduler/sched-stats.rst). 0 where there is none.
std::uint64_t waited_for_a_core_ms(pid_t pid) {
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/schedstat", pid).c_str(), "re");
  if (file == nullptr) return 0;
  unsigned long long ran = 0, waited = 0;
  const int read = std::fscanf(file, "%llu %llu", &ran, &waited);
  std::fclose(file);
  return read == 2 ? waited / 1000000 : 0;
}

/// How long a process has been at something, by turns of waiting for it.
class OwnTime {
 public:
  explicit OwnTime(pid_t pid) : pid_(pid) {}
  /// Counts the time since the last turn.
  void turn() {
    const Clock::time_point now = Clock::now();
    const std::uint64_t waited = waited_for_a_core_ms(pid_);
    const std::uint64_t passed = milliseconds(now - std::exchange(last_, now));
    const std::uint64_t in_vain = waited - std::min(waited, std::exchange(waited_, waited));
    if (turns_++ == 0) return;  // How long it had waited before is not known.
    const std::uint64_t own = std::min(passed - std::min(passed, in_vain), kMostOfATurnMs);
    whole_ += own;
    since_ += own;
  }
  void restart() { since_ = 0; }
  [[nodiscard]] std::uint64_t whole_ms() const { return whole_; }
  [[nodiscard]] std::uint64_t since_ms() const { return since_; }

 private:
  pid_t pid_;
  Clock::time_point last_ = Clock::now();
  std::uint64_t waited_ = 0, whole_ = 0, since_ = 0;
  int turns_ = 0;
};

/// Takes what a worker has printed, and keeps its beginning. What prints faster than it is read cannot hold up its
/// reader: a turn takes so much and no more.
void drain(int output, std::string& printed) {
  constexpr int kMostReads = 64;
  char buffer[4096];
  for (int reads = 0; reads < kMostReads; ++reads) {
    const ssize_t done = ::read(output, buffer, sizeof buffer);
    if (done <= 0) return;
    const std::size_t room = kMostPrinted - std::min(kMostPrinted, printed.size());
    printed.append(buffer, std::min(room, static_cast<std::size_t>(done)));
    if (static_cast<std::size_t>(done) < sizeof buffer) return;
  }
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) ::munmap(start_, size_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::byte* SharedMemory::image() const { return start_ + kImageAt; }

void SharedMemory::reserve(std::size_t image_bytes) {
  const std::size_t wanted = image_bytes + kImageAt;
  if (wanted <= size_bytes_) return;
  if (descriptor_ < 0) {
    descriptor_ = ::memfd_create("negzero-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ < 0) throw std::bad_alloc();
    // A file that shrinks under a mapping kills whoever reads there.
    ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
  }
  std::size_t size = std::max(size_bytes_, std::size_t{1} << 20);
  while (size < wanted) size *= 2;
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) throw std::bad_alloc();
  void* const made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  if (start_ != nullptr) ::munmap(start_, size_bytes_);
  start_ = static_cast<std::byte*>(made);
  size_bytes_ = size;
}

base::Result<Worker> Worker::start(const WorkerOptions& options, const std::string& kernel,
                                   const SharedMemory& memory) {
  std::vector<std::string> words{kernel, options.kind == kernel::Executor::Cuda ? "cuda" : "host"};
  if (options.kind == kernel::Executor::Cuda) {
    words.push_back(std::to_string(options.gpu));
    words.emplace_back(options.graph ? "graph" : "single");
  }
  ChildSpec spec{
      .command = command_of(options.program, std::move(words)), .memory = memory.descriptor(), .captured = true};
  spec.confinement = confinement_of(spec.command.front(), options.kind);
  auto process = ChildProcess::start(spec);
  if (!process) return process.error();
  Worker worker;
  worker.process_ = std::move(*process);
  worker.memory_ = &memory;
  worker.on_gpu_ = options.kind == kernel::Executor::Cuda;
  memory.progress() = {};
  Frame frame;
  std::uint64_t limit_ms = kStartMs;
  const Wait came = worker.wait_for(frame, kStartMs, 0, limit_ms);
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(WorkerFrame::Ready)) return worker;
  if (came == Wait::Frame && frame.kind == static_cast<std::uint8_t>(WorkerFrame::Failed)) {
    return base::infrastructure_error(frame.body);
  }
  const Death death = worker.bury(came, limit_ms);
  return base::infrastructure_error(fmt::format("the process for kernel {} did not start: {}{}{}", kernel,
                                                death.to_string(),
                                                worker.printed_.empty() ? "" : "; it printed: ", worker.printed_));
}

Worker::Answer Worker::launch(std::span<const LaunchPlan> plans, bool watched, std::uint64_t timeout_ms) {
  base::ByteWriter request;
  request.u64(memory_->size_bytes());
  request.u8(watched ? 1 : 0);
  request.u32(static_cast<std::uint32_t>(plans.size()));
  for (const LaunchPlan& plan : plans) write(request, plan);
  memory_->progress() = {};
  Answer answer;
  Frame frame;
  std::uint64_t limit_ms = 0;
  // A request that does not arrive shows itself as the end of the worker.
  (void)process_.frames().send(static_cast<std::uint8_t>(WorkerFrame::Launch), request.bytes());
  Wait came = wait_for(frame, timeout_ms, plans.size(), limit_ms);
  if (came == Wait::Frame) {
    base::ByteReader reply(frame.body);
    const auto count = static_cast<std::size_t>(reply.at_most(reply.u32(), plans.size()));
    for (std::size_t i = 0; i < count && reply.ok(); ++i) answer.outcomes.push_back(read_outcome(reply));
    const bool last = answer.outcomes.size() < plans.size() || (count > 0 && answer.outcomes.back().spoilt);
    // What no launcher says is the kernel's own: that nothing became of a single plan, that a host is lost.
    const bool is_empty = answer.outcomes.empty() && plans.size() == 1;
    const bool is_lost = !on_gpu_ && std::ranges::any_of(answer.outcomes, [](const LaunchOutcome& outcome) {
      return outcome.status == LaunchOutcome::Status::Lost;
    });
    const bool is_reply =
        frame.kind == static_cast<std::uint8_t>(WorkerFrame::Launched) && reply.is_complete() && !is_empty && !is_lost;
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

/// The next frame, or why there is none; `limit_ms` is the limit that has passed. Progress counts as far as it can be
/// true: of `plans` plans, one after the other, so that a worker which writes there as it likes is overdue all the
/// same.
Worker::Wait Worker::wait_for(Frame& frame, std::uint64_t timeout_ms, std::size_t plans, std::uint64_t& limit_ms) {
  OwnTime time(process_.pid());
  const Progress& progress = memory_->progress();
  std::uint64_t beats = 0, plan = 0;
  for (bool first = true;; first = false) {
    switch (process_.frames().take(frame, kMostAnswerBytes)) {
      case FrameSocket::State::Complete:
        drain(process_.output(), printed_);
        return Wait::Frame;
      case FrameSocket::State::Garbage:
        return Wait::Garbage;
      case FrameSocket::State::Incomplete:
        break;
    }
    if (!first) {  // A part of a frame is no answer: one that comes byte by byte is late too.
      time.turn();
      const std::uint64_t now_beats = __atomic_load_n(&progress.beats, __ATOMIC_RELAXED);
      const std::uint64_t now_plan = __atomic_load_n(&progress.plan, __ATOMIC_RELAXED);
      if (now_plan > plan && now_plan < plans) {
        plan = now_plan;
        time = OwnTime(process_.pid());
      }
      if (std::exchange(beats, now_beats) != now_beats && plans > 0) time.restart();
      limit_ms = time.since_ms() > timeout_ms ? timeout_ms : kPatience * timeout_ms;
      if (time.since_ms() > timeout_ms || time.whole_ms() > kPatience * timeout_ms) return Wait::Overdue;
    }
    const bool had_ended = process_.has_ended();
    pollfd polls[] = {{process_.socket(), POLLIN, 0}, {process_.output(), POLLIN, 0}};
    ::poll(polls, 2, kPollMs);
    if (polls[1].revents != 0) drain(process_.output(), printed_);
    if (polls[0].revents != 0) {
      if (!process_.frames().pump()) return Wait::Ended;
    } else if (had_ended) {
      return Wait::Ended;  // Something that it started may hold its socket.
    }
  }
}

Death Worker::bury(Wait why, std::uint64_t limit_ms) {
  drain(process_.output(), printed_);
  if (why != Wait::Ended) process_.kill();
  const Whereabouts where = static_cast<Whereabouts>(
      std::min<std::uint64_t>(__atomic_load_n(&memory_->progress().where, __ATOMIC_RELAXED), 2));
  const ChildProcess::End end = process_.end();
  if (why == Wait::Overdue) {
    return {Death::Kind::Hang, static_cast<int>(std::min<std::uint64_t>(limit_ms, std::numeric_limits<int>::max())),
            where};
  }
  if (why == Wait::Garbage || end.lived_on) return {Death::Kind::Garbage, 0, where};
  if (WIFSIGNALED(end.status)) return {Death::Kind::Signal, WTERMSIG(end.status), where};
  return {Death::Kind::Exit, WEXITSTATUS(end.status), where};
}

base::Result<std::string> describe_kernels(const std::vector<std::string>& program) {
  // Its static initialisers are the kernels' own: they may print, and they may never end.
  ChildSpec spec{.command = command_of(program, {"describe"}), .memory = -1, .captured = true};
  spec.confinement = confinement_of(spec.command.front(), kernel::Executor::Host);
  auto process = ChildProcess::start(spec);
  if (!process) return process.error();
  OwnTime time(process->pid());
  std::string printed;
  Frame frame;
  while (time.whole_ms() < kStartMs) {
    const FrameSocket::State state = process->frames().take(frame, kMostAnswerBytes);
    if (state == FrameSocket::State::Garbage) break;
    if (state == FrameSocket::State::Complete) {
      if (frame.kind == static_cast<std::uint8_t>(WorkerFrame::Kernels)) return std::move(frame.body);
      break;
    }
    const bool had_ended = process->has_ended();
    pollfd polls[] = {{process->socket(), POLLIN, 0}, {process->output(), POLLIN, 0}};
    ::poll(polls, 2, kPollMs);
    if (polls[1].revents != 0) drain(process->output(), printed);
    if (polls[0].revents != 0 ? !process->frames().pump() : had_ended) break;
    time.turn();
  }
  drain(process->output(), printed);
  return base::infrastructure_error(
      fmt::format("{} did not say which kernels it holds; build or install all of negzero{}{}", spec.command.front(),
                  printed.empty() ? "" : "; it printed: ", printed));
}

}  // namespace negzero::run
