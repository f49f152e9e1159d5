// The examiners of a campaign: tasks go out to them, replies come back, and one that ends is replaced.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <negzero/base/result.hpp>
#include <negzero/campaign/stop_condition.hpp>
#include <negzero/campaign/wire.hpp>

namespace negzero::campaign {

struct Task {
  Request request;
  std::uint64_t tag = 0;  ///< the caller's own number, given back with each reply
};

/// Where tasks come from. Asked on the thread that runs the crew.
class Source {
 public:
  virtual ~Source() = default;
  /// The next task for an examiner, which counts from 0; nothing for now, or for good.
  [[nodiscard]] virtual std::optional<Task> next(int examiner) = 0;
  /// Whether more tasks may come without a reply to one before.
  [[nodiscard]] virtual bool is_open() const { return false; }
  /// Whether replies to a task are wanted still; where not, its examiner is ended.
  [[nodiscard]] virtual bool is_wanted(std::uint64_t tag) const { return (void)tag, true; }
  /// A descriptor that becomes readable when next() has something new; -1: none.
  [[nodiscard]] virtual int wakes_by() const { return -1; }
};

/// Where replies go, on the same thread.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Takes a reply; false where the rest of its task is not wanted.
  virtual bool take(std::uint64_t tag, const Reply& reply) = 0;
  /// Called at least ten times a second.
  virtual void pass_time() {}
};

/// Examiners are processes of this program, started when first needed and kept between calls of run(). In-process there
/// are none: run() does the work itself.
///
/// Nobody but us is to blame where an examiner ends, since kernels run elsewhere: what it has not answered goes to
/// another one, and a case at which three have ended gets an Error verdict, which says how the last of them ended.
class Crew {
 public:
  /// `most_bytes`: of the case files of a request to an examiner; the cases of a longer one get Error verdicts that
  /// name both sizes. There is no such limit in-process.
  explicit Crew(const EvaluationOptions& options, std::uint64_t most_bytes = kMostCaseBytes);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] int size() const;
  /// Cases of a request that keep an examiner busy long enough: handing it over costs nothing then.
  [[nodiscard]] std::uint64_t task_cases() const;

  /// Runs tasks until the source has none for any examiner and is not open, and all replies are there: exactly one a
  /// case, in order within a task, unless the sink wanted no more of it. `stop` is polled at least ten times a second;
  /// once true, busy examiners are ended and run() returns. Errors are infrastructure errors: processes that cannot be
  /// started, a GPU that is lost; cases in flight then have no reply.
  [[nodiscard]] base::Status run(Source& source, Sink& sink, const Stop& stop);

 private:
  class Pool;
  EvaluationOptions options_;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<class Examination> here_;  ///< in-process
};

}  // namespace negzero::campaign
