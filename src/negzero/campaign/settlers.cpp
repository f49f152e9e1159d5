// Threads that settle failures while a campaign goes on.

#include <algorithm>

#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/settlers.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t ms_since(Clock::time_point then) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - then).count());
}

}  // namespace

Settlers::Settlers(const EvaluationOptions& options, Loop& loop, FindingFiles& files)
    : options_(options), loop_(loop), files_(files) {}

Settlers::~Settlers() { stop(); }

bool Settlers::is_busy(std::size_t kernel) const {
  return std::ranges::find(strands_, kernel, &Strand::kernel) != strands_.end();
}

BeingShrunk Settlers::under_way() const {
  if (strands_.empty()) return {};
  const auto last = std::ranges::max_element(strands_, {}, &Strand::began);
  return {strands_.size(), last->which->name,
          options_.shrink_time_ms - std::min(options_.shrink_time_ms, ms_since(last->began))};
}

void Settlers::begin(std::size_t kernel, Met met, std::set<Cause> told, const kernel::Kernel& which,
                     const Accepting& accepting) {
  Strand& strand = strands_.emplace_back(Strand{.kernel = kernel, .which = &which, .began = Clock::now()});
  std::packaged_task<Settled()> work(
      [this, &which, &accepting, met = std::move(met), told = std::move(told)]() mutable {
        Evaluator evaluator(options_, loop_.desk());
        return settle(std::move(met), told, which, accepting, evaluator, files_, [this] { return stop_.load(); });
      });
  strand.settled = work.get_future();
  // A user from now on, or the loop might end before the thread has begun.
  auto user = std::make_unique<Desk::User>(loop_.desk());
  strand.thread = std::jthread([work = std::move(work), user = std::move(user)]() mutable { work(); });
}

std::optional<std::pair<std::size_t, Settled>> Settlers::take(std::chrono::milliseconds longest) {
  const Clock::time_point until = Clock::now() + longest;
  do {
    for (auto strand = strands_.begin(); strand != strands_.end(); ++strand) {
      if (strand->settled.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) continue;
      std::pair done(strand->kernel, strand->settled.get());
      const kernel::Kernel& kernel = *strand->which;
      strands_.erase(strand);
      Finding& finding = done.second.finding;
      // On the campaign's thread: in-process no other may run a kernel.
      if (options_.observe && !done.second.known && !stop_) {
        finding.observations = {observe(finding.shrunk, kernel, finding.failure, options_)};
      }
      return done;
    }
    if (!strands_.empty() && longest.count() > 0) strands_.front().settled.wait_for(std::chrono::milliseconds(10));
  } while (Clock::now() < until && !strands_.empty());
  return std::nullopt;
}

}  // namespace negzero::campaign
