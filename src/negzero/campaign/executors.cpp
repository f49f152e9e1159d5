// The executors of one examiner: for each kernel that it looks at, where that one runs.

#include <algorithm>
#include <utility>

#include <negzero/campaign/executors.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/run/worker_executor.hpp>

namespace negzero::campaign {

struct Executors::Entry {
  std::string kernel;  ///< empty in-process, where one executor serves all
  std::unique_ptr<run::Executor> executor;
  run::WorkerExecutor* workers = nullptr;  ///< the same, where it is one
};

namespace {

constexpr std::size_t kMostEntries = 2;

}  // namespace

Executors::Executors(int gpu, bool in_process) : gpu_(gpu), in_process_(in_process) {}
Executors::~Executors() = default;

base::Result<run::Executor*> Executors::of(const kernel::Kernel& kernel) {
  const std::string name = in_process_ ? "" : kernel.name;
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.kernel == name && entry.executor->place() == kernel.place; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else if (in_process_) {
    auto made = run::local_executor(kernel.place, gpu_);
    if (!made) return made.error();
    entries_.push_front({name, std::move(*made)});
  } else {
    if (entries_.size() == kMostEntries) entries_.pop_back();
    auto workers = std::make_unique<run::WorkerExecutor>(run::WorkerOptions{.place = kernel.place, .gpu = gpu_});
    run::WorkerExecutor* const pointer = workers.get();
    entries_.push_front({name, std::move(workers), pointer});
  }
  if (entries_.front().workers != nullptr) entries_.front().workers->set_timeout(timeout_ms_);
  return entries_.front().executor.get();
}

void Executors::refresh() {
  for (Entry& entry : entries_) {
    if (entry.workers != nullptr) entry.workers->refresh();
  }
}

std::string Executors::take_printed() {
  std::string printed;
  for (Entry& entry : entries_) {
    if (entry.workers == nullptr) continue;
    std::string here = entry.workers->take_printed();
    if (printed.empty()) printed = std::move(here);
  }
  return printed;
}

std::optional<std::string> Executors::lost() const {
  for (const Entry& entry : entries_) {
    if (entry.executor->lost()) return entry.executor->lost();
  }
  return std::nullopt;
}

}  // namespace negzero::campaign
