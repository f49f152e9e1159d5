// Runs a kernel's host build on a case: memory laid out, poisoned and guarded, one launch, everything checked after it.

#include <array>
#include <deque>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <negzero/run/case_memory.hpp>
#include <negzero/run/host_executor.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/simt/stream.hpp>

namespace negzero::run {

namespace {

simt::Settings settings_of(const operation::Case& value) {
  const operation::Schedule& schedule = value.schedule;
  using From = operation::Schedule::Order;
  simt::Settings settings;
  settings.schedule.order = schedule.order == From::Forward    ? simt::Order::Forward
                            : schedule.order == From::Backward ? simt::Order::Backward
                                                               : simt::Order::Random;
  settings.schedule.preempt = schedule.preempt;
  settings.schedule.seed = schedule.seed;
  settings.poison = value.poison == operation::Poison::Nan ? 0xff : 0x7b;
  // One thread may do the work of all, and wait for others at every element. Threads that only wait are told after
  // milliseconds.
  std::uint64_t elements = 0;
  for (const auto& [name, tensor] : value.tensors) elements += static_cast<std::uint64_t>(tensor.element_count());
  settings.event_budget = (std::uint64_t{1} << 22) + 1024 * elements;
  settings.idle_budget = (std::uint64_t{1} << 16) + 16 * elements;
  return settings;
}

}  // namespace

/// Workspace from guarded buffers; the first pass of a case decides how many there are.
class GuardedWorkspace final : public kernel::Workspace {
 public:
  /// Allocations become regions of `watched`, unless it is null.
  void begin(operation::Poison poison, WatchedCase* watched) {
    poison_ = poison;
    watched_ = watched;
    used_ = 0;
  }
  void* allocate(std::size_t size_bytes) override {
    if (size_bytes > kMostBufferBytes) throw std::bad_alloc();
    if (used_ == buffers_.size()) buffers_.emplace_back();
    buffers_[used_].reset(size_bytes, number::format(number::FormatId::F32), poison_);
    if (watched_ != nullptr) watched_->add_workspace(used_, buffers_[used_].data());
    return buffers_[used_++].data().data();
  }
  /// The first stray write around an allocation.
  [[nodiscard]] std::optional<Outcome> damage() const {
    for (std::size_t i = 0; i < used_; ++i) {
      if (const auto at = buffers_[i].guard_damage()) return workspace_damage(i, *at, buffers_[i].size_bytes());
    }
    return std::nullopt;
  }

 private:
  std::deque<GuardedBuffer> buffers_;
  std::size_t used_ = 0;
  WatchedCase* watched_ = nullptr;
  operation::Poison poison_ = operation::Poison::Nan;
};

class HostExecutor::Memory {
 public:
  std::array<GuardedBuffer, kMostBuffers> buffers;
  GuardedWorkspace workspace;
  WatchedCase watched;
};

HostExecutor::HostExecutor() : memory_(std::make_unique<Memory>()) {}
HostExecutor::~HostExecutor() = default;
HostExecutor::HostExecutor(HostExecutor&&) noexcept = default;
HostExecutor& HostExecutor::operator=(HostExecutor&&) noexcept = default;

Outcome HostExecutor::run_once(const Job& job, const kernel::Kernel& kernel, operation::Poison output_poison) {
  const operation::Case& value = *job.value;
  const std::vector<CaseBuffer> buffers = buffers_of(value, *job.contract, output_poison);
  const bool is_watched = kernel.executor == kernel::Executor::Watched;
  memory_->watched.begin();
  std::array<void*, kMostBuffers> starts{};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    GuardedBuffer& memory = memory_->buffers[i];
    memory.reset(buffers[i].size_bytes(), number::format(buffers[i].format), buffers[i].poison);
    place_elements(buffers[i], memory.data());
    memory.snapshot();
    starts[i] = memory.data().data();
    if (!is_watched) continue;
    const bool holds_elements = buffers[i].elements != nullptr;
    using Use = WatchedCase::Use;
    memory_->watched.add(buffers[i].name, *buffers[i].layout, buffers[i].element_bytes(), memory.data(),
                         buffers[i].is_output ? (holds_elements ? Use::InitialisedOutput : Use::Output)
                                              : (holds_elements ? Use::Input : Use::UnreadInput));
  }
  memory_->workspace.begin(value.poison, is_watched ? &memory_->watched : nullptr);
  simt::Settings settings = settings_of(value);
  if (is_watched) settings.watch = &memory_->watched.watch();
  settings.progress = progress_counter();
  simt::Stream stream(settings);
  const kernel::Args args = args_of(value.operation, buffers, std::span(starts).first(buffers.size()));
  auto failure = launch(kernel, args, memory_->workspace, stream);
  // Threads of an ended launch stand in the middle of the kernel, and its device variables with them.
  using simt::LaunchStatus;
  const LaunchStatus status = stream.report().status;
  const bool has_ended = status != LaunchStatus::Ok && status != LaunchStatus::InvalidLaunch;
  if (has_ended && (!is_watched || memory_->watched.watch().saw_variables())) retire_worker();
  if (status == LaunchStatus::WatchFinding) return memory_->watched.outcome();
  if (failure) return *std::move(failure);

  std::array<Inspected, kMostBuffers> inspected;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    GuardedBuffer& memory = memory_->buffers[i];
    inspected[i] = {&buffers[i], memory.region(), memory.before().data()};
  }
  Outcome outcome = inspect(value, std::span(inspected).first(buffers.size()));
  if (outcome.status != Outcome::Status::Completed) return outcome;
  if (auto damage = memory_->workspace.damage()) return *std::move(damage);
  outcome.warnings = stream.report().warnings;
  if (is_watched) {
    const std::vector<std::string>& seen = memory_->watched.watch().warnings();
    outcome.warnings.insert(outcome.warnings.end(), seen.begin(), seen.end());
  }
  return outcome;
}

Outcome HostExecutor::run_one(const Job& job, const kernel::Kernel& kernel) {
  if (auto refused = outside_limits(*job.value, kernel)) return *std::move(refused);
  Outcome outcome = run_once(job, kernel, job.value->poison);
  if (!looks_unwritten(*job.value, outcome)) return outcome;
  return combine(*job.value, std::move(outcome), run_once(job, kernel, other_poison(job.value->poison)));
}

std::vector<Outcome> HostExecutor::run(std::span<const Job> jobs, const kernel::Kernel& kernel) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(jobs.size());
  for (const Job& job : jobs) outcomes.push_back(run_one(job, kernel));
  return outcomes;
}

}  // namespace negzero::run
