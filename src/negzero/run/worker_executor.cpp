// Runs kernels in worker processes, one at a time and each of one kernel.

#include <algorithm>
#include <utility>

#include <negzero/run/worker_executor.hpp>

namespace negzero::run {

namespace {

/// Workers in a row that could not be started, before it is no use to try more.
constexpr int kMostFailedStarts = 3;

}  // namespace

std::byte* WorkerExecutor::memory(std::size_t size_bytes) {
  memory_.reserve(size_bytes);
  return memory_.image();
}

WorkerExecutor::Launched WorkerExecutor::launch(std::span<const protocol::LaunchPlan> plans,
                                                const kernel::Kernel& kernel) {
  if (kernel.name != kernel_) {
    worker_.reset();
    kernel_ = kernel.name;
    unstarted_.reset();
    failed_starts_ = 0;
  }
  if (unstarted_) return *unstarted_;
  if (!worker_ || !worker_->is_running()) {
    worker_.reset();
    Worker::Start start = Worker::start(options_, kernel, memory_);
    if (!start.worker) return without_worker(kernel, std::move(start));
    failed_starts_ = 0;
    worker_ = std::move(*start.worker);
  }
  const bool several_on_gpu = options_.place == kernel::Place::Device && plans.size() > 1;
  // A batch on a GPU that stalls blames no case and runs again singly, each with all of the time limit.
  const std::uint64_t timeout_ms =
      several_on_gpu ? std::max<std::uint64_t>(1000, options_.timeout_ms / 2) : options_.timeout_ms;
  Worker::Served answer = worker_->launch(plans, kernel.build.watched, timeout_ms);
  Launched launched{.outcomes = std::move(answer.outcomes), .death = answer.death};
  if (answer.death && !several_on_gpu) launched.at = answer.plan;
  if (printed_.empty()) printed_ = worker_->printed();
  return launched;
}

/// The end of a worker that shows values only is its kernel's, even where it never got ready: nothing of ours runs in
/// it. One of ours that does not start says something of the machine.
WorkerExecutor::Launched WorkerExecutor::without_worker(const kernel::Kernel& kernel, Worker::Start start) {
  if (start.death && start.death->is_from_outside()) --failed_starts_;
  const bool is_enough = ++failed_starts_ >= kMostFailedStarts;
  if (!kernel.build.values_only) return {.trouble = std::move(start.trouble), .is_lost = is_enough};
  Launched launched;
  if (start.death) {
    launched.death = std::move(start.death);
  } else {
    launched.trouble = std::move(start.trouble);
  }
  if (is_enough) unstarted_ = launched;
  return launched;
}

}  // namespace negzero::run
