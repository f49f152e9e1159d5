// Runs kernels on cases: memory laid out, poisoned and guarded, launched somewhere, everything checked after it.

#include <algorithm>
#include <new>
#include <utility>

#include <negzero/base/parallel.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/run/unwritten.hpp>

namespace negzero::run {

namespace {

/// Bytes of an image on the host, which the caches should hold: larger batches are cut, a case that is larger runs
/// alone.
constexpr std::size_t kHostImageBytes = std::size_t{1} << 19;

constexpr const char* kEndedAtOnce =
    "launches on several streams at once ended their process or stood still, launches in turn did not: they may wait "
    "for each other, or share memory, such as a device variable; cases of this kernel run in turn from now on";

/// Whether a process lived to say how a kernel ended all that it could do: an error of the GPU's context.
bool ends_its_process(std::span<const protocol::LaunchOutcome> outcomes) {
  return !outcomes.empty() && outcomes.back().status == protocol::LaunchOutcome::Status::Failed &&
         outcomes.back().fault == protocol::Fault::Crash;
}

/// Whether the kernel stood still, and not its process between two launches.
bool is_hang(const Death& death) {
  return death.kind == Death::Kind::Hang && death.where != protocol::Whereabouts::Between;
}

bool has_hung(const Outcome& outcome) {
  return outcome.failure && outcome.failure->kind == verdict::FailureClass::Hang;
}

void leave(std::span<Outcome> outcomes) {
  for (Outcome& outcome : outcomes) outcome = error(std::string(kLeft));
}

}  // namespace

std::vector<Outcome> Executor::run(std::span<const Job> jobs, const kernel::Kernel& kernel, const Batch& batch) {
  std::vector<Outcome> outcomes(jobs.size());
  std::vector<Job> inside;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto refused = outside_limits(*jobs[i].value, kernel)) {
      outcomes[i] = *std::move(refused);
      continue;
    }
    inside.push_back(jobs[i]);
    owners.push_back(i);
  }
  std::vector<Outcome> first = run_all(inside, kernel, OutputPoison::Own, batch);
  std::vector<Job> suspects;
  std::vector<std::size_t> suspect_owners;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    Outcome& outcome = outcomes[owners[i]] = std::move(first[i]);
    if (!looks_unwritten(*inside[i].value, outcome)) continue;
    suspects.push_back(inside[i]);
    suspect_owners.push_back(owners[i]);
  }
  std::vector<Outcome> again = run_all(suspects, kernel, OutputPoison::Other, batch);
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    Outcome& outcome = outcomes[suspect_owners[i]];
    outcome = combine(*suspects[i].value, std::move(outcome), std::move(again[i]));
  }
  return outcomes;
}

std::vector<Outcome> Executor::run_all(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output,
                                       const Batch& batch) {
  const std::size_t most = place() == kernel::Place::Device ? kCudaImageBytes : kHostImageBytes;
  std::vector<Outcome> outcomes(jobs.size());
  for (std::size_t begin = 0; begin < jobs.size();) {
    std::size_t end = begin, bytes = 0;
    for (; end < jobs.size(); ++end) {
      bytes += image_bytes(jobs[end]);
      // Distant tensors of one case have the GPU's addresses for themselves.
      const bool has_addresses = place() == kernel::Place::Device && (is_distant(jobs[end]) || is_distant(jobs[begin]));
      if (end > begin && (bytes > most || has_addresses)) break;
    }
    const std::size_t count = end - begin;
    const std::span<Outcome> of_image = std::span(outcomes).subspan(begin, count);
    run_image(jobs.subspan(begin, count), kernel, output, batch, of_image);
    begin = end;
    if (batch.until_hang && !keeps_cases_apart() && std::ranges::any_of(of_image, has_hung)) {
      leave(std::span(outcomes).subspan(end));
      break;
    }
  }
  return outcomes;
}

Executor::Launched Executor::launch_now(const kernel::Kernel& kernel) {
  if (policy_.lost()) return {.trouble = policy_.lost()};
  image_.configure(kernel.limits.configuration);
  image_.look_at_the_rest(!copies_results(kernel));
  Launched launched = launch(image_.plans(), kernel);
  if (launched.is_lost) policy_.note_loss(launched.trouble);
  for (protocol::LaunchOutcome& outcome : launched.outcomes) {
    if (outcome.status != protocol::LaunchOutcome::Status::Lost) continue;
    policy_.note_loss(outcome.message);
    outcome.status = protocol::LaunchOutcome::Status::Error;
  }
  return launched;
}

void Executor::take_outcomes(Launched& launched, std::size_t threads, std::span<Outcome> outcomes) {
  base::parallel_for(threads, launched.outcomes.size(), [&](std::size_t i) {
    protocol::LaunchOutcome& launch = launched.outcomes[i];
    std::vector<watch::CoveredBlock> covered = std::move(launch.covered);
    try {
      outcomes[i] = image_.outcome(i, launch, memory_);  // A copy: callers read how it ended.
    } catch (const std::bad_alloc&) {
      outcomes[i] = error(kTooLittleMemory);
    }
    outcomes[i].took_us = launch.took_us;
    outcomes[i].covered = std::move(covered);
  });
}

/// Launches once, and takes the outcomes that there are.
Executor::Launched Executor::launch_image(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output,
                                          const Batch& batch, std::span<Outcome> outcomes) {
  Launched launched;
  try {
    const std::uint8_t streams = batch.at_once && place() == kernel::Place::Device ? protocol::kStreams : 1;
    image_.lay_out(jobs, output, {.streams = streams});
    memory_ = memory(image_.size_bytes());
    image_.fill(memory_, batch.threads);
    launched = launch_now(kernel);
  } catch (const std::bad_alloc&) {
    launched = {.trouble = kTooLittleMemory};
  }
  if (launched.trouble) {
    for (Outcome& outcome : outcomes) outcome = error(*launched.trouble);
  } else {
    take_outcomes(launched, batch.threads, outcomes);
  }
  return launched;
}

void Executor::run_image(std::span<const Job> jobs, const kernel::Kernel& kernel, OutputPoison output, Batch batch,
                         std::span<Outcome> outcomes) {
  bool ended_at_once = false;
  while (jobs.size() > 1) {
    const Launched launched = launch_image(jobs, kernel, output, batch, outcomes);
    if (launched.trouble) return;
    if (launched.at) {
      // Its memory went with the process: whatever it had launched before runs again too.
      const std::size_t at = *launched.at;
      const bool is_believed = launched.death && is_hang(*launched.death) && policy_.is_hanging(kernel.name);
      outcomes[at] = is_believed ? told(*launched.death) : run_alone(jobs[at], kernel, output, launched.death);
      run_image(jobs.first(at), kernel, output, batch, outcomes.first(at));
      jobs = jobs.subspan(at + 1);
      outcomes = outcomes.subspan(at + 1);
      continue;
    }
    const std::size_t done = launched.outcomes.size();
    if (done > 0 && std::exchange(ended_at_once, false)) outcomes.front().warnings.emplace_back(kEndedAtOnce);
    jobs = jobs.subspan(done);
    outcomes = outcomes.subspan(done);
    if (done > 0) continue;
    const bool stood_still = launched.death && is_hang(*launched.death);
    if (std::exchange(batch.at_once, false)) {
      if (launched.death && launched.death->is_from_outside()) continue;
      ended_at_once = true;
      policy_.note_end_at_once(kernel.name);
      // Once more together costs a hang's time limit, and says no more.
      if (!stood_still) continue;
    }
    // They ran together: run each alone to see which one it was.
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      outcomes[i] = run_alone(jobs[i], kernel, output, std::nullopt, stood_still);
      if (batch.until_hang && has_hung(outcomes[i])) {
        leave(outcomes.subspan(i + 1));
        break;
      }
    }
    if (ended_at_once) outcomes.front().warnings.emplace_back(kEndedAtOnce);
    return;
  }
  if (!jobs.empty()) outcomes.front() = run_alone(jobs.front(), kernel, output, std::nullopt);
}

/// An end of the process, or of its GPU's context, counts where it comes again in a fresh one that runs this case
/// alone; where it does not, it is a warning. `before`: how it ended the last time. `among_hung`: it was one of several
/// that stood still together, so that its own hang is one that comes again.
Outcome Executor::run_alone(const Job& job, const kernel::Kernel& kernel, OutputPoison output,
                            std::optional<Death> before, bool among_hung) {
  if (before && before->is_from_outside()) before.reset();
  bool is_confirmed = before.has_value();
  std::string once = before ? before->to_string() : "";
  Outcome killed;
  for (int kills = 0; kills < kMostKills;) {
    Outcome outcome;
    const Launched launched = launch_image({&job, 1}, kernel, output, {}, {&outcome, 1});
    if (!launched.death) {
      const bool is_told = ends_its_process(launched.outcomes);
      if (is_told && !is_confirmed && replaces_processes()) {
        once = launched.outcomes.back().message;
        is_confirmed = true;
        continue;
      }
      if (!is_told && !once.empty()) outcome.warnings.insert(outcome.warnings.begin(), std::string(kCameOnce) + once);
      outcome.alone = true;
      return outcome;
    }
    const Death& death = *launched.death;
    if (death.is_from_outside()) {
      killed = unsettled(death);
      ++kills;
      continue;
    }
    if (is_confirmed || (is_hang(death) && (among_hung || policy_.is_hanging(kernel.name)))) {
      if (is_hang(death)) policy_.note_hang(kernel.name);
      outcome = told(death);
      outcome.alone = true;
      return outcome;
    }
    once = death.to_string();
    is_confirmed = true;
  }
  return killed;
}

}  // namespace negzero::run
