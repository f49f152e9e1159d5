// Runs given cases again, each on one kernel: many at a time, and what they show is settled in their order.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/loop.hpp>
#include <negzero/campaign/reruns.hpp>
#include <negzero/case_file/case_file.hpp>

namespace negzero::campaign {

namespace {

std::uint64_t bytes_of(const operation::Case& value) {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : value.tensors) sum += tensor.bytes().size();
  return sum;
}

class Reruns final : public Source, public Sink {
 public:
  Reruns(const EvaluationOptions& options, const std::function<std::optional<Rerun>()>& next, const Stop& stop)
      : options_(options), next_(next), stop_(stop), loop_(options) {}

  base::Status run() { return loop_.run(*this, *this, StopCondition(stop_)); }

  std::optional<Task> next(int) override {
    while (true) {
      settle();
      for (std::size_t i = 0; i < held_.size(); ++i) {
        if (auto request = request_for(held_[i])) return Task{*std::move(request), first_ + i};
      }
      if (!has_room()) return std::nullopt;
      auto rerun = next_();
      if (!rerun) return std::nullopt;
      const std::uint64_t bytes = rerun->value == nullptr ? 0 : bytes_of(*rerun->value);
      const Step step = rerun->kernel == nullptr ? Step::Done : Step::Due;
      held_.push_back({.rerun = *std::move(rerun), .bytes = bytes, .step = step});
      bytes_ += bytes;
    }
  }

  bool take(std::uint64_t tag, const Reply& reply) override {
    Held& held = held_[tag - first_];
    if (held.step == Step::Explaining) {
      held.seen.watched = explanation_in(reply.verdict);
      held.step = Step::Done;
      return true;
    }
    held.seen.verdict = reply.verdict;
    held.step = is_to_be_explained(held) ? Step::ToExplain : Step::Done;
    return true;
  }

 private:
  enum class Step : unsigned char {
    Due,  ///< waits for an examiner
    Running,
    ToExplain,  ///< failed, and waits for one that runs it watched
    Explaining,
    Done,  ///< is settled when all before it are
  };
  struct Held {
    Rerun rerun;
    std::uint64_t bytes = 0;  ///< of its tensors
    Step step = Step::Due;
    RanAgain seen{};
  };

  /// Hands it out, where it waits for that.
  std::optional<Request> request_for(Held& held) const {
    const bool is_due = held.step == Step::Due;
    if (!is_due && held.step != Step::ToExplain) return std::nullopt;
    held.step = is_due ? Step::Running : Step::Explaining;
    const std::vector<std::byte> file = case_file::write(*held.rerun.value);
    Request request = request_of(*held.rerun.kernel, is_due ? Asking{.watch = held.rerun.watch} : kToExplain, options_);
    request.source = WholeCases{{reinterpret_cast<const char*>(file.data()), file.size()}};
    return request;
  }

  [[nodiscard]] bool is_to_be_explained(const Held& held) const {
    const auto& failure = held.seen.verdict.failure;
    const auto& [value, kernel, watch, explains, settle] = held.rerun;
    if (!failure || !may_explain(*failure, options_.watch, builds_of(kernel->name, options_.place), value->operation)) {
      return false;
    }
    return explains(held.seen.verdict);
  }

  void settle() {
    while (!held_.empty() && held_.front().step == Step::Done && !(stop_ && stop_())) {
      Held held = std::move(held_.front());
      held_.pop_front();
      ++first_;
      bytes_ -= held.bytes;
      held.rerun.settle(std::move(held.seen));
    }
  }

  [[nodiscard]] bool has_room() const {
    constexpr std::size_t kAnExaminer = 4, kMost = 1024;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;
    if (held_.size() < kAnExaminer * static_cast<std::size_t>(loop_.size())) return true;
    return held_.size() < kMost && bytes_ < kMostBytes;
  }

  const EvaluationOptions& options_;
  const std::function<std::optional<Rerun>()>& next_;
  const Stop& stop_;
  Loop loop_;
  std::deque<Held> held_;
  std::uint64_t first_ = 0;  ///< number of the first that is held: tags are numbers
  std::uint64_t bytes_ = 0;  ///< of all that are held
};

}  // namespace

base::Status rerun(const EvaluationOptions& options, const std::function<std::optional<Rerun>()>& next,
                   const Stop& stop) {
  return Reruns(options, next, stop).run();
}

}  // namespace negzero::campaign
