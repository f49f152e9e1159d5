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
  }
  if (!worker_ || !worker_->is_running()) {
    worker_.reset();
    auto started = Worker::start(options_, kernel, memory_);
    if (!started) return {.trouble = started.error().message, .is_lost = ++failed_starts_ >= kMostFailedStarts};
    failed_starts_ = 0;
    worker_ = std::move(*started);
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

}  // namespace negzero::run
