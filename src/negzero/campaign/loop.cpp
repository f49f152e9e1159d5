// The loop of every campaign.

#include <algorithm>

#include <negzero/campaign/loop.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;

/// Tags of the desk's tasks.
constexpr std::uint64_t kOfDesk = std::uint64_t{1} << 63;

}  // namespace

/// The source and the desk as one source.
class Loop::Shared final : public Source, public Sink {
 public:
  Shared(Loop& loop, Source& source, Sink& sink, const StopCondition& stop)
      : loop_(loop), source_(source), sink_(sink), stop_(stop) {}

  std::optional<Task> next(int examiner) override {
    if (is_lent(examiner)) {
      if (auto task = of_desk(examiner)) return task;
      // The next order comes in a moment, and would wait for a task of the source.
      if (loop_.desk_.is_open() && loop_.has_tasks_) return std::nullopt;
    }
    if (!stop_.is_over()) {
      auto task = source_.next(examiner);
      loop_.has_tasks_ = task.has_value();
      if (task) return task;
    } else {
      loop_.has_tasks_ = false;
    }
    return of_desk(examiner);
  }
  [[nodiscard]] bool is_open() const override { return loop_.desk_.is_open() || source_.is_open(); }
  [[nodiscard]] bool is_wanted(std::uint64_t tag) const override {
    if ((tag & kOfDesk) != 0) return loop_.desk_.is_wanted(tag & ~kOfDesk);
    return !stop_.ends_cases() && source_.is_wanted(tag);
  }
  [[nodiscard]] int wakes_by() const override { return loop_.desk_.wakes_by(); }

  bool take(std::uint64_t tag, const Reply& reply) override {
    return (tag & kOfDesk) != 0 ? loop_.desk_.take(tag & ~kOfDesk, reply) : sink_.take(tag, reply);
  }
  void pass_time() override { sink_.pass_time(); }

 private:
  std::optional<Task> of_desk(int examiner) {
    auto task = loop_.desk_.next(examiner);
    if (task) task->tag |= kOfDesk;
    return task;
  }

  bool is_lent(int examiner) {
    if (!loop_.desk_.is_open()) return false;
    if (loop_.size() > 1) return examiner >= loop_.size() - loop_.lent();
    // Turns of at least half a second; one that took longer, for a hang, is followed by one as long.
    constexpr Clock::duration kTurn = std::chrono::milliseconds(500);
    const Clock::duration spent = Clock::now() - turn_;
    if (spent >= std::max(kTurn, last_turn_)) {
      last_turn_ = is_desks_turn_ ? spent : kTurn;
      is_desks_turn_ = !is_desks_turn_;
      turn_ = Clock::now();
    }
    return is_desks_turn_;
  }

  Loop& loop_;
  Source& source_;
  Sink& sink_;
  const StopCondition& stop_;
  bool is_desks_turn_ = true;
  Clock::time_point turn_ = Clock::now();
  Clock::duration last_turn_{};
};

Loop::Loop(const EvaluationOptions& options) : crew_(options), desk_(crew_.size()) {}

std::size_t Loop::most_users() const { return static_cast<std::size_t>(has_tasks_ ? std::max(1, size() / 2) : size()); }

int Loop::lent() const { return has_tasks_ ? std::max({1, size() / 4, std::min(desk_.users(), size() / 2)}) : size(); }

base::Status Loop::run(Source& source, Sink& sink, const StopCondition& stop) {
  has_tasks_ = true;
  Shared shared(*this, source, sink, stop);
  base::Status done = crew_.run(shared, shared, [&stop] { return stop.is_interrupted(); });
  has_tasks_ = false;
  desk_.end(done ? std::nullopt : std::optional(done.error()));
  return done;
}

}  // namespace negzero::campaign
