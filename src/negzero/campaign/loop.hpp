// The loop of every campaign: a source's cases go to examiners and their replies to a sink, and what others order at
// its desk is examined beside them by the same examiners.
//
//   source ── tasks ──┐                     ┌── replies ──> sink
//                     ├──> crew (examiners) ┤
//   desk   ── orders ─┘                     └── verdicts ─> threads that shrink what was found

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <negzero/base/result.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/desk.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/campaign/stop_condition.hpp>

namespace negzero::campaign {

class Loop {
 public:
  explicit Loop(const EvaluationOptions& options);

  /// Runs until the source has no task and is not open and the desk has no user, or the condition is interrupted. Once
  /// it is over the source is not asked any more, and a second behind a time limit its tasks are ended. What is ordered
  /// behind the end has no verdict. Errors as Crew::run().
  [[nodiscard]] base::Status run(Source& source, Sink& sink, const StopCondition& stop);

  [[nodiscard]] Desk& desk() { return desk_; }
  /// Examiners in all, and cases of a task that keep one busy.
  [[nodiscard]] int size() const { return crew_.size(); }
  [[nodiscard]] std::uint64_t task_cases() const { return crew_.task_cases(); }
  /// Users of the desk that get along: each is to have an examiner, whose worker stays at its kernel.
  [[nodiscard]] std::size_t most_users() const;

 private:
  class Shared;
  /// Examiners that look at the desk first: one in four while the source has tasks, one in two where many order, and
  /// all afterwards. A single examiner takes turns.
  [[nodiscard]] int lent() const;

  Crew crew_;
  Desk desk_;
  bool has_tasks_ = false;  ///< the source had some when it was asked last
};

}  // namespace negzero::campaign
