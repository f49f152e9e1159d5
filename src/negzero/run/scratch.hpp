// Folders that confined processes may write: one of each process, which goes with it, and one of each kernel, which its
// workers share while a run lasts.

#pragma once

#include <memory>
#include <string>

#include <negzero/base/result.hpp>

namespace negzero::run {

/// The private folder of one process, removed with the object, and the folder in which workers of one kernel keep what
/// they compile: another kernel's never see it, as it holds code.
class Scratch {
 public:
  /// `user`: a kernel's name; empty: no kernel's. Infrastructure errors: no folder can be made where TMPDIR says, or in
  /// /tmp.
  [[nodiscard]] static base::Result<std::shared_ptr<const Scratch>> make(const std::string& user);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::string& cache() const noexcept { return cache_; }

 private:
  Scratch(std::string folder, std::string cache) : folder_(std::move(folder)), cache_(std::move(cache)) {}
  std::string folder_, cache_;
};

/// The folder of this run, in which all of the above lie. The first process of a run makes it, names it to those that
/// it starts (NEGZERO_SCRATCH), and removes it when it ends. What a run that was killed has left is removed by a later
/// one. Infrastructure errors as Scratch::make().
[[nodiscard]] base::Result<std::string> scratch_of_run();

}  // namespace negzero::run
