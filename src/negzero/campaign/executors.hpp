// The executors of one examiner: for each kernel that it looks at, where that one runs.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include <negzero/kernel/kernel.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::campaign {

/// A worker process each for the two kernels that were asked for last: comparing takes two, all else one.
class Executors {
 public:
  /// `gpu`: the number of the one that kernels of a device run on. `in_process`: they run in this process instead.
  Executors(int gpu, bool in_process);
  ~Executors();

  /// The one for a kernel, on the executor that it was built for. Valid until others are asked for. Errors: a GPU that
  /// cannot be used in this process.
  [[nodiscard]] base::Result<run::Executor*> of(const kernel::Kernel& kernel);
  /// The time limit from now on: run::WorkerOptions::timeout_ms.
  void set_timeout(std::uint64_t timeout_ms) { timeout_ms_ = timeout_ms; }
  /// Lets what runs next run in fresh processes.
  void refresh();
  /// What kernels have printed since this was last asked, its beginning.
  [[nodiscard]] std::string take_printed();
  /// What the machine has lost for good: run::Executor::lost().
  [[nodiscard]] std::optional<std::string> lost() const;

 private:
  struct Entry;
  int gpu_;
  bool in_process_;
  std::uint64_t timeout_ms_ = 10000;
  std::list<Entry> entries_;
};

}  // namespace negzero::campaign
