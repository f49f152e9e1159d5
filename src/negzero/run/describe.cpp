// Asks a program which kernels it holds.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/declaration_cache.hpp>
#include <negzero/run/describe.hpp>
#include <negzero/run/own_time.hpp>
#include <negzero/run/printed.hpp>
#include <negzero/run/scratch.hpp>
#include <negzero/run/worker_process.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

static_assert(protocol::kWorkerVersion == kernel::kDeclarationVersion, "one number is all that a page has to name");

/// One try to hear from a program which kernels it holds.
struct Described {
  std::optional<std::string> text{};
  std::optional<std::string> refusal{};  ///< why it cannot, in its own words
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
      if (frame.kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Failed)) {
        return {.refusal = base::one_line(frame.body.substr(0, protocol::kMostText), ' ')};
      }
      wrong = fmt::format("it sent a frame of kind {}, and not of kind {}, its kernels", frame.kind,
                          static_cast<int>(protocol::WorkerFrame::Kernels));
      break;
    }
    if (time.whole_ms() >= limit_ms) {
      wrong = "no answer within " + base::duration_text(limit_ms) + " (NEGZERO_START_SECONDS allows more)";
      break;
    }
    has_ended = !listen(process, printed);
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
        "did not say which kernels it holds: {}; build or install all of negzero, or see "
        "docs/reference/worker_protocol.md for "
        "a worker of your own",
        wrong);
  }
  if (!printed.first.empty()) described.why_not += "; it printed: " + base::quoted(printed.first, kMostQuoted);
  return described;
}

}  // namespace

base::Result<std::string> describe_kernels(const std::vector<std::string>& program) {
  // Its static initialisers are the kernels' own: they may print, and they may never end. No result comes from it that
  // its memory would have to be kept from.
  auto found = program_to_start(program);
  if (!found) return found.error();
  const std::string name = program.empty() ? found->command.front() : program.front();
  std::optional<DeclarationCache> cache;
  if (found->is_module) {
    // This process, which ends last, makes the folder of the run and removes it.
    if (const auto made = scratch_of_run(); !made) return made.error();
    cache.emplace(*found);
    if (auto known = cache->find()) return *std::move(known);
  }
  const auto asked = std::filesystem::file_time_type::clock::now();
  const auto spec = worker_spec(*std::move(found), confine::Profile::Stranger, {"describe"});
  if (!spec) return spec.error();
  constexpr int kMostTries = 3;
  for (int tries = 1;; ++tries) {
    auto process = ChildProcess::start(*spec);
    if (!process) return process.error();
    Described described = describe_once(*std::move(process), start_limit_ms());
    if (described.text && cache) cache->keep(*described.text, asked);
    if (described.text) return *std::move(described.text);
    if (described.refusal) return base::infrastructure_error(*std::move(described.refusal));
    if (described.is_killed && tries < kMostTries) continue;
    return base::infrastructure_error(name + " " + described.why_not);
  }
}

}  // namespace negzero::run
