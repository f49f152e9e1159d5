// Shrinks a failing case in three steps: does it come again, what is the smallest like it, how often does that one
// fail.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// The smallest case that was reached, and how often it fails.
struct ShrunkCase {
  operation::Case value;
  verdict::Verdict verdict;
  std::int64_t evaluations = 0;
  /// Share of runs of `value`, each in a fresh process, that fail the same way; nothing where no time was left to
  /// count.
  std::optional<double> hit_rate{};
  bool interrupted = false;  ///< `stop` ended it
  std::string cut{};  ///< why there may be smaller ones, as "shrinking stopped after 60 s"; empty: there are none
};

/// What a campaign asks of a shrunk case.
struct Aims {
  /// Whether shrinking may go to that case; empty: to every one.
  std::function<bool(const operation::Case&)> wants{};
  /// Whether it may go to that failure of the same class; empty: to every one.
  std::function<bool(const verdict::Failure&)> keeps{};
  /// Whether the smallest case is not needed: then it is not counted how often it fails.
  std::function<bool(const operation::Case&, const verdict::Failure&)> spares{};
  /// It will not be needed, most likely: then it is shrunk before anything runs in a fresh process, of which each costs
  /// a context on a GPU.
  bool is_likely_spared = false;
};

/// Shrinks a failing case; see shrink::minimise. Runs are watched when the failure is one that only the watch sees.
/// `stop` keeps the smallest case so far. All of it takes at most the options' shrink_time_ms and one launch. A hang is
/// shrunk with a tenth of the time limit (0.1 to 1 s, never more than the limit itself) and held to all of it in the
/// end; where it does not hang then, or no time is left to see, the case comes back as it was. A crash that does not
/// come again is not shrunk.
[[nodiscard]] base::Result<ShrunkCase> shrink(Evaluator& evaluator, operation::Case value, verdict::Verdict verdict,
                                              const kernel::Kernel& kernel, const Stop& stop = {},
                                              const Aims& aims = {});

/// How long shrinking such a failure may take, for a person who waits: "at most 60 s" ...
[[nodiscard]] std::string shrinking_takes(const EvaluationOptions& options, verdict::FailureClass kind);

}  // namespace negzero::campaign
