// How the process of a worker is started: its command, what confines it, how long it may take.

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include <poll.h>

#include <negzero/confine/confinement.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/python_module.hpp>
#include <negzero/run/worker_process.hpp>

namespace negzero::run {

namespace {

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

}  // namespace

std::uint64_t start_limit_ms() {
  constexpr std::uint64_t kUsualMs = 60000;
  constexpr double kMostSeconds = 86400;
  const char* const said = std::getenv("NEGZERO_START_SECONDS");
  const double seconds = said == nullptr ? 0 : std::strtod(said, nullptr);
  return seconds > 0 ? static_cast<std::uint64_t>(1000 * std::min(seconds, kMostSeconds)) : kUsualMs;
}

base::Result<ChildSpec> worker_spec(Program program, confine::Profile profile, std::vector<std::string> words) {
  ChildSpec spec;
  if (program.is_module) {
    profile = confine::uses_cuda(profile) ? confine::Profile::PythonCuda : confine::Profile::Python;
    auto scratch = Scratch::make(words.size() > 1 ? words.front() : "");
    if (!scratch) return scratch.error();
    spec.scratch = *std::move(scratch);
    spec.environment = writable_places(*spec.scratch);
    std::ranges::copy(program.environment, std::back_inserter(spec.environment));
  }
  spec.frame_version = protocol::kWorkerVersion;
  spec.captured = true;
  spec.confinement = confinement_of(program, profile);
  spec.command = std::move(program.command);
  spec.command.emplace_back(protocol::kWorkerFlag);
  std::ranges::move(words, std::back_inserter(spec.command));
  return spec;
}

bool listen(ChildProcess& process, Printed& printed) {
  constexpr int kPollMs = 50;
  const bool had_ended = process.has_ended();
  pollfd polls[] = {{process.socket(), POLLIN, 0}, {process.output(), POLLIN, 0}};
  ::poll(polls, 2, kPollMs);
  if (polls[1].revents != 0) printed.drain(process.output());
  return polls[0].revents != 0 ? process.frames().pump() : !had_ended;
}

}  // namespace negzero::run
