// Runs given cases again, each on one kernel: many at a time, and what they show is settled in their order.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/campaign/stop_condition.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// What the runs of one case showed.
struct RanAgain {
  verdict::Verdict verdict{};
  std::string watched{};  ///< explanation_in() a watched run of a failure that is to be explained
};

/// One case on one kernel. What it points to must stay until it is settled.
struct Rerun {
  const operation::Case* value = nullptr;  ///< nullptr only where nothing runs
  const kernel::Kernel* kernel = nullptr;  ///< nullptr: nothing runs, and it is settled when its turn comes
  Watch watch = Watch::Auto;
  /// Whether a watched run is to explain that failure, where it may (may_explain()). Called at most once.
  std::function<bool(const verdict::Verdict&)> explains{};
  /// Takes what was seen. Called once, unless a stop or an error comes before.
  std::function<void(RanAgain)> settle{};
};

/// Runs what `next` gives on all examiners at once, until it gives nothing and all is settled. Everything is called on
/// this thread: `next` in order, and `settle` in the same order. `next` is asked again after it gave nothing while
/// others are under way. It is asked ahead of what is settled for at most four cases an examiner; for more, up to 1024,
/// while the tensors of all together have less than 64 MiB. Once `stop` is true nothing more is settled. Errors: as
/// Crew::run().
[[nodiscard]] base::Status rerun(const EvaluationOptions& options, const std::function<std::optional<Rerun>()>& next,
                                 const Stop& stop);

}  // namespace negzero::campaign
