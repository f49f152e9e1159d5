// Runs functions that this program does not have: each launch is a call back to who has them.

#include <algorithm>
#include <new>
#include <utility>

#include <negzero/run/caller_executor.hpp>

namespace negzero::run {

namespace {

/// While it lives the thread has another floating-point environment.
class Environment {
 public:
  explicit Environment(const std::fenv_t& other) noexcept {
    std::fegetenv(&before_);
    std::fesetenv(&other);
  }
  ~Environment() { std::fesetenv(&before_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::fenv_t before_{};
};

protocol::LaunchOutcome outcome_of(Called called) {
  switch (called.how) {
    case Called::How::Done:
      return {.status = protocol::LaunchOutcome::Status::Done};
    case Called::How::Raised:
      return protocol::LaunchOutcome::failed(protocol::Fault::Raised, std::move(called.message));
    case Called::How::Refused:
      return protocol::LaunchOutcome::failed(protocol::Fault::Refused, std::move(called.message));
    case Called::How::Changed:
      // Not protocol::Fault::Guard, of which an image looks for worse.
      return protocol::LaunchOutcome::failed(protocol::Fault::Changed, std::move(called.message));
    case Called::How::Stopped:
      break;
  }
  return protocol::LaunchOutcome::error("stopped");
}

}  // namespace

CallerExecutor::CallerExecutor(Launch launch, Memory memory, const std::fenv_t& environment)
    : launch_(std::move(launch)), memory_(std::move(memory)), environment_(environment) {}

std::byte* CallerExecutor::memory(std::size_t size_bytes) {
  if (size_bytes <= size_bytes_) return image_;
  constexpr std::size_t kLeast = std::size_t{1} << 18;
  const std::size_t size = std::max(kLeast, size_bytes + size_bytes / 2);
  image_ = memory_(size);
  size_bytes_ = image_ == nullptr ? 0 : size;
  if (image_ == nullptr) throw std::bad_alloc();
  return image_;
}

CallerExecutor::Launched CallerExecutor::launch(std::span<const protocol::LaunchPlan> plans, const kernel::Kernel&) {
  Launched launched;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Called called{.how = Called::How::Stopped};
    if (!is_stopped_) {
      const Environment callers(environment_);
      ++launches_;
      called = launch_(job(i), plans[i], image_);
    }
    is_stopped_ = called.how == Called::How::Stopped;
    launched.outcomes.push_back(outcome_of(std::move(called)));
  }
  return launched;
}

}  // namespace negzero::run
