// Workers that run cases: one process a core on the host, one process a GPU with several threads on CUDA.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <negzero/campaign/crew.hpp>
#include <negzero/run/cuda_executor.hpp>
#include <negzero/run/host_executor.hpp>

namespace negzero::campaign {

namespace {

/// Cases of one upload: enough that its fixed cost (two copies, one wait) is small against the launches, few enough
/// that a chunk with a large case does not hold up the others.
constexpr std::uint64_t kMostOfAChunk = 64;
constexpr std::uint64_t kLeastOfAChunk = 4;
constexpr int kMostThreads = 64;

bool is_cuda(const EvaluationOptions& options) { return options.executor == kernel::Executor::Cuda; }

/// Threads of one worker.
int threads_of(const EvaluationOptions& options) {
  if (!is_cuda(options) || options.in_process) return 1;
  const int gpus = std::max(1, static_cast<int>(options.gpus.size()));
  return std::clamp(options.jobs / gpus, 1, kMostThreads);
}

}  // namespace

Crew::Crew(const EvaluationOptions& options, std::uint64_t timeout_ms, Work work)
    : options_(options), work_(std::move(work)) {
  const run::IsolationOptions how{.jobs = workers(options), .timeout_ms = timeout_ms, .in_process = options.in_process};
  run::Isolation::BatchWork batch;
  run::Isolation::Prepare start;
  if (is_cuda(options)) {
    batch = [this](std::string_view request, std::uint64_t begin, std::uint64_t end, const run::Isolation::Emit& emit) {
      work_together(request, begin, end, emit);
    };
    // In the worker, because a process that has touched CUDA must never fork.
    start = [this](int worker) { return prepare(worker); };
  } else {
    executors_.push_back(std::make_unique<run::HostExecutor>());  // Each worker has its own copy from the fork.
  }
  isolation_ = std::make_unique<run::Isolation>(
      how,
      [this](std::string_view request, std::uint64_t index) { return work_.one(request, index, *executors_.front()); },
      std::move(batch), std::move(start));
}

std::uint64_t Crew::task_items(const EvaluationOptions& options) { return is_cuda(options) ? 4096 : 32; }

int Crew::workers(const EvaluationOptions& options) {
  if (is_cuda(options)) return std::max(1, static_cast<int>(options.gpus.size()));
  return std::max(1, options.jobs);
}

base::Status Crew::run(const std::function<std::optional<run::Task>()>& next,
                       const std::function<bool(const run::Event&)>& on_event, const std::function<bool()>& stop) {
  return isolation_->run(next, on_event, stop);
}

base::Status Crew::prepare(int worker) {
  // A batch that stalls blames nobody and runs again singly, each case with all of the time limit; this must end first.
  constexpr std::uint64_t kLeastStallMs = 1000;
  run::CudaOptions how{.gpu = 0, .graph = options_.graph, .stall_ms = std::max(kLeastStallMs, options_.timeout_ms / 2)};
  if (!options_.gpus.empty()) how.gpu = options_.gpus[static_cast<std::size_t>(worker) % options_.gpus.size()];
  for (int i = 0; i < threads_of(options_); ++i) {
    auto executor = run::CudaExecutor::make(how);
    if (!executor) return executor.error();
    executors_.push_back(std::move(*executor));
  }
  return base::Ok{};
}

void Crew::work_together(std::string_view request, std::uint64_t begin, std::uint64_t end,
                         const run::Isolation::Emit& emit) {
  const std::uint64_t share = (end - begin + executors_.size() - 1) / executors_.size();
  const std::uint64_t chunk = std::clamp(share, kLeastOfAChunk, kMostOfAChunk);
  std::atomic<std::uint64_t> next{begin};
  std::mutex order;
  std::uint64_t emitted = begin;
  std::map<std::uint64_t, std::vector<std::string>> waiting;  // By the first item of a chunk.
  const auto lane = [&](run::Executor& executor) {
    for (std::uint64_t from = next.fetch_add(chunk); from < end; from = next.fetch_add(chunk)) {
      std::vector<std::string> replies = work_.several(request, from, std::min(end, from + chunk), executor);
      const std::lock_guard hold(order);
      waiting.emplace(from, std::move(replies));
      while (!waiting.empty() && waiting.begin()->first == emitted) {
        const auto ready = waiting.extract(waiting.begin());
        emit(ready.mapped());
        emitted += ready.mapped().size();
      }
    }
  };
  const std::uint64_t chunks = (end - begin + chunk - 1) / chunk;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::uint64_t>(executors_.size(), chunks); ++i) {
    threads.emplace_back([&lane, &executor = *executors_[i]] { lane(executor); });
  }
  lane(*executors_.front());
}

}  // namespace negzero::campaign
