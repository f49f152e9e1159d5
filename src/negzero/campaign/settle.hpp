// What is done with a failure that a campaign has met: it is shrunk, saved, and looked at once more with the watch.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include <negzero/base/result.hpp>
#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/finding_files.hpp>

namespace negzero::campaign {

/// A failing case as it was met, with the names of its kernel and contract.
struct Met {
  operation::Case value;
  verdict::Verdict verdict;
  Specials specials = kFinite;  ///< of the case
  std::string path{};           ///< of its file; empty where it could not be saved
};

/// What came of one failure. It is reported even if shrinking failed: `problem` says why.
struct Settled {
  Finding finding{};
  Cause cause{};                 ///< as it was shrunk
  std::optional<Cause> known{};  ///< that explains it: then there is no finding
  std::optional<base::Error> problem{};
};

/// Shrinks it and saves what comes of that, unless one of the causes that were `told`, as shrunk, explains it. Nothing
/// that is accepted explains what is not.
[[nodiscard]] Settled settle(Met met, const std::set<Cause>& told, const kernel::Kernel& kernel,
                             const Accepting& accepting, Evaluator& evaluator, FindingFiles& files, const Stop& stop);

/// Settles one failure at a time beside a search that goes on, on a thread and with processes of its own; where all is
/// to happen in this process, when it is asked for.
class Settler {
 public:
  /// `options` are the search's; `is_over` says whether it is, where it all happens in this process.
  Settler(const EvaluationOptions& options, FindingFiles& files, Stop is_over);
  ~Settler() { stop(); }

  [[nodiscard]] bool is_busy() const { return settled_.valid(); }
  /// Requires that it is not busy, and a kernel that stays, with what is accepted of it.
  void begin(Met met, std::set<Cause> told, const kernel::Kernel& kernel, const Accepting& accepting);
  /// What came of the one under way, once that is known; nothing, after `longest`, where it is not. Requires is_busy().
  [[nodiscard]] std::optional<Settled> take(std::chrono::milliseconds longest);
  /// Cuts short what is under way and what begins.
  void stop() { stop_ = true; }

 private:
  using Work = std::packaged_task<Settled()>;

  void serve(const std::stop_token& ended);
  [[nodiscard]] bool is_here() const { return evaluator_.options().in_process; }

  Evaluator evaluator_;
  FindingFiles& files_;
  Stop is_over_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  ///< guards work_
  std::condition_variable_any begun_;
  Work work_;  ///< that nobody has begun
  std::future<Settled> settled_;
  std::jthread thread_;  ///< one for all, because its processes end with it; last, so that it ends before what it uses
};

}  // namespace negzero::campaign
